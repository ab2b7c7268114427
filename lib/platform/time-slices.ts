import type { Clock } from './clock.ts';
import { createFifoQueue } from './fifo-queue.ts';

/** Work on the main thread, cut into steps of at most a few milliseconds: it may pause at each `yield`. */
export type Steps<T> = Generator<void, T>;

/** What all such work together may take of one turn of the event loop. */
const TURN_BUDGET_MS = 5;

/** Runs work in steps on the main thread, and lets other work run in between. */
export interface TimeSlices {
  /**
   * Resolves with what `steps` return. They begin at once while the budget of this turn lasts. Rejects with what they
   * throw, and between two slices with the signal's reason.
   */
  run<T>(steps: Iterator<void, T>, signal: AbortSignal): Promise<T>;
  /** The same for a single step. */
  runStep<T>(step: () => T, signal: AbortSignal): Promise<T>;
}

/**
 * One budget a turn of the event loop for all work that is given to it, so that many small works together do not delay the
 * loop more than a large one. Work that has used up a turn waits behind the others. One event loop has one of these.
 */
export function createTimeSlices(clock: Pick<Clock, 'monotonicMs'>): TimeSlices {
  const waiting = createFifoQueue<() => void>();
  let spentMs = 0;
  let isTurnScheduled = false;

  function scheduleTurn(): void {
    if (isTurnScheduled) return;
    isTurnScheduled = true;
    setImmediate(startTurn);
  }

  function startTurn(): void {
    isTurnScheduled = false;
    spentMs = 0;
    while (spentMs < TURN_BUDGET_MS) {
      const runSlice = waiting.dequeue();
      if (runSlice === undefined) return;
      runSlice();
    }
  }

  /** Runs one step or more, until the work is done or the budget is spent. */
  function runSteps<T>(steps: Iterator<void, T>): IteratorResult<void, T> {
    // The next turn renews the budget, whether or not anything waits for it by then.
    scheduleTurn();
    const startMs = clock.monotonicMs() - spentMs;
    try {
      for (;;) {
        const step = steps.next();
        spentMs = clock.monotonicMs() - startMs;
        if (step.done === true || spentMs >= TURN_BUDGET_MS) return step;
      }
    } catch (thrown) {
      spentMs = clock.monotonicMs() - startMs;
      throw thrown;
    }
  }

  function run<T>(steps: Iterator<void, T>, signal: AbortSignal): Promise<T> {
    return new Promise((resolve, reject) => {
      const runSlice = () => {
        try {
          signal.throwIfAborted();
          const step = runSteps(steps);
          if (step.done === true) resolve(step.value);
          else waiting.enqueue(runSlice);
        } catch (thrown) {
          reject(thrown);
        }
      };
      if (spentMs < TURN_BUDGET_MS) runSlice();
      else waiting.enqueue(runSlice);
    });
  }

  return {
    run,
    runStep: (step, signal) => run({ next: () => ({ done: true, value: step() }) }, signal),
  };
}
