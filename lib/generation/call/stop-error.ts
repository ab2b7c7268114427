import { type BridgeError, toBridgeError } from '../../errors/bridge-error.ts';

/** What is known of a provider call when its signal ends it. */
interface StoppedCall {
  /** True if this try or an earlier one was sent. */
  readonly sent: boolean;
  /** True if the call has ended and its outcome is known, or if it was not sent. */
  readonly outcomeKnown: boolean;
  /** Nothing of it is running. */
  readonly stopped: boolean;
}

/** The failure of a call that the deadline, the client or the failure of a sibling ended (contract.md 8). */
export function stopError(
  signal: AbortSignal,
  { sent, outcomeKnown, stopped }: StoppedCall,
): BridgeError {
  const reason = toBridgeError(signal.reason);
  return reason.with({
    retryable: reason.retryable && !sent && outcomeKnown,
    details: { ...(outcomeKnown ? {} : { outcome: 'unknown' }), provider_stopped: stopped },
  });
}
