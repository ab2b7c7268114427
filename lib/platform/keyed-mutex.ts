/** Runs work under one key one after the other, in the order of the calls. Work under different keys runs side by side. */
export function createKeyedMutex() {
  const lastByKey = new Map<string, Promise<unknown>>();

  return {
    /** Settles as `work` does. Whether the work before it has failed does not matter. */
    async run<T>(key: string, work: () => Promise<T>): Promise<T> {
      const previous = lastByKey.get(key) ?? Promise.resolve();
      const current = previous.then(
        () => work(),
        () => work(),
      );
      lastByKey.set(key, current);
      try {
        return await current;
      } finally {
        if (lastByKey.get(key) === current) lastByKey.delete(key);
      }
    },

    /** How many keys have work that waits or runs. */
    size: () => lastByKey.size,
  };
}
