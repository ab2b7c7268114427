/** The place of one piece of work in an order. */
export interface Place {
  /** Resolves when all earlier pieces of work have left their places. */
  reached(): Promise<void>;
  /** Lets the next piece of work take its step. A second call changes nothing. */
  leave(): void;
}

/** Creates the function that assigns places to pieces of work that run at the same time but must take one step in order. */
export function createPlaces(): () => Place {
  let last: Promise<unknown> = Promise.resolve();
  return () => {
    const earlier = last;
    const { promise: left, resolve: leave } = Promise.withResolvers<void>();
    last = Promise.all([earlier, left]);
    return {
      async reached() {
        await earlier;
      },
      leave,
    };
  };
}
