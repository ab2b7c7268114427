/** Creates a value on first use and caches the value. */
export function createOnce<T>(make: () => Promise<T>) {
  let made: Promise<T> | undefined;
  return {
    /** Resolves with the value. A failure is not cached: the next call tries again. */
    get(): Promise<T> {
      made ??= make().catch((error: unknown) => {
        made = undefined;
        throw error;
      });
      return made;
    },
    /** Returns the cached or pending value, or undefined if no value is cached or pending. */
    made: () => made,
    /** Drops the cached value, so that the next `get` creates a new value. */
    forget(): void {
      made = undefined;
    },
  };
}
