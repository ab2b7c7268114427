import type { Clock } from '../../platform/clock.ts';

// Reading from the sockets takes several times as long in a turn, and so may the collection of garbage.
const SHARE_MS = 1;

export type LoopShare = ReturnType<typeof createLoopShare>;

/**
 * Small pieces of work that together take only so much of each turn of the event loop. When that is used up, the next
 * pieces wait for the next turns, in order. A caller that waits reads no further, and so the network waits as well.
 */
export function createLoopShare(clock: Pick<Clock, 'monotonicMs'>) {
  const waiting: (() => void)[] = [];
  let usedMs = 0;
  let isTurnOpen = false;

  function timed<T>(work: () => T): T {
    const startMs = clock.monotonicMs();
    try {
      return work();
    } finally {
      usedMs += clock.monotonicMs() - startMs;
    }
  }

  function openTurn(): void {
    if (isTurnOpen) return;
    isTurnOpen = true;
    setImmediate(nextTurn);
  }

  function nextTurn(): void {
    isTurnOpen = false;
    usedMs = 0;
    while (usedMs < SHARE_MS) {
      const next = waiting.shift();
      if (!next) return;
      openTurn();
      next();
    }
  }

  return {
    /** Does the work now, or in a later turn. Resolves with what it returns, rejects with what it throws. */
    async run<T>(work: () => T): Promise<T> {
      openTurn();
      if (waiting.length === 0 && usedMs < SHARE_MS) return timed(work);
      return new Promise((resolve, reject) => {
        waiting.push(() => {
          try {
            resolve(timed(work));
          } catch (thrown) {
            reject(thrown);
          }
        });
      });
    },
  };
}
