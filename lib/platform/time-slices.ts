import { setImmediate as otherWork } from 'node:timers/promises';
import type { Clock } from './clock.ts';

/** Work on the main thread, cut into steps of at most a few milliseconds: each `yield` is a place to pause. */
export type Steps<T> = Generator<void, T>;

// Slices of several images may meet in one turn of the loop and should still stay under 20 ms together.
const SLICE_MS = 5;

/** Runs `steps` to their end and lets other work run in between. Rejects with the signal's reason on abort. */
export async function runInSlices<T>(
  steps: Steps<T>,
  clock: Clock,
  signal: AbortSignal,
): Promise<T> {
  let sliceStart = clock.monotonicMs();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (clock.monotonicMs() - sliceStart < SLICE_MS) continue;
    await otherWork();
    signal.throwIfAborted();
    sliceStart = clock.monotonicMs();
  }
}
