/** A value that is created on first use and then cached. */
export interface Once<T> {
  /** Resolves with the value. A failure is not cached: the next call tries again. */
  get(): Promise<T>;
  /** Returns the cached or pending value, or undefined if no value is cached or pending. */
  made(): Promise<T> | undefined;
  /** Drops the cached value, so that the next `get` creates a new value. */
  forget(): void;
}

export function createOnce<T>(make: () => Promise<T>): Once<T> {
  let made: Promise<T> | undefined;
  return {
    get() {
      made ??= make().catch((error: unknown) => {
        made = undefined;
        throw error;
      });
      return made;
    },
    made: () => made,
    forget() {
      made = undefined;
    },
  };
}
