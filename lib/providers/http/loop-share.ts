import type { Clock } from '../../platform/clock.ts';

interface Waiting {
  readonly work: () => void;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

// Reading from the sockets takes several times as long in a turn, and so may the collection of garbage.
const SHARE_MS = 1;

export type LoopShare = ReturnType<typeof createLoopShare>;

/**
 * Small pieces of work that together take only so much of each turn of the event loop; what comes when that is used up
 * waits for the next turns, in order. Whoever waits reads no further, so that the network waits as well.
 */
export function createLoopShare(clock: Pick<Clock, 'monotonicMs'>) {
  const waiting: Waiting[] = [];
  let usedMs = 0;
  let isTurnOpen = false;

  function timed(work: () => void): void {
    const startMs = clock.monotonicMs();
    try {
      work();
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
      try {
        timed(next.work);
        next.resolve();
      } catch (thrown) {
        next.reject(thrown);
      }
    }
  }

  return {
    /** Does the work now, or in a later turn. Rejects with what it throws. */
    async run(work: () => void): Promise<void> {
      openTurn();
      if (waiting.length === 0 && usedMs < SHARE_MS) return timed(work);
      return new Promise((resolve, reject) => {
        waiting.push({ work, resolve, reject });
      });
    },
  };
}
