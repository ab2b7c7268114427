import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../../../../lib/platform/clock.ts';

/** A clock that the test moves. */
export function createManualClock() {
  let now = 0;
  const timers = new Map<symbol, { readonly dueMs: number; readonly run: () => void }>();
  const clock: Clock = {
    nowMs: () => now,
    monotonicMs: () => now,
    after(delayMs, run) {
      const timer = Symbol('timer');
      timers.set(timer, { dueMs: now + delayMs, run });
      return () => timers.delete(timer);
    },
  };

  function runNext(): void {
    const [next] = [...timers].sort(([, a], [, b]) => a.dueMs - b.dueMs);
    if (!next) return;
    timers.delete(next[0]);
    now = next[1].dueMs;
    next[1].run();
  }

  return {
    clock,
    /** Resolves with the result of `work`. Until then the clock moves to the next timer. */
    async until<T>(work: Promise<T>): Promise<T> {
      let settled = false;
      const done = () => {
        settled = true;
      };
      work.then(done, done);
      while (!settled) {
        await turn();
        if (!settled) runNext();
      }
      return work;
    },
  };
}
