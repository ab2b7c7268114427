import { type CancellableWork, createRunningWork } from '../platform/running-work.ts';

interface Shared<T> extends CancellableWork<T> {
  waiting: number;
}

/** Creates a registry of running work in which concurrent callers with the same key share one run. */
export function createSharedWork<T>() {
  const works = createRunningWork();
  const running = new Map<string, Shared<T>>();

  function forget(key: string, shared: Shared<T>): void {
    if (running.get(key) === shared) running.delete(key);
  }

  function start(key: string, work: (signal: AbortSignal) => Promise<T>): Shared<T> {
    const shared = { ...works.start(work), waiting: 0 };
    running.set(key, shared);
    const ended = () => forget(key, shared);
    shared.result.then(ended, ended);
    return shared;
  }

  return {
    /**
     * Joins the work that runs under `key`, or starts `work`. Rejects with the reason of the signal as soon as the signal
     * aborts. The work itself is aborted when the signals of all its callers have aborted.
     */
    join(key: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
      if (signal.aborted) return Promise.reject(signal.reason);
      const shared = running.get(key) ?? start(key, work);
      shared.waiting += 1;
      return new Promise((resolve, reject) => {
        const giveUp = () => {
          shared.waiting -= 1;
          if (shared.waiting === 0) {
            // Remove the work from the map before aborting it, so that the next caller does not join aborted work.
            forget(key, shared);
            shared.cancel(signal.reason);
          }
          reject(signal.reason);
        };
        signal.addEventListener('abort', giveUp, { once: true });
        shared.result
          .then(resolve, reject)
          .finally(() => signal.removeEventListener('abort', giveUp));
      });
    },
  };
}
