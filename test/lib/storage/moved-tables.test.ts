import { describe, expect, test } from 'vitest';
import { createIds } from '../../../lib/platform/ids.ts';
import { KEPT_COLUMNS, MOVED_TABLES } from '../../../lib/storage/move/moved-tables.ts';
import { IN_MEMORY } from '../../../lib/storage/sqlite/connection.ts';
import { openStateDatabase } from '../../../lib/storage/sqlite/database.ts';
import { HAS_POSTGRES } from '../../support/postgres.ts';
import { newTestDatabase } from './postgres/test-database.ts';

/** The tables that a move does not copy, each with the reason. */
const KEPT_TABLES = {
  sqlite: {
    meta: 'its secret is moved by itself; the rest is of the moment',
    owner: 'names processes that have stopped',
    sqlite_sequence: 'its number is moved by itself',
  },
  postgres: {
    meta: 'its secret is moved by itself; the rest is of the moment',
    schema_version: 'each database has its own versions',
    commit_marker: 'belongs to replicas that have stopped',
    replica: 'names replicas that have stopped',
    permit: 'belongs to replicas that have stopped',
    job_progress: 'belongs to running jobs, whose processes have stopped',
    job_text: 'is made from the prompts of the jobs',
    login: 'is encrypted with a key that the other database does not have',
    replay: 'SQLite keeps the replies to repeated requests in memory',
  },
};

type Columns = Readonly<Record<string, readonly string[]>>;

function listSqlite(): Columns {
  const database = openStateDatabase({ file: IN_MEMORY, ids: createIds(() => 0) });
  const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").pluck();
  const columns = database.prepare('SELECT name FROM pragma_table_info(?) ORDER BY name').pluck();
  // The cast is safe, because both queries select one text.
  const names = tables.all() as string[];
  return Object.fromEntries(names.map((name) => [name, columns.all(name) as string[]]));
}

async function listPostgres(): Promise<Columns> {
  const { database } = await newTestDatabase();
  const found = await database.read(({ rows }) =>
    rows<{ name: string; columns: readonly string[] }>(
      `SELECT relname AS name, array_agg(attname::text ORDER BY attname::text COLLATE "C") AS columns
       FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
       WHERE relkind = 'r' AND relnamespace = $1::regnamespace AND attnum > 0 AND NOT attisdropped
       GROUP BY relname`,
      [database.schema],
    ),
  );
  return Object.fromEntries(found.map(({ name, columns }) => [name, columns]));
}

describe.runIf(HAS_POSTGRES)('the tables that a move copies', () => {
  test('a move copies every table of both databases, except for those with a reason', async () => {
    const moved = (kept: object) => [...MOVED_TABLES, ...Object.keys(kept)].toSorted();

    expect(Object.keys(listSqlite()).toSorted()).toEqual(moved(KEPT_TABLES.sqlite));
    expect(Object.keys(await listPostgres()).toSorted()).toEqual(moved(KEPT_TABLES.postgres));
  });

  test('both databases have the same columns in these tables, except for those that are made from others', async () => {
    const [sqlite, postgres] = [listSqlite(), await listPostgres()];

    for (const table of MOVED_TABLES) {
      const expected = [...(sqlite[table] ?? []), ...(KEPT_COLUMNS[table] ?? [])].toSorted();
      expect({ table, columns: postgres[table] }).toEqual({ table, columns: expected });
    }
  });
});
