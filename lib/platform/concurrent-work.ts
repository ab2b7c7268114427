/**
 * Runs `work` for each item, at most `limit` at the same time. If a call fails or the signal aborts, begins no further item. Resolves
 * or rejects after all begun calls have ended. Rejects with the first failure, or with the signal's reason.
 */
export async function runForEach<T>(
  items: AsyncIterable<T>,
  { limit, signal }: { readonly limit: number; readonly signal: AbortSignal },
  work: (item: T) => Promise<void>,
): Promise<void> {
  // Each runner takes the next item. A runner that fails ends the iterator, so the other runners find no further item.
  const iterator = items[Symbol.asyncIterator]();
  const shared: AsyncIterable<T> = { [Symbol.asyncIterator]: () => iterator };
  const failures: unknown[] = [];
  const runner = async () => {
    for await (const item of shared) {
      signal.throwIfAborted();
      await work(item);
    }
  };
  const runners = Array.from({ length: limit }, () =>
    runner().catch((error: unknown) => void failures.push(error)),
  );
  await Promise.all(runners);
  if (failures.length > 0) throw failures[0];
}

/**
 * Runs both works at the same time. If one fails, aborts the signal of the other. Resolves with both results, or rejects with the first
 * failure, after both have ended.
 */
export async function runBoth<One, Other>(
  one: (signal: AbortSignal) => Promise<One>,
  other: (signal: AbortSignal) => Promise<Other>,
): Promise<readonly [One, Other]> {
  const stop = new AbortController();
  const run = async <T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    try {
      return await work(stop.signal);
    } catch (error) {
      // Only the first reason is kept.
      stop.abort(error);
      throw error;
    }
  };
  const works = [run(one), run(other)] as const;
  await Promise.allSettled(works);
  stop.signal.throwIfAborted();
  return Promise.all(works);
}
