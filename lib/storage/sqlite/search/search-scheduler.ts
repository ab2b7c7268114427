import type { Clock } from '../../../platform/clock.ts';

/** Work that may pause wherever it yields. */
export type Steps<T> = Generator<void, T>;

interface Task {
  /** Whether there is nothing left to do. */
  runFor(sliceMs: number): boolean;
}

export type SearchScheduler = ReturnType<typeof createSearchScheduler>;

// Short, because whatever is asked meanwhile waits for its end.
const SLICE_MS = 4;

/**
 * Runs searches in slices, one after the other, and one slice of background work after each of them, so that a long
 * search holds up neither the others nor the index that would make it short. Messages are read between the slices.
 */
export function createSearchScheduler(clock: Pick<Clock, 'monotonicMs'>) {
  const searches = new Set<Task>();
  let background: Task | undefined;
  let isScheduled = false;

  function schedule(): void {
    if (isScheduled || (searches.size === 0 && background === undefined)) return;
    isScheduled = true;
    setImmediate(takeTurn);
  }

  function takeTurn(): void {
    isScheduled = false;
    const [search] = searches;
    if (search !== undefined) {
      // To the end of the line, if it has to go on.
      searches.delete(search);
      if (!search.runFor(SLICE_MS)) searches.add(search);
    }
    const task = background;
    if (task?.runFor(SLICE_MS) && background === task) background = undefined;
    schedule();
  }

  function toTask<T>(
    steps: Steps<T>,
    onEnd: (result: T) => void,
    onError: (error: unknown) => void,
  ): Task {
    return {
      runFor(sliceMs) {
        const endMs = clock.monotonicMs() + sliceMs;
        try {
          do {
            const step = steps.next();
            if (step.done !== true) continue;
            onEnd(step.value);
            return true;
          } while (clock.monotonicMs() < endMs);
          return false;
        } catch (error) {
          onError(error);
          return true;
        }
      },
    };
  }

  return {
    /** The returned function takes the search back. */
    search<T>(
      steps: Steps<T>,
      onEnd: (result: T) => void,
      onError: (error: unknown) => void,
    ): () => void {
      const task = toTask(steps, onEnd, onError);
      searches.add(task);
      schedule();
      return () => searches.delete(task);
    },
    /** In place of the background work before, if that has not ended. */
    background(steps: Steps<void>, onError: (error: unknown) => void): void {
      background = toTask(steps, () => {}, onError);
      schedule();
    },
    stop(): void {
      searches.clear();
      background = undefined;
    },
  };
}
