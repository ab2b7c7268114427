import { systemClock } from '../../lib/platform/clock.ts';
import { createIds } from '../../lib/platform/ids.ts';
import { openDatabase } from '../../lib/storage/postgres/database.ts';
import { query } from './engines/postgres-server.ts';
import { createSchema, type TestSchema } from './postgres.ts';

/** A migrated schema without a job, for one test at a time. */
interface ReusedSchema extends Pick<TestSchema, 'url' | 'schema'> {
  /** Removes all rows that were not there at first, and keeps the schema for a later test of this process. */
  release(): Promise<void>;
}

const ids = createIds(systemClock.nowMs);
const released: ReusedSchema[] = [];

/**
 * Resolves with a schema in its first state. Emptying the tables takes a tenth of the time of creating them. The schemas stay until
 * the server ends with the run.
 */
export async function takeSchema(): Promise<ReusedSchema> {
  return released.pop() ?? migratedSchema();
}

async function migratedSchema(): Promise<ReusedSchema> {
  const { url, schema } = await createSchema();
  const options = { maxConnections: 1, statementTimeoutMs: 30_000, migrate: true };
  const database = await openDatabase({ url, schema, clock: systemClock, ids, ...options });
  await database.close();
  const listed = await query<{ table: string }>(
    url,
    `SELECT format('%I.%I', schemaname, tablename) AS table FROM pg_tables WHERE schemaname = '${schema}'`,
  );
  const tables = listed.map(({ table }) => table);
  const first = await query<{ table: string; rows: readonly unknown[] | null }>(
    url,
    tables
      .map((table) => `SELECT '${table}' AS table, jsonb_agg(to_jsonb(t)) AS rows FROM ${table} t`)
      .join(' UNION ALL '),
  );
  // Only the markers belong to the connection that has migrated the schema.
  const kept = first.filter(({ table, rows }) => rows && table !== `${schema}.commit_marker`);
  const inserts = kept.map(({ table, rows }) => {
    const json = JSON.stringify(rows).replaceAll("'", "''");
    return `INSERT INTO ${table} SELECT * FROM jsonb_populate_recordset(NULL::${table}, '${json}')`;
  });
  const findUsed = tables
    .map((table) => `SELECT '${table}' AS table WHERE EXISTS (SELECT FROM ${table})`)
    .join(' UNION ALL ');

  const reused: ReusedSchema = {
    url,
    schema,
    async release() {
      const used = (await query<{ table: string }>(url, findUsed)).map(({ table }) => table);
      // A transaction that a test has left open makes this test fail, and does not delay other tests.
      await query(
        url,
        [
          "SET lock_timeout = '10s'",
          `TRUNCATE ${used.join(', ')} RESTART IDENTITY CASCADE`,
          ...inserts,
        ].join('; '),
      );
      released.push(reused);
    },
  };
  return reused;
}
