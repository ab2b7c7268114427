import { BridgeError } from '../errors/bridge-error.ts';
import type { Clock } from '../platform/clock.ts';

/** One point in time that a whole operation has to meet. */
export interface Deadline {
  /** Aborts at the deadline with a `timeout`, or earlier with the reason of whoever gave the work up. */
  readonly signal: AbortSignal;
  remainingMs(): number;
  /** Ends the watch; the signal will not abort by time any more. */
  end(): void;
}

/** Starts a deadline of `timeoutMs` from now that also ends when `given` aborts. */
export function startDeadline(clock: Clock, timeoutMs: number, given: AbortSignal): Deadline {
  const controller = new AbortController();
  const endsAtMs = clock.monotonicMs() + timeoutMs;
  const follow = () => controller.abort(given.reason);
  const cancel = clock.after(timeoutMs, () =>
    controller.abort(new BridgeError('timeout', 'the deadline has passed')),
  );
  if (given.aborted) follow();
  else given.addEventListener('abort', follow, { once: true });
  return {
    signal: controller.signal,
    remainingMs: () => Math.max(0, endsAtMs - clock.monotonicMs()),
    end() {
      cancel();
      given.removeEventListener('abort', follow);
    },
  };
}
