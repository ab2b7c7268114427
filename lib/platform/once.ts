/** A value that is made when it is first asked for, and kept. */
export interface Once<T> {
  /** A failure is not kept: the next call tries again. */
  get(): Promise<T>;
  /** What was made, or is being made; undefined where nothing is kept. */
  made(): Promise<T> | undefined;
  /** The next call of `get` makes another one. */
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
