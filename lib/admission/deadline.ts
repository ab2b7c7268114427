import { BridgeError } from '../errors/bridge-error.ts';
import type { Clock } from '../platform/clock.ts';
import { linkSignal } from '../platform/linked-signal.ts';

/** The time limit of a whole operation. */
export interface Deadline {
  /** Aborts at the deadline with a `timeout` error, or earlier with the reason for which the work was ended. */
  readonly signal: AbortSignal;
  /** True if the request has set a deadline earlier than the operator's default. */
  readonly isShortened?: boolean;
  remainingMs(): number;
  /** Stops the timer. The signal no longer aborts. */
  end(): void;
}

/**
 * Starts a deadline that passes in `timeoutMs` milliseconds. Its signal also aborts when `given` aborts. `usualMs` is the
 * default timeout set by the operator, in milliseconds.
 */
export function startDeadline(
  clock: Clock,
  timeoutMs: number,
  given: AbortSignal,
  usualMs = timeoutMs,
): Deadline {
  const followed = linkSignal(given);
  const endsAtMs = clock.monotonicMs() + timeoutMs;
  const cancel = clock.after(timeoutMs, () => followed.abort(deadlinePassed()));
  return {
    signal: followed.signal,
    isShortened: timeoutMs < usualMs,
    remainingMs: () => Math.max(0, endsAtMs - clock.monotonicMs()),
    end() {
      cancel();
      followed.end();
    },
  };
}

/** Returns a retryable error. If a call was sent, the ledger makes the error not retryable. */
function deadlinePassed(): BridgeError {
  return new BridgeError('timeout', 'the deadline has passed', { retryable: true });
}
