import { runAndRelease } from './abortable.ts';
import { createFifoQueue } from './fifo-queue.ts';

/** A fixed number of slots that are granted in the order of the requests. */
export interface Semaphore {
  /**
   * Resolves with a function that releases the slot. Only the first call of the function has an effect. Rejects with the
   * signal's reason if the signal aborts before the slot is granted. A later abort does not release the slot.
   */
  acquire(signal: AbortSignal): Promise<() => void>;
  /**
   * Runs `work` in a slot. Rejects with the signal's reason immediately on abort, even while `work` runs. The slot is released
   * when `work` has settled, because some work, such as a decoder, cannot be stopped.
   */
  run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>;
  /** Returns the number of occupied slots and of waiting requests. */
  counts(): { readonly active: number; readonly waiting: number };
}

/** Creates a semaphore with `limit` slots. The limit may be Infinity. */
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
      // The next waiting request is granted synchronously, so that a new request cannot overtake it.
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
      return runAndRelease(await acquire(signal), work, signal);
    },

    counts: () => ({ active, waiting: waiting.size() }),
  };
}
