import type { Clock } from '../../lib/platform/clock.ts';

/** The timers of one process. They end with the process. */
export interface ProcessTimers {
  readonly clock: Clock;
  /** Deletes the timers. Later timers of the process never run. */
  end(): void;
}

/** A clock that stands still until the simulation moves it to the next timer. */
export interface VirtualClock extends Clock {
  /** Returns the clock of a process, whose timers end with the process. */
  openProcess(): ProcessTimers;
  /** Moves the time to the next timer and runs the timer. Returns false if there is no timer. */
  runNext(): boolean;
  /** Moves the time without running timers, as the suspension of a machine does. Overdue timers run next, in their order. */
  leap(ms: number): void;
  /** Changes the wall time only, as an administrator or a time server does. */
  setWallClock(byMs: number): void;
  sleep(ms: number): Promise<void>;
}

interface Timer {
  readonly dueMs: number;
  readonly order: number;
  readonly run: () => void;
}

export function createVirtualClock(startMs: number): VirtualClock {
  /** Sorted, the next timer last. */
  const timers: Timer[] = [];
  let order = 0;
  let passedMs = 0;
  let wallOffsetMs = 0;

  /** Returns the index at which a timer is inserted. */
  function indexFor(dueMs: number): number {
    let [low, high] = [0, timers.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      // A new timer runs after the earlier timers of the same time.
      if ((timers[middle] as Timer).dueMs > dueMs) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  function remove(timer: Timer): void {
    const index = timers.indexOf(timer);
    if (index >= 0) timers.splice(index, 1);
  }

  function after(delayMs: number, run: () => void): () => void {
    order += 1;
    const timer = { dueMs: passedMs + Math.max(delayMs, 0), order, run };
    timers.splice(indexFor(timer.dueMs), 0, timer);
    return () => remove(timer);
  }

  const nowMs = () => Math.floor(startMs + passedMs + wallOffsetMs);
  const monotonicMs = () => passedMs;

  return {
    nowMs,
    monotonicMs,
    after,
    openProcess() {
      const own = new Set<() => void>();
      let isOver = false;
      return {
        clock: {
          nowMs,
          monotonicMs,
          after(delayMs, run) {
            if (isOver) return () => {};
            const cancel = after(delayMs, () => {
              own.delete(cancel);
              run();
            });
            own.add(cancel);
            return () => {
              own.delete(cancel);
              cancel();
            };
          },
        },
        end() {
          isOver = true;
          for (const cancel of own) cancel();
          own.clear();
        },
      };
    },
    runNext() {
      const next = timers.pop();
      if (!next) return false;
      passedMs = Math.max(passedMs, next.dueMs);
      next.run();
      return true;
    },
    leap(ms) {
      passedMs += ms;
    },
    setWallClock(byMs) {
      wallOffsetMs += byMs;
    },
    sleep: (ms) => new Promise((resolve) => void after(ms, resolve)),
  };
}
