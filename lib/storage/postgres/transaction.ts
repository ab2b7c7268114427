import type { PoolClient, QueryResult, QueryResultRow } from 'pg';
import * as v from 'valibot';
import { BridgeError } from '../../errors/bridge-error.ts';
import { toParameter } from './column-values.ts';
import { endsConnection, toStoreError } from './driver-errors.ts';

/** Runs one statement and resolves with its rows. */
type RunStatement = <Row>(text: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

/** The outcome of a transaction. It is unknown if the reply to COMMIT is lost. */
export type Outcome<T> =
  | { readonly status: 'committed'; readonly value: T }
  | { readonly status: 'undone'; readonly error: unknown }
  | {
      readonly status: 'unknown';
      readonly value: T;
      readonly error: unknown;
      readonly transactionId: string;
    };

// The server ends a late statement of a transaction before the client gives up, so that the connection stays usable.
const REPLY_MARGIN_MS = 1000;

const BeginResults = v.tuple([
  v.unknown(),
  v.unknown(),
  v.unknown(),
  v.object({ rows: v.tuple([v.object({ id: v.string() })]) }),
]);

/**
 * Runs `work` in one READ COMMITTED transaction on a connection from the pool, and releases the connection. Each statement has
 * `limitMs`, or no time limit if `limitMs` is 0.
 */
export async function runTransaction<T>(
  client: PoolClient,
  work: (rows: RunStatement) => Promise<T>,
  limitMs: number,
): Promise<Outcome<T>> {
  const rows: RunStatement = (text, values) => runStatement(client, text, values, limitMs);
  let transactionId: string;
  let value: T;
  try {
    transactionId = await begin(client, limitMs);
    value = await work(rows);
  } catch (error) {
    client.release(endsConnection(error) || !(await isRolledBack(client, limitMs)));
    return { status: 'undone', error };
  }
  try {
    const { command } = await send(client, { text: 'COMMIT' }, limitMs);
    client.release();
    if (command === 'COMMIT') return { status: 'committed', value };
    // The server answers ROLLBACK if `work` has ignored the failure of a statement.
    const error = new BridgeError('internal', 'a failed statement of a transaction was ignored');
    return { status: 'undone', error };
  } catch (error) {
    client.release(true);
    return endsConnection(error)
      ? { status: 'unknown', value, error, transactionId }
      : { status: 'undone', error };
  }
}

/** Runs one statement. Rejects with a store error. */
export async function runStatement<Row>(
  client: PoolClient,
  text: string,
  values: readonly unknown[] = [],
  limitMs: number,
): Promise<readonly Row[]> {
  const result: unknown = await send(client, { text, values: values.map(toParameter) }, limitMs);
  // The driver returns an array for a text of several statements. The cast is safe because the caller states the type of its rows.
  return Array.isArray(result) ? [] : (result as QueryResult<Row & QueryResultRow>).rows;
}

/** Begins a transaction, and resolves with its id, which can be used to ask for its outcome. */
async function begin(client: PoolClient, limitMs: number): Promise<string> {
  // The statements of one text need one round trip.
  const text = `
    BEGIN ISOLATION LEVEL READ COMMITTED;
    SET LOCAL statement_timeout = ${limitMs};
    SET LOCAL idle_in_transaction_session_timeout = ${limitMs};
    SELECT pg_current_xact_id()::text AS id`;
  const results: unknown = await send(client, { text }, limitMs);
  return v.parse(BeginResults, results)[3].rows[0].id;
}

/** Rolls back, and resolves with false if the connection must not be used again. */
async function isRolledBack(client: PoolClient, limitMs: number): Promise<boolean> {
  try {
    await send(client, { text: 'ROLLBACK' }, limitMs);
    return true;
  } catch {
    return false;
  }
}

async function send(
  client: PoolClient,
  query: { readonly text: string; readonly values?: unknown[] },
  limitMs: number,
) {
  try {
    // The types of the package lack this option (https://node-postgres.com/apis/client).
    const limited = { ...query, query_timeout: limitMs === 0 ? 0 : limitMs + REPLY_MARGIN_MS };
    return await client.query(limited);
  } catch (error) {
    throw toStoreError(error);
  }
}
