/**
 * Creates a mutex that runs work with the same key sequentially, in the order of the calls. Work with different keys runs
 * concurrently.
 */
export function createKeyedMutex() {
  const lastByKey = new Map<string, Promise<unknown>>();

  return {
    /** Runs `work` after all earlier work with the same key has settled, and settles like `work`. */
    async run<T>(key: string, work: () => Promise<T>): Promise<T> {
      const previous = lastByKey.get(key) ?? Promise.resolve();
      const current = previous.then(work, work);
      lastByKey.set(key, current);
      try {
        return await current;
      } finally {
        if (lastByKey.get(key) === current) lastByKey.delete(key);
      }
    },

    /** Returns the number of keys with waiting or running work. */
    size: () => lastByKey.size,
  };
}
