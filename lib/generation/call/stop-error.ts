import { type BridgeError, toBridgeError } from '../../errors/bridge-error.ts';

/** What is known of a provider call at the moment at which its signal ended it. */
interface StoppedCall {
  /** Something of it had been dispatched, now or in an earlier try. */
  readonly dispatched: boolean;
  /** Whatever was dispatched has ended and told how. */
  readonly outcomeKnown: boolean;
  /** Nothing of it runs any more. */
  readonly stopped: boolean;
}

/** The failure of what was ended by the deadline, by the client or by a sibling's failure (contract.md 8). */
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
