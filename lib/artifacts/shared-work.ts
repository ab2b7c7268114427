interface Running<T> {
  readonly outcome: Promise<T>;
  readonly controller: AbortController;
  waiting: number;
}

/** Work that several callers want at the same time is done once for all of them. */
export function createSharedWork<T>() {
  const running = new Map<string, Running<T>>();

  function start(key: string, work: (signal: AbortSignal) => Promise<T>): Running<T> {
    const controller = new AbortController();
    const shared = { outcome: work(controller.signal), controller, waiting: 0 };
    running.set(key, shared);
    const forget = () => {
      if (running.get(key) === shared) running.delete(key);
    };
    shared.outcome.then(forget, forget);
    return shared;
  }

  return {
    /**
     * Joins the work that runs under `key`, or starts it. Rejects with the signal's reason as soon as it aborts; the
     * work itself is aborted when the last caller has given up.
     */
    join(key: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
      if (signal.aborted) return Promise.reject(signal.reason);
      const shared = running.get(key) ?? start(key, work);
      shared.waiting += 1;
      return new Promise((resolve, reject) => {
        const giveUp = () => {
          shared.waiting -= 1;
          if (shared.waiting === 0) {
            // Out of the map first: the next caller must not join work that is being aborted.
            if (running.get(key) === shared) running.delete(key);
            shared.controller.abort(signal.reason);
          }
          reject(signal.reason);
        };
        signal.addEventListener('abort', giveUp, { once: true });
        shared.outcome
          .then(resolve, reject)
          .finally(() => signal.removeEventListener('abort', giveUp));
      });
    },
  };
}
