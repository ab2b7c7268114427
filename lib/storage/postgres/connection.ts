import { Pool, type PoolClient } from 'pg';
import { BridgeError } from '../../errors/bridge-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Ids } from '../../platform/ids.ts';
import { type Attempt, createAttempts, type MarkedOutcome, pause, runOrUndo } from './attempts.ts';
import { toParser } from './column-values.ts';
import { type CommitMarker, createCommitMarkers } from './commit-markers.ts';
import { copyIn } from './copy-in.ts';
import { endsConnection, isLost, toStoreError } from './driver-errors.ts';
import { createUndo } from './repeated-writes.ts';
import { type Outcome, runStatement, runTransaction } from './transaction.ts';

/** Runs statements. Rejects with `overloaded` if the database is unavailable, and with `internal` for any other failure. */
export interface Queries {
  /**
   * Runs one statement with the parameters `$1`, `$2` and so on. Columns of the types `bigint` and `numeric` become numbers. Texts
   * may contain NUL, which is stored as an escape sequence. The parameter undefined is NULL.
   */
  rows<Row>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
}

/** Runs statements, and adds many rows at once. */
interface BulkQueries extends Queries {
  /** See `copyIn`. */
  copy(target: string, rows: readonly (readonly (string | number | null)[])[]): Promise<void>;
}

/** The part of the database that stores use. */
export interface Postgres {
  /** The quoted name of the schema. Statements name every table as `${schema}.job`. */
  readonly schema: string;
  /** The id of this replica in the rows that it owns. */
  readonly owner: string;
  /** Runs statements without a transaction, each on any connection. A statement whose connection is lost is repeated once. */
  read<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
  /**
   * Runs one statement as a transaction of its own, in one round trip instead of the three of `write`. Resolves when the statement
   * is durable. The statement is repeated once if its connection is lost, so a second run must be harmless. If the statement
   * rejects with `overloaded`, it may have been committed.
   */
  apply: Queries['rows'];
  /**
   * Runs `work` in one READ COMMITTED transaction, and resolves when the transaction is durable. An error that `work` throws
   * undoes the transaction. `work` is repeated after a conflict with another transaction or a lost connection, so `work` must
   * change nothing except the database. If the reply to COMMIT is lost, the database is asked for the outcome. Rejects with
   * `overloaded` if the outcome cannot be found in time; in this case, the transaction may have been committed.
   */
  write<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
  /** Prepares a write that its caller repeats until the write succeeds, and that must not take effect twice. */
  attempt<T>(work: (queries: Queries) => Promise<T>): Attempt<T>;
  /**
   * Runs `work` as `write` does. If the outcome of the transaction cannot be found in time, rejects, continues to ask for the
   * outcome, and calls `undo` with the value of `work` if the transaction was committed. `undo` is called again if it rejects.
   */
  writeOrUndo<T>(
    work: (queries: Queries) => Promise<T>,
    undo: (value: T) => Promise<unknown>,
  ): Promise<T>;
}

export interface ConnectionOptions {
  /** A connection URL (https://www.postgresql.org/docs/current/libpq-connect.html). */
  readonly url: string;
  /** The quoted name of the schema. */
  readonly schema: string;
  readonly owner: string;
  readonly maxConnections: number;
  /** The time limit of one statement, and of the wait for a connection. */
  readonly statementTimeoutMs: number;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'newFraction'>;
}

export interface Connection extends Postgres {
  /**
   * Runs `work` as `write` does, but without a time limit for its statements and without repetition. If the reply to COMMIT is lost,
   * the database is asked for the outcome only if the transaction `isMarked`, which needs the tables of the schema.
   */
  writeOnce<T>(
    work: (queries: BulkQueries) => Promise<T>,
    options?: { readonly isMarked: boolean },
  ): Promise<T>;
  /** Resolves when all pending work has ended and all connections are closed. */
  close(): Promise<void>;
}

// The time limit for finding the outcome of a transaction, in time limits of a statement.
const LOOK_UP_LIMITS = 2;
const LOOK_UP_PAUSE_MS = 100;

/**
 * Connects to the database with a pool. Uses unnamed statements and no session state, so that the connections may pass through a
 * pooler that assigns a connection to each transaction. Does not check that the server can be reached.
 */
export function createConnection(options: ConnectionOptions): Connection {
  const { schema, owner, statementTimeoutMs, clock, ids } = options;
  const pool = createPool(options);
  const markers = createCommitMarkers(options);
  let isClosed = false;
  const findOutcome = createLookUp(options, () => isClosed);

  async function acquire(): Promise<PoolClient> {
    if (isClosed) throw new BridgeError('overloaded', 'the bridge is stopping');
    try {
      return await pool.connect();
    } catch (error) {
      throw toStoreError(error);
    }
  }

  async function runAlone<Row>(text: string, values?: readonly unknown[]): Promise<readonly Row[]> {
    const client = await acquire();
    try {
      const rows = await runStatement<Row>(client, text, values, statementTimeoutMs);
      client.release();
      return rows;
    } catch (error) {
      client.release(endsConnection(error));
      throw error;
    }
  }

  const apply: Queries['rows'] = (text, values) => repeatLost(() => runAlone(text, values));

  /** Runs one transaction, and finds its outcome if the reply to COMMIT is lost. */
  async function transact<T>(
    work: (queries: Queries, client: PoolClient) => Promise<T>,
    limitMs = statementTimeoutMs,
  ): Promise<MarkedOutcome<T>> {
    const client = await acquire();
    const marker = markers.take();
    const options = { limitMs, first: marker.sql };
    const outcome = await runTransaction(client, (rows) => work({ rows }, client), options);
    if (outcome.status === 'unknown') return { ...outcome, status: await lookUp(marker), marker };
    if (outcome.status === 'committed' || !endsConnection(outcome.error)) markers.release(marker);
    return { ...outcome, marker };
  }

  /** Asks the server for the outcome of a transaction. */
  async function lookUp(marker: CommitMarker): Promise<Outcome<unknown>['status']> {
    const status = await findOutcome(marker, () => runAlone(markers.findLast(marker)));
    if (status !== 'unknown') markers.release(marker);
    return status;
  }

  const undoLater = createUndo(clock);
  const toAttempt = createAttempts({ clock, ids, lookUp });
  const attempt = <T>(work: (queries: Queries) => Promise<T>) => toAttempt(() => transact(work));

  async function runUnmarked<T>(
    work: (queries: Queries, client: PoolClient) => Promise<T>,
  ): Promise<Outcome<T>> {
    const client = await acquire();
    return runTransaction(client, (rows) => work({ rows }, client), { limitMs: 0 });
  }

  return {
    schema,
    owner,
    apply,
    read: (work) => work({ rows: apply }),

    write: (work) => attempt(work).run(),
    attempt,

    writeOrUndo: (work, undo) => runOrUndo(attempt(work), undo, undoLater),

    async writeOnce(work, { isMarked } = { isMarked: false }) {
      const bulk = ({ rows }: Queries, client: PoolClient) =>
        work({ rows, copy: copyIn.bind(undefined, client) });
      const outcome = isMarked ? await transact(bulk, 0) : await runUnmarked(bulk);
      if (outcome.status === 'committed') return outcome.value;
      throw outcome.error;
    },

    async close() {
      const wasClosed = isClosed;
      isClosed = true;
      if (!wasClosed) await pool.end();
    },
  };
}

/** Creates the function that asks the server for the outcome of a transaction within a time limit. */
function createLookUp(
  { statementTimeoutMs, clock }: Pick<ConnectionOptions, 'statementTimeoutMs' | 'clock'>,
  isClosed: () => boolean,
) {
  return async (
    { transaction }: CommitMarker,
    ask: () => Promise<readonly { readonly transaction: number }[]>,
  ): Promise<Outcome<unknown>['status']> => {
    const untilMs = clock.monotonicMs() + LOOK_UP_LIMITS * statementTimeoutMs;
    while (!isClosed() && clock.monotonicMs() < untilMs) {
      try {
        const [last] = await ask();
        return last?.transaction === transaction ? 'committed' : 'undone';
      } catch {
        await pause(clock, LOOK_UP_PAUSE_MS);
      }
    }
    return 'unknown';
  };
}

/** Runs a statement, and repeats the statement once if its connection is lost. */
function repeatLost<T>(run: () => Promise<T>): Promise<T> {
  return run().catch((error: unknown) => {
    if (!isLost(error)) throw error;
    return run();
  });
}

function createPool({ url, maxConnections, statementTimeoutMs }: ConnectionOptions): Pool {
  const pool = new Pool({
    connectionString: url,
    max: maxConnections,
    connectionTimeoutMillis: statementTimeoutMs,
    keepAlive: true,
    types: { getTypeParser: toParser },
  });
  // Without a listener, a lost connection would end the process. The next statement reports the loss.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}
