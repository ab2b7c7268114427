import type { PoolClient, QueryResult, QueryResultRow } from 'pg';
import { BridgeError } from '../../errors/bridge-error.ts';
import { toParameter } from './column-values.ts';
import { endsConnection, toStoreError } from './driver-errors.ts';

/** Runs one statement and resolves with its rows. */
type RunStatement = <Row>(text: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

/** The outcome of a transaction. The outcome is unknown if the reply to COMMIT is lost. */
export type Outcome<T> =
  | { readonly status: 'committed'; readonly value: T }
  | { readonly status: 'undone'; readonly error: unknown }
  | { readonly status: 'unknown'; readonly value: T; readonly error: unknown };

// The server ends a late statement of a transaction before the client gives up, so that the connection stays usable.
const REPLY_MARGIN_MS = 1000;

interface Options {
  /** The time limit of each statement, or 0 for no limit. */
  readonly limitMs: number;
  /** A statement that runs first, without parameters. */
  readonly first?: string;
}

/** Runs `work` in one READ COMMITTED transaction on a connection from the pool, and releases the connection. */
export async function runTransaction<T>(
  client: PoolClient,
  work: (rows: RunStatement) => Promise<T>,
  { limitMs, first = '' }: Options,
): Promise<Outcome<T>> {
  const rows: RunStatement = (text, values) => runStatement(client, text, values, limitMs);
  // The statements of one text need one round trip.
  const begin = `
    BEGIN ISOLATION LEVEL READ COMMITTED;
    SET LOCAL statement_timeout = ${limitMs};
    SET LOCAL idle_in_transaction_session_timeout = ${limitMs};
    ${first}`;
  let value: T;
  try {
    await send(client, { text: begin }, limitMs);
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
      ? { status: 'unknown', value, error }
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
