import { BridgeError } from '../errors/bridge-error.ts';
import type { Clock } from '../platform/clock.ts';
import { linkSignal } from '../platform/linked-signal.ts';

/** The time by which a whole operation has to end. */
export interface Deadline {
  /** Aborts at the deadline with a `timeout`, or earlier with the reason for which the work was ended. */
  readonly signal: AbortSignal;
  /** The request has set it, to less time than the operator's default. */
  readonly isShortened?: boolean;
  remainingMs(): number;
  /** Stops the timer; the signal does not abort any more. */
  end(): void;
}

/** Starts a deadline of `timeoutMs` from now that also ends when `given` aborts. `usualMs`: the operator's default. */
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

/** Retryable unless a call was dispatched (contract.md 8). */
function deadlinePassed(): BridgeError {
  return new BridgeError('timeout', 'the deadline has passed', { retryable: true });
}
