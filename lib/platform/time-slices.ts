import type { Clock } from './clock.ts';
import { createFifoQueue } from './fifo-queue.ts';

/** Work on the main thread, divided into steps of at most a few milliseconds. The work may pause at each `yield`. */
export type Steps<T> = Generator<void, T>;

/** The maximum total time of all work in steps in one turn of the event loop. */
const TURN_BUDGET_MS = 5;

/** Runs work in steps on the main thread, with other work between the steps. */
export interface TimeSlices {
  /**
   * Resolves with the result of `steps`. The first step runs at once if the budget of this turn is not spent. Rejects with the
   * error of a step, or with the signal's reason if the signal aborts between two slices.
   */
  run<T>(steps: Iterator<void, T>, signal: AbortSignal): Promise<T>;
  /** Runs one step within the same time budget as `run`. */
  runStep<T>(step: () => T, signal: AbortSignal): Promise<T>;
}

/**
 * Creates time slices. All work shares one budget per turn of the event loop, so many small pieces of work delay the loop no
 * longer than one large piece does. Work that exhausts the budget of a turn continues after the other waiting work. Only one
 * instance may exist for an event loop.
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

  /** Runs at least one step, until the work is done or the budget is spent. */
  function runSteps<T>(steps: Iterator<void, T>): IteratorResult<void, T> {
    // The next turn renews the budget even if no work is waiting.
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
