import { createFifoQueue } from './fifo-queue.ts';

/** A fixed number of places, taken in the order of asking. */
export interface Semaphore {
  /** Resolves with a function that gives the place back; rejects with the signal's reason when it aborts first. */
  acquire(signal: AbortSignal): Promise<() => void>;
}

/** Places for at most `limit` at a time. */
export function createSemaphore(limit: number): Semaphore {
  let taken = 0;
  const line = createFifoQueue<() => void>();

  function enter(): () => void {
    taken += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      taken -= 1;
      // The next one enters in this very step, so that nobody who comes now can overtake.
      line.next()?.();
    };
  }

  return {
    acquire(signal) {
      if (signal.aborted) return Promise.reject(signal.reason);
      if (taken < limit) return Promise.resolve(enter());
      return new Promise((resolve, reject) => {
        const leaveLine = line.join(() => {
          signal.removeEventListener('abort', giveUp);
          resolve(enter());
        });
        const giveUp = () => {
          leaveLine();
          reject(signal.reason);
        };
        signal.addEventListener('abort', giveUp, { once: true });
      });
    },
  };
}
