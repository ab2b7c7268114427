import * as v from 'valibot';
import { BridgeError } from '../../errors/bridge-error.ts';
import { ARTIFACT_COLUMNS, ArtifactRow } from '../artifact-rows.ts';
import { foldPrompt } from '../jobs/fold-prompt.ts';
import {
  MOVED_TABLES,
  movedColumns,
  movedOrderSql,
  movedRowsSql,
  ONE_ROW_TABLES,
} from '../move/moved-tables.ts';
import { digestSql } from '../move/row-digest.ts';
import type { MovedRow, MoveSource, MoveTarget, TableDigest } from '../state-move-port.ts';
import type { StateReader } from '../state-reader-port.ts';
import type { Connection, Queries } from './connection.ts';
import { sqlState } from './driver-errors.ts';
import { NOW_MS } from './replica-lease.ts';

const PAGE_ROWS = 500;
// A lost reply to COMMIT must not make a complete move look like a failed move.
const MARKED = { isMarked: true };
const LOCK_UNAVAILABLE = '55P03';

/** Runs `work` with the rows of a state whose replicas have all stopped. No replica can start before `work` has ended. */
export function moveOut<T>(
  connection: Connection,
  { artifacts, jobs }: Pick<StateReader, 'artifacts' | 'jobs'>,
  work: (source: MoveSource) => Promise<T>,
): Promise<T> {
  const { schema } = connection;
  return connection.writeOnce(async (queries) => {
    const { rows } = queries;
    await holdStill(queries, schema);
    const [found] = await rows<Pick<MoveSource, 'secret' | 'lastSequence'>>(`
      SELECT value AS secret, last_seq AS "lastSequence"
      FROM ${schema}.meta, ${schema}.job_total WHERE name = 'secret'`);
    if (found === undefined) throw new BridgeError('internal', 'the state has no secret');
    return work({
      ...found,
      ...createTables(queries, schema),
      artifacts,
      jobs,
      async listIntents({ after, limit }) {
        const sql = `
          SELECT ${ARTIFACT_COLUMNS} FROM ${schema}.artifact
          WHERE state = 'pending' AND id > $1 ORDER BY id LIMIT $2`;
        return v.parse(v.array(ArtifactRow), await rows(sql, [after, limit]));
      },
      async *read(table, columns) {
        await rows(`
          DECLARE moved NO SCROLL CURSOR FOR
          SELECT ${columns.join(', ')} FROM ${schema}.${table} WHERE ${movedRowsSql(table)}
          ${movedOrderSql(columns)}`);
        for (;;) {
          const page = await rows<Record<string, string | number | null>>(
            `FETCH ${PAGE_ROWS} FROM moved`,
          );
          if (page.length === 0) break;
          yield page.map((row) => columns.map((column) => row[column] ?? null));
        }
        await rows('CLOSE moved');
      },
      // Another transaction, because the queue must be paused before the move has ended.
      pauseQueue: () =>
        connection.write(async (others) => {
          await others.rows(`UPDATE ${schema}.queue SET paused = 1`);
        }),
    });
  }, MARKED);
}

/**
 * Runs `work` with an empty state. If `work` fails, the state stays empty, because everything is one transaction. Throws
 * `configuration` if the state has rows or a replica is running.
 */
export function moveIn<T>(
  connection: Connection,
  work: (target: MoveTarget) => Promise<T>,
): Promise<T> {
  const { schema } = connection;
  return connection.writeOnce(async (queries) => {
    const { rows } = queries;
    await holdStill(queries, schema);
    await refuseRows(queries, schema);
    let restoreIndexes: (() => Promise<void>) | undefined;
    return work({
      ...createTables(queries, schema),
      async write(table, columns, page) {
        restoreIndexes ??= await dropIndexes(queries, schema);
        await queries.copy(`${schema}.${table} (${columns.join(', ')})`, page);
        if (table === 'job') {
          await queries.copy(`${schema}.job_text (seq, scope, folded)`, toTexts(columns, page));
        }
      },
      async complete({ secret, lastSequence }) {
        await rows(`UPDATE ${schema}.meta SET value = $1 WHERE name = 'secret'`, [secret]);
        await rows(`UPDATE ${schema}.job_total SET last_seq = $1`, [lastSequence]);
        await restoreIndexes?.();
        await rows(`
          INSERT INTO ${schema}.job_scope (scope, changes)
          SELECT scope, max(change) FROM ${schema}.job_change GROUP BY scope
          ON CONFLICT (scope) DO UPDATE SET changes = excluded.changes`);
        for (const table of MOVED_TABLES) await rows(`ANALYZE ${schema}.${table}`);
      },
    });
  }, MARKED);
}

/**
 * Keeps replicas from starting until the transaction ends, because each replica begins with a row in `replica`. Throws
 * `configuration` if a replica is running.
 */
async function holdStill({ rows }: Queries, schema: string): Promise<void> {
  try {
    await rows(`LOCK TABLE ${schema}.replica IN SHARE ROW EXCLUSIVE MODE NOWAIT`);
  } catch (error) {
    if (error instanceof BridgeError && sqlState(error.cause) === LOCK_UNAVAILABLE) throw inUse();
    throw error;
  }
  const live = await rows(`SELECT FROM ${schema}.replica WHERE lease_until > ${NOW_MS}`);
  if (live.length > 0) throw inUse();
}

function inUse(): BridgeError {
  return new BridgeError(
    'configuration',
    'state.postgres: a replica is running, or was killed less than `replica.lease_ms` ago; stop all replicas first',
  );
}

async function refuseRows({ rows }: Queries, schema: string): Promise<void> {
  for (const table of MOVED_TABLES) {
    if (ONE_ROW_TABLES.includes(table)) {
      // Replaced by the row of the source.
      await rows(`DELETE FROM ${schema}.${table}`);
    } else if ((await rows(`SELECT FROM ${schema}.${table} LIMIT 1`)).length > 0) {
      throw new BridgeError(
        'configuration',
        `state.postgres.schema: the schema ${schema} is not empty; set another schema, or drop this schema`,
      );
    }
  }
}

function createTables(
  { rows }: Queries,
  schema: string,
): Pick<MoveTarget, 'listColumns' | 'digest'> {
  return {
    async listColumns(table) {
      const found = await rows<{ name: string }>(
        `SELECT attname AS name FROM pg_attribute
         WHERE attrelid = '${schema}.${table}'::regclass AND attnum > 0 AND NOT attisdropped`,
      );
      return movedColumns(
        table,
        found.map(({ name }) => name),
      );
    },
    async digest(table, columns) {
      const from = `FROM ${schema}.${table} WHERE ${movedRowsSql(table)}`;
      const [found] = await rows<TableDigest>(digestSql(columns, from));
      if (found === undefined) throw new BridgeError('internal', 'a query returned no row');
      return found;
    },
  };
}

/** Returns the rows of `job_text` for the rows of jobs. */
function toTexts(columns: readonly string[], jobs: readonly MovedRow[]): readonly MovedRow[] {
  const at = ['seq', 'scope', 'prompt'].map((column) => columns.indexOf(column));
  return jobs.map((job) => {
    const [seq = null, scope = null, prompt] = at.map((index) => job[index]);
    return [seq, scope, foldPrompt(String(prompt))];
  });
}

/**
 * Drops the indexes and the keys of the tables, because creating them for all rows at once takes a fraction of the time. Resolves with
 * the function that creates them again.
 */
async function dropIndexes({ rows }: Queries, schema: string): Promise<() => Promise<void>> {
  const tables = [...MOVED_TABLES, 'job_text'].map((table) => `'${schema}.${table}'::regclass`);
  const indexes = await rows<{ name: string; definition: string }>(`
    SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition
    FROM pg_index WHERE indrelid IN (${tables.join(', ')}) AND NOT EXISTS (
      SELECT FROM pg_constraint WHERE conindid = indexrelid AND contype <> 'f')`);
  // Foreign keys ("f") are the first to be dropped and the last to be added, because they need the other keys.
  const keys = await rows<{ name: string; table: string; definition: string }>(`
    SELECT quote_ident(conname) AS name, conrelid::regclass::text AS table,
      pg_get_constraintdef(oid) AS definition
    FROM pg_constraint
    WHERE contype IN ('f', 'p', 'u')
      AND (conrelid IN (${tables.join(', ')}) OR confrelid IN (${tables.join(', ')}))
    ORDER BY contype <> 'f'`);
  for (const { name, table } of keys) await rows(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`);
  for (const { name } of indexes) await rows(`DROP INDEX ${name}`);
  return async () => {
    await rows(`SET LOCAL maintenance_work_mem = '256MB'`);
    for (const { definition } of indexes) await rows(definition);
    for (const { name, table, definition } of keys.toReversed()) {
      await rows(`ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`);
    }
  };
}
