import type { Clock } from '../../lib/platform/clock.ts';

/** The timers of one process. They end with the process. */
export interface ProcessTimers {
  readonly clock: Clock;
  /** Deletes the timers. Later timers of the process never run. */
  end(): void;
}

/** A machine with a wall clock of its own. */
export interface Machine extends Pick<Clock, 'nowMs'> {
  /** Returns the clock of a process, whose timers end with the process. */
  openProcess(): ProcessTimers;
  /** Changes the wall time only, as an administrator or a time server does. */
  setWallClock(byMs: number): void;
  /** Stops all timers of the machine for a time, as the pause of a virtual machine does. Overdue timers run then, in their order. */
  freeze(forMs: number): void;
  isFrozen(): boolean;
  /** Ends a freeze. */
  thaw(): void;
}

/** A clock that stands still until the simulation moves it to the next timer. Its wall time is the true time. */
export interface VirtualClock extends Clock {
  openMachine(): Machine;
  /** Moves the time to the next timer and runs the timer. Returns false if there is no timer. */
  runNext(): boolean;
  /** Moves the time without running timers, as the suspension of a machine does. Overdue timers run next, in their order. */
  leap(ms: number): void;
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

  const nowMs = () => Math.floor(startMs + passedMs);
  const monotonicMs = () => passedMs;

  function openMachine(): Machine {
    const held: (() => void)[] = [];
    let wallOffsetMs = 0;
    let frozenUntilMs = 0;

    /** Runs a timer, or keeps it until the machine continues. */
    function runAwake(run: () => void): void {
      if (passedMs < frozenUntilMs) held.push(run);
      else run();
    }

    function thawIfOver(): void {
      if (passedMs < frozenUntilMs) return;
      // One after the other, so that the promises of a timer settle before the next timer.
      const next = held.shift();
      if (!next) return;
      after(0, thawIfOver);
      next();
    }

    const machineNowMs = () => nowMs() + wallOffsetMs;
    return {
      nowMs: machineNowMs,
      openProcess: () => openProcess({ nowMs: machineNowMs, monotonicMs, runAwake }),
      setWallClock(byMs) {
        wallOffsetMs += byMs;
      },
      freeze(forMs) {
        frozenUntilMs = Math.max(frozenUntilMs, passedMs + forMs);
        after(forMs, thawIfOver);
      },
      isFrozen: () => passedMs < frozenUntilMs,
      thaw() {
        frozenUntilMs = 0;
        thawIfOver();
      },
    };
  }

  /** Opens the timers of a process. */
  function openProcess({
    runAwake,
    ...times
  }: Pick<Clock, 'nowMs' | 'monotonicMs'> & {
    readonly runAwake: (run: () => void) => void;
  }): ProcessTimers {
    const own = new Set<() => void>();
    let isOver = false;
    return {
      clock: {
        ...times,
        after(delayMs, run) {
          if (isOver) return () => {};
          let isCancelled = false;
          const stop = after(delayMs, () =>
            runAwake(() => {
              own.delete(cancel);
              if (!isCancelled) run();
            }),
          );
          function cancel(): void {
            isCancelled = true;
            own.delete(cancel);
            stop();
          }
          own.add(cancel);
          return cancel;
        },
      },
      end() {
        isOver = true;
        for (const cancel of [...own]) cancel();
      },
    };
  }

  return {
    nowMs,
    monotonicMs,
    after,
    openMachine,
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
    sleep: (ms) => new Promise((resolve) => void after(ms, resolve)),
  };
}
