import type { Clock } from '../../lib/platform/clock.ts';

export interface ManualClock extends Clock {
  /** Advances the time. Timers run in order. Promises that a timer resolves continue before the next timer. */
  advance(ms: number): Promise<void>;
  /** Returns the number of timers that have not run. */
  readonly waiting: number;
}

interface Timer {
  readonly dueMs: number;
  readonly run: () => void;
}

const START_MS = Date.UTC(2025, 0, 1);

/** A clock that stands still until a test advances it. */
export function createManualClock(): ManualClock {
  const timers = new Set<Timer>();
  let passedMs = 0;

  return {
    nowMs: () => START_MS + passedMs,
    monotonicMs: () => passedMs,
    after(delayMs, run) {
      const timer = { dueMs: passedMs + Math.max(delayMs, 0), run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    async advance(ms) {
      const endMs = passedMs + ms;
      await promisesToSettle();
      for (;;) {
        const [next] = [...timers].sort((one, other) => one.dueMs - other.dueMs);
        if (!next || next.dueMs > endMs) break;
        timers.delete(next);
        passedMs = next.dueMs;
        next.run();
        await promisesToSettle();
      }
      passedMs = endMs;
    },
    get waiting() {
      return timers.size;
    },
  };
}

/** Resolves after all promises that depend only on other promises. */
function promisesToSettle(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
