import type { Clock } from '../../platform/clock.ts';
import type { Connection } from './connection.ts';
import { isStoreRefusal, toStoreError } from './driver-errors.ts';

interface Write {
  /** Runs the work. May be called twice. Returns a function that resolves the promise of the caller. */
  run(): () => void;
  reject(reason: unknown): void;
}

// The maximum number of writes in a transaction. A full group takes less than ten milliseconds, or twenty if a write throws.
// Further writes wait for the next turn of the event loop.
const LARGEST_GROUP = 128;

// Callers whose writes were committed together write again within a few milliseconds, but not in the same turn. Waiting for them
// pays only if the sync of the disk takes long: otherwise the next group is better run while they prepare their writes.
const GATHERING_SHARE = 0.5;
// A timer may be a millisecond late, so shorter waits would take too long.
const MIN_GATHERING_MS = 2;

/**
 * Creates the function that runs all writes of one turn of the event loop in one transaction, with one sync of the disk. With a
 * clock, a transaction also waits for further writes if the last sync was slow. The wait ends when as many writes are waiting as
 * the larger of the last two transactions had, or after half the duration of that sync. Without this wait, the callers would split
 * into two groups, and each group would wait for the sync of the other.
 */
export function createGroupCommit(connection: Connection, clock?: Clock) {
  const nowMs = () => clock?.monotonicMs() ?? 0;
  const transaction = createTransaction(connection, rejectAlone, nowMs);
  const queue: Write[] = [];
  let scheduled = false;
  let refused = false;
  let last = { writes: 0, writesBefore: 0, gatheringMs: 0 };
  let stopGathering: (() => void) | undefined;

  /** Rejects one write. The other writes of the transaction continue. */
  function rejectAlone(write: Write, error: unknown): void {
    refused ||= isStoreRefusal(error);
    write.reject(toStoreError(error));
  }

  function flush(): void {
    scheduled = false;
    stopGathering?.();
    stopGathering = undefined;
    if (queue.length === 0) return;
    const group = queue.splice(0, LARGEST_GROUP);
    if (queue.length > 0) schedule();
    try {
      const { resolvers, syncMs } = transaction(group);
      last = {
        writes: group.length,
        writesBefore: last.writes,
        gatheringMs: syncMs * GATHERING_SHARE,
      };
      for (const resolver of resolvers) resolver();
    } catch (error) {
      refused = true;
      for (const write of group) write.reject(toStoreError(error));
    }
  }

  function schedule(): void {
    if (scheduled) return;
    scheduled = true;
    // Runs after the I/O callbacks of this turn. A microtask would run before most of these callbacks have requested their
    // writes.
    setImmediate(flush);
  }

  /** Schedules the commit for this turn, or for the end of the gathering time if more writes are expected. */
  function scheduleOrGather(): void {
    const { writes, writesBefore, gatheringMs } = last;
    const expected = Math.min(Math.max(writes, writesBefore), LARGEST_GROUP);
    if (!clock || gatheringMs < MIN_GATHERING_MS || queue.length >= expected) schedule();
    else stopGathering ??= clock.after(gatheringMs, flush);
  }

  return {
    /**
     * Runs the synchronous function `work` in the next transaction and resolves when that transaction is durable. An error that
     * `work` throws undoes this work alone. `work` runs again if an error undoes the first try of the group, so `work` must
     * change nothing except the database.
     */
    write<T>(work: () => T): Promise<T> {
      return new Promise((resolve, reject) => {
        queue.push({
          run() {
            const value = work();
            return () => resolve(value);
          },
          reject,
        });
        scheduleOrGather();
      });
    },

    /** Returns true if a write failed because of the disk or a lock of another program since the last `forgetRefusal`. */
    wasRefused: () => refused,

    forgetRefusal(): void {
      refused = false;
    },

    /** Commits all waiting writes immediately. */
    flushAll(): void {
      while (queue.length > 0) flush();
    },
  };
}

interface Committed {
  readonly resolvers: readonly (() => void)[];
  /** The duration of the commit, which consists of writing and syncing the log. */
  readonly syncMs: number;
}

function createTransaction(
  connection: Connection,
  rejectAlone: (write: Write, error: unknown) => void,
  nowMs: () => number,
): (group: readonly Write[]) => Committed {
  const begin = connection.prepare('BEGIN IMMEDIATE');
  const commit = connection.prepare('COMMIT');
  const rollback = connection.prepare('ROLLBACK');
  const save = connection.prepare('SAVEPOINT one_write');
  const release = connection.prepare('RELEASE one_write');
  const undo = connection.prepare('ROLLBACK TO one_write');

  function runAlone(write: Write): () => void {
    save.run();
    try {
      const resolver = write.run();
      release.run();
      return resolver;
    } catch (error) {
      // An error such as a full disk may end the whole transaction. In this case, SQLite has also undone the other writes.
      if (!connection.inTransaction) throw error;
      undo.run();
      release.run();
      return () => rejectAlone(write, error);
    }
  }

  function undoAll(): void {
    if (connection.inTransaction) rollback.run();
  }

  /** Returns undefined, with nothing changed, if one of the writes throws. */
  function runTogether(group: readonly Write[]): (() => void)[] | undefined {
    begin.run();
    try {
      return group.map((write) => write.run());
    } catch {
      undoAll();
      return undefined;
    }
  }

  function runEachAlone(group: readonly Write[]): (() => void)[] {
    begin.run();
    return group.map(runAlone);
  }

  return (group) => {
    try {
      // The first try uses no savepoints, because few writes throw. Savepoints copy every changed page, which is a sixth of the
      // cost of a write.
      const resolvers = runTogether(group) ?? runEachAlone(group);
      const startMs = nowMs();
      commit.run();
      return { resolvers, syncMs: nowMs() - startMs };
    } catch (error) {
      undoAll();
      throw error;
    }
  };
}
