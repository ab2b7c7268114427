import type { Clock } from '../../platform/clock.ts';
import { createTimeSlices, type Steps } from '../../platform/time-slices.ts';

// Reading from the sockets takes several times as long in a turn, and so may garbage collection.
const SHARE_MS = 1;

export type LoopShare = ReturnType<typeof createLoopShare>;

/**
 * Small pieces of work that together take only so much of each turn of the event loop. When that is used up, the next
 * pieces wait for the next turns, in order. A caller that waits reads no further, and so the network waits as well.
 */
export function createLoopShare(clock: Pick<Clock, 'monotonicMs'>) {
  const slices = createTimeSlices(clock, SHARE_MS);
  const { signal } = new AbortController();
  return {
    /** Does the work now, or in a later turn. Resolves with what it returns, rejects with what it throws. */
    run: <T>(work: () => T): Promise<T> => slices.run(oneStep(work), signal),
  };
}

// biome-ignore lint/correctness/useYield: a piece is one step.
function* oneStep<T>(work: () => T): Steps<T> {
  return work();
}
