import { BridgeError } from '../errors/bridge-error.ts';
import type { Clock } from '../platform/clock.ts';
import { linkSignal } from '../platform/linked-signal.ts';

/** One point in time that a whole operation has to meet. */
export interface Deadline {
  /** Aborts at the deadline with a `timeout`, or earlier with the reason of whoever gave the work up. */
  readonly signal: AbortSignal;
  remainingMs(): number;
  /** Ends the watch; the signal will not abort any more. */
  end(): void;
}

/** Starts a deadline of `timeoutMs` from now that also ends when `given` aborts. */
export function startDeadline(clock: Clock, timeoutMs: number, given: AbortSignal): Deadline {
  const followed = linkSignal(given);
  const endsAtMs = clock.monotonicMs() + timeoutMs;
  const cancel = clock.after(timeoutMs, () => followed.abort(deadlinePassed()));
  return {
    signal: followed.signal,
    remainingMs: () => Math.max(0, endsAtMs - clock.monotonicMs()),
    end() {
      cancel();
      followed.end();
    },
  };
}

/** Retryable until somebody knows that something was dispatched (contract.md 8). */
function deadlinePassed(): BridgeError {
  return new BridgeError('timeout', 'the deadline has passed', { retryable: true });
}
