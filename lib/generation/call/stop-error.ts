import { type BridgeError, toBridgeError } from '../../errors/bridge-error.ts';

/** What is known of a provider call when its signal ends it. */
interface StoppedCall {
  /** This try or an earlier one had been dispatched. */
  readonly dispatched: boolean;
  /** What was dispatched has ended, and how is known. */
  readonly outcomeKnown: boolean;
  /** Nothing of it is running. */
  readonly stopped: boolean;
}

/** The failure of a call that the deadline, the client or the failure of a sibling ended (contract.md 8). */
export function stopError(
  signal: AbortSignal,
  { dispatched, outcomeKnown, stopped }: StoppedCall,
): BridgeError {
  const reason = toBridgeError(signal.reason);
  return reason.with({
    retryable: reason.retryable && !dispatched && outcomeKnown,
    details: { ...(outcomeKnown ? {} : { outcome: 'unknown' }), provider_stopped: stopped },
  });
}
