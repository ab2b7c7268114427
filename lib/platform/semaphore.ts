import { abortable } from './abortable.ts';
import { createFifoQueue } from './fifo-queue.ts';

/** A fixed number of slots, granted in the order of the requests. */
export interface Semaphore {
  /**
   * Resolves with the function that releases the slot; only its first call counts. Rejects with the signal's reason when
   * it aborts first. An abort after the slot was granted releases nothing.
   */
  acquire(signal: AbortSignal): Promise<() => void>;
  /**
   * Runs `work` in a slot of its own. Rejects with the signal's reason at once on abort, also while `work` runs. The slot is
   * released only when `work` has settled: a decoder, for example, cannot be stopped.
   */
  run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>;
  /** How many slots are taken, and how many requests wait for one. */
  counts(): { readonly active: number; readonly waiting: number };
}

/** `limit` slots; infinity is a limit too. */
export function createSemaphore(limit: number): Semaphore {
  const waiting = createFifoQueue<() => void>();
  let active = 0;

  function grant(): () => void {
    active += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      active -= 1;
      // The next one is granted synchronously: a request that is made now cannot overtake it.
      waiting.dequeue()?.();
    };
  }

  function acquire(signal: AbortSignal): Promise<() => void> {
    if (signal.aborted) return Promise.reject(signal.reason);
    if (active < limit) return Promise.resolve(grant());
    return new Promise((resolve, reject) => {
      const remove = waiting.enqueue(() => {
        signal.removeEventListener('abort', onAbort);
        resolve(grant());
      });
      const onAbort = () => {
        remove();
        reject(signal.reason);
      };
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  return {
    acquire,

    async run(work, signal) {
      const release = await acquire(signal);
      const settle = async () => {
        try {
          signal.throwIfAborted();
          return await work();
        } finally {
          release();
        }
      };
      return abortable(settle(), signal);
    },

    counts: () => ({ active, waiting: waiting.size() }),
  };
}
