import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../../../../lib/platform/clock.ts';

/**
 * A clock that starts with the real time, because file times are compared with it, and then moves only when a test
 * moves it.
 */
export function createHandClock() {
  const startMs = Date.now();
  let movedMs = 0;
  const timers = new Map<symbol, { readonly dueMs: number; readonly run: () => void }>();
  const clock: Clock = {
    nowMs: () => startMs + movedMs,
    monotonicMs: () => movedMs,
    after(delayMs, run) {
      const timer = Symbol('timer');
      timers.set(timer, { dueMs: movedMs + delayMs, run });
      return () => timers.delete(timer);
    },
  };

  function advance(ms: number): void {
    const endMs = movedMs + ms;
    for (;;) {
      const [next] = [...timers].sort(([, a], [, b]) => a.dueMs - b.dueMs);
      if (!next || next[1].dueMs > endMs) break;
      timers.delete(next[0]);
      movedMs = Math.max(movedMs, next[1].dueMs);
      next[1].run();
    }
    movedMs = endMs;
  }

  return {
    clock,
    /** Moves the time and runs the timers that become due. */
    advance,
    /** Resolves once a timer is waiting. */
    async waited(): Promise<void> {
      while (timers.size === 0) await turn();
    },
    /** Resolves with the result of `work`. Until then every timer fires at once. */
    async until<T>(work: Promise<T>): Promise<T> {
      let isSettled = false;
      const done = () => {
        isSettled = true;
      };
      work.then(done, done);
      while (!isSettled) {
        await turn();
        const [nextMs] = [...timers.values()].map(({ dueMs }) => dueMs).sort((a, b) => a - b);
        if (!isSettled && nextMs !== undefined) advance(nextMs - movedMs);
      }
      return work;
    },
  };
}
