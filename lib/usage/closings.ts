import type { TraceLog } from '../log/trace-log.ts';
import { type Clock, sleep } from '../platform/clock.ts';

interface Deps {
  readonly clock: Clock;
  readonly log: Pick<TraceLog, 'failure'>;
}

/** Closes one account in the store. */
type Closing = () => Promise<void>;

// A store may refuse to write for hours; until then what has ended waits in memory.
const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 10_000;
// A few megabytes. Each was opened in the store, which therefore took writes not long before.
const MOST_WAITING = 10_000;

export type Closings = ReturnType<typeof createClosings>;

/**
 * Closes accounts without making their requests wait, in the next transaction of the store. A closing that the store refuses
 * is tried again until the store takes it.
 */
export function createClosings({ clock, log }: Deps) {
  const writing = new Set<Promise<void>>();
  const refused: Closing[] = [];
  const ending = new AbortController();
  let retrying: Promise<void> | undefined;

  async function write(closing: Closing): Promise<void> {
    try {
      await closing();
    } catch (error) {
      if (refused.length === 0) log.failure(error, { task: 'usage' });
      // A closing that is dropped stays open in the store. The next start counts it as unknown.
      if (refused.length < MOST_WAITING) refused.push(closing);
      retrying ??= retry().catch(() => {});
    }
  }

  async function writeRefused(): Promise<void> {
    for (let [first] = refused; first; [first] = refused) {
      await first();
      refused.shift();
    }
  }

  async function retry(): Promise<void> {
    for (let waitMs = FIRST_RETRY_MS; refused.length > 0; ) {
      await sleep(clock, waitMs, ending.signal);
      await writeRefused().catch(() => {});
      waitMs = Math.min(waitMs * 2, LAST_RETRY_MS);
    }
    retrying = undefined;
  }

  /** Resolves when each closing that was begun is durable or refused. */
  async function settled(): Promise<void> {
    await Promise.all(writing);
  }

  return {
    /** Begins to close an account. */
    close(closing: Closing): void {
      const written = write(closing).finally(() => writing.delete(written));
      writing.add(written);
    },

    settled,

    /** Tries refused closings once more, and then no longer. */
    async end(): Promise<void> {
      ending.abort(new Error('the bridge is stopping'));
      await settled();
      await retrying;
      await writeRefused().catch(() => {});
    },

    /** How many closings the store has refused so far. */
    waiting: (): number => refused.length,
  };
}
