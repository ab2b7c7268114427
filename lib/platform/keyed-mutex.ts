export type KeyedMutex = ReturnType<typeof createKeyedMutex>;

/** Work under one key runs one after the other, as it comes; what has another key does not wait for it. */
export function createKeyedMutex() {
  const last = new Map<string, Promise<unknown>>();

  return {
    /** Resolves or rejects as `work` does, whatever became of the work before it. */
    async take<T>(key: string, work: () => Promise<T>): Promise<T> {
      const before = last.get(key) ?? Promise.resolve();
      const turn = before.then(
        () => work(),
        () => work(),
      );
      last.set(key, turn);
      try {
        return await turn;
      } finally {
        if (last.get(key) === turn) last.delete(key);
      }
    },

    /** How many keys have work under way. */
    size: () => last.size,
  };
}
