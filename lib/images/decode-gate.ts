import { abortable } from '../platform/abortable.ts';
import { createFifoQueue } from '../platform/fifo-queue.ts';

export type DecodeGate = ReturnType<typeof createDecodeGate>;

/** Lets at most `places` pieces of work run at a time, first come, first served. */
export function createDecodeGate(places: number) {
  const waiting = createFifoQueue<() => void>();
  let taken = 0;

  function enter(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      if (taken < places) {
        taken += 1;
        resolve();
        return;
      }
      const admit = () => {
        signal.removeEventListener('abort', quit);
        resolve();
      };
      const quit = () => {
        quitLine();
        reject(signal.reason);
      };
      const quitLine = waiting.join(admit);
      signal.addEventListener('abort', quit, { once: true });
    });
  }

  /** Hands the place to whoever waits longest, else frees it. */
  function leave(): void {
    const next = waiting.next();
    if (next === undefined) taken -= 1;
    else next();
  }

  async function occupy<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } finally {
      leave();
    }
  }

  return {
    /**
     * Runs `work` once there is a place. Rejects with the signal's reason on abort, at once, waiting or running; but the
     * place of running work becomes free only when that work has really ended: a decoder cannot be stopped.
     */
    async run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
      await enter(signal);
      if (signal.aborted) {
        leave();
        throw signal.reason;
      }
      return abortable(occupy(work), signal);
    },
  };
}
