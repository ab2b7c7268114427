import type { Clock } from '../../../lib/platform/clock.ts';

/** A wait below this limit ends in the next turn of the event loop, so that a simulation runs fast. */
const HELD_FROM_MS = 15_000;

export interface SimulatedClock extends Clock {
  /** Advances the time and runs the timers that are due by then. */
  advance(ms: number): void;
  /** Deletes all timers, as the end of a process does. */
  forgetTimers(): void;
}

interface Timer {
  readonly dueMs: number;
  readonly run: () => void;
}

/** A clock that stands still until a simulation advances it. Short waits, such as those before retries, end at once. */
export function createSimulatedClock(startMs: number): SimulatedClock {
  const held = new Set<Timer>();
  let passedMs = 0;
  let life = 0;

  return {
    nowMs: () => startMs + passedMs,
    monotonicMs: () => passedMs,
    after(delayMs, run) {
      if (delayMs >= HELD_FROM_MS) {
        const timer = { dueMs: passedMs + delayMs, run };
        held.add(timer);
        return () => held.delete(timer);
      }
      const own = life;
      const immediate = setImmediate(() => {
        if (life === own) run();
      });
      return () => clearImmediate(immediate);
    },
    advance(ms) {
      passedMs += ms;
      for (const timer of [...held].sort((one, other) => one.dueMs - other.dueMs)) {
        if (timer.dueMs <= passedMs && held.delete(timer)) timer.run();
      }
    },
    forgetTimers() {
      life += 1;
      held.clear();
    },
  };
}
