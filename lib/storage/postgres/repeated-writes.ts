import type { Clock } from '../../platform/clock.ts';

const REPEAT_MS = 1000;

/**
 * Creates a function that runs a write, and repeats the write later if it fails. The function resolves after the first attempt. Used
 * for writes that nobody else repeats. The writes must be idempotent. While the database is unavailable, only one of the failed
 * writes is tried each second. If `maxFailed` failed writes wait, a further failed write is not repeated.
 */
export function createRepeatedWrites(
  clock: Pick<Clock, 'after'>,
  maxFailed = Number.POSITIVE_INFINITY,
) {
  const failed: (() => Promise<void>)[] = [];
  const repeatLater = () => void clock.after(REPEAT_MS, () => void repeat());

  /** Repeats the failed writes in their order until one of them fails again. */
  async function repeat(): Promise<void> {
    for (let [next] = failed; next; [next] = failed) {
      const error = await next().then(
        () => undefined,
        () => true,
      );
      failed.shift();
      if (!error) continue;
      // A write that always fails must not block the writes behind it.
      failed.push(next);
      repeatLater();
      return;
    }
  }

  return async function repeatUntilDone(write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch {
      if (failed.length >= maxFailed) return;
      failed.push(write);
      if (failed.length === 1) repeatLater();
    }
  };
}

// Each connection of the pool may have one transaction whose reply is lost. Later attempts fail before they reach the server.
const MAX_UNKNOWN = 1000;

/**
 * Creates a function that undoes attempts whose outcome is unknown, because the reply of the database was lost. During a long outage,
 * only the first attempts may have had an effect, so later attempts are not undone.
 */
export function createUndo(clock: Pick<Clock, 'after'>) {
  return createRepeatedWrites(clock, MAX_UNKNOWN);
}
