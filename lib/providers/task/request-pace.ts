import { type Clock, sleep } from '../../platform/clock.ts';

interface Deps {
  readonly clock: Clock;
  readonly requestsPerMinute: number;
}

const MINUTE_MS = 60_000;
// Polls that wait for different times may arrive together. The margin keeps a minute with such polls below the limit.
const SHARE_OF_LIMIT = 0.9;

export type RequestPace = ReturnType<typeof createRequestPace>;

/**
 * Spaces the requests of one account evenly, so that any number of tasks stays below the limit of the service. Each
 * request takes the next free place. The more tasks wait, the longer is the interval between the polls of a task.
 */
export function createRequestPace({ clock, requestsPerMinute }: Deps) {
  const spacingMs = MINUTE_MS / (requestsPerMinute * SHARE_OF_LIMIT);
  let freeMs = 0;

  /** Takes the first free place that is at least `delayMs` from now. Returns the wait until this place. */
  function take(delayMs: number): number {
    const nowMs = clock.monotonicMs();
    // A request that waits longer leaves the earlier places to other tasks.
    const place = Math.max(nowMs + delayMs, freeMs);
    freeMs = Math.max(freeMs, nowMs) + spacingMs;
    return place - nowMs;
  }

  return {
    /** Waits at least `delayMs` and until the account may send another request. Rejects with the signal's reason. */
    async wait(delayMs: number, signal: AbortSignal): Promise<void> {
      await sleep(clock, take(delayMs), signal);
    },

    /** Counts a request that is not delayed, such as a submission. */
    count(): void {
      take(0);
    },
  };
}
