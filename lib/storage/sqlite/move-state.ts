import { existsSync, linkSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import * as v from 'valibot';
import { BridgeError } from '../../errors/bridge-error.ts';
import { syncPathNow } from '../../platform/durable-file.ts';
import type { Ids } from '../../platform/ids.ts';
import { ARTIFACT_COLUMNS, ArtifactRow } from '../artifact-rows.ts';
import { movedColumns, movedOrderSql, movedRowsSql, ONE_ROW_TABLES } from '../move/moved-tables.ts';
import { createRowDigest, type RowDigest } from '../move/row-digest.ts';
import type { MovedRow, MoveSource, MoveTarget } from '../state-move-port.ts';
import { createArtifactStore } from './artifact-store.ts';
import { type Connection, connect, hasOrphans, keepNoLog, prepareToFill } from './connection.ts';
import { openStateDatabase } from './database.ts';
import { createJobInputs } from './jobs/job-list.ts';
import { openStateReader, type StateReader } from './state-reader.ts';

const TEMPORARY = '.state-move-';
const PAGE_ROWS = 5000;
// The rows of a page are in memory, and also the text that is sent to the other database.
const PAGE_CHARACTERS = 4_000_000;

const Facts = v.object({ secret: v.instance(Uint8Array), lastSequence: v.number() });
const Columns = v.array(v.object({ name: v.string() }));
const Count = v.object({ rows: v.number() });
const Indexes = v.array(v.object({ name: v.string(), sql: v.string() }));

/** Runs `work` with the rows of the database. The caller must have locked the directory. */
export async function moveOut<T>(
  file: string,
  work: (source: MoveSource) => Promise<T>,
): Promise<T> {
  // A connection cannot begin the transaction of a list while it reads the rows of a table.
  const [lists, rows] = [openStateReader(file), openStateReader(file)];
  if (lists === undefined || rows === undefined) {
    throw new BridgeError('configuration', 'state.directory: the folder contains no database');
  }
  const close = () => {
    lists.close();
    rows.close();
  };
  try {
    const intents = lists.prepare(
      `SELECT ${ARTIFACT_COLUMNS} FROM artifact
       WHERE state = 'pending' AND id > @after ORDER BY id LIMIT @limit`,
    );
    const facts = lists.prepare(`
      SELECT value AS secret,
        coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'job'), 0) AS lastSequence
      FROM meta WHERE name = 'secret'`);
    return await work({
      ...v.parse(Facts, facts.get()),
      ...createSourceTables(rows),
      artifacts: createArtifactStore(lists),
      jobs: createJobInputs(lists),
      listIntents: async (page) => v.parse(v.array(ArtifactRow), intents.all(page)),
      async pauseQueue() {
        // SQLite removes the log when the last connection closes.
        close();
        pauseQueue(file);
      },
    });
  } finally {
    close();
  }
}

type Readable = Pick<StateReader, 'prepare'>;

function createSourceTables(
  database: Readable,
): Pick<MoveSource, 'listColumns' | 'read' | 'digest'> {
  const digests = new Map<string, RowDigest>();
  return {
    listColumns: (table) => listColumns(database, table),
    async *read(table, columns) {
      // Reading all rows a second time would take as long as copying them.
      const digest = createRowDigest();
      digests.set(table, digest);
      let page: MovedRow[] = [];
      let characters = 0;
      for (const row of readRows(database, table, columns)) {
        digest.add(row);
        page.push(row);
        for (const value of row) if (typeof value === 'string') characters += value.length;
        if (page.length < PAGE_ROWS && characters < PAGE_CHARACTERS) continue;
        yield page;
        page = [];
        characters = 0;
      }
      if (page.length > 0) yield page;
    },
    async digest(table) {
      const count = database.prepare(
        `SELECT count(*) AS rows FROM ${table} WHERE ${movedRowsSql(table)}`,
      );
      const { rows } = v.parse(Count, count.get());
      return { ...(digests.get(table) ?? createRowDigest()).end(), rows };
    },
  };
}

/**
 * Runs `work` with an empty database, which gets its name when `work` has succeeded. The caller must have locked the directory.
 * Throws `configuration` if there is a database.
 */
export async function moveIn<T>(
  file: string,
  ids: Pick<Ids, 'newOpaqueId'>,
  work: (target: MoveTarget) => Promise<T>,
): Promise<T> {
  refuseDatabase(file);
  const folder = dirname(file);
  removeTemporary(folder);
  const temporary = mkdtempSync(join(folder, TEMPORARY));
  const copy = join(temporary, 'copy.sqlite');
  try {
    // Opened only for its tables.
    await openStateDatabase({ file: copy, ids }).close();
    const connection = connect(copy);
    let result: T;
    try {
      keepNoLog(connection);
      prepareToFill(connection);
      connection.exec('BEGIN');
      for (const table of ONE_ROW_TABLES) connection.exec(`DELETE FROM ${table}`);
      result = await work(createTarget(connection));
      connection.exec('COMMIT');
    } finally {
      connection.close();
    }
    syncPathNow(copy);
    refuseDatabase(file);
    // Unlike a rename, a link never replaces another file.
    linkSync(copy, file);
    syncPathNow(folder);
    return result;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

function refuseDatabase(file: string): void {
  if (!existsSync(file)) return;
  throw new BridgeError(
    'configuration',
    `state.directory: ${resolve(file)} exists, and a move needs a folder without a database; move the file away with its -wal and -shm files, or set another state.directory`,
  );
}

/** Removes the databases of interrupted moves, because they contain prompts. */
function removeTemporary(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (name.startsWith(TEMPORARY)) rmSync(join(folder, name), { recursive: true, force: true });
  }
}

function createTarget(connection: Connection): MoveTarget {
  let createIndexes: (() => void) | undefined;
  return {
    listColumns: (table) => listColumns(connection, table),
    async write(table, columns, rows) {
      createIndexes ??= dropIndexes(connection);
      const values = columns.map(() => '?').join(', ');
      const sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${values})`;
      const insert = connection.prepare(sql);
      for (const row of rows) insert.run(...row);
    },
    async complete({ secret, lastSequence }) {
      const setSecret = "UPDATE meta SET value = ? WHERE name = 'secret'";
      connection.prepare(setSecret).run(Buffer.from(secret));
      connection.exec("DELETE FROM sqlite_sequence WHERE name = 'job'");
      const setSequence = "INSERT INTO sqlite_sequence (name, seq) VALUES ('job', ?)";
      connection.prepare(setSequence).run(lastSequence);
      createIndexes?.();
      if (hasOrphans(connection)) throw new BridgeError('internal', 'a row has no parent');
    },
    async digest(table, columns) {
      const digest = createRowDigest();
      for (const row of readRows(connection, table, columns)) digest.add(row);
      return digest.end();
    },
  };
}

/**
 * Drops the indexes, because creating them for all rows at once takes a fraction of the time. Returns the function that creates them
 * again.
 */
function dropIndexes(connection: Connection): () => void {
  // The index of a constraint has no SQL text, and cannot be dropped.
  const found = connection.prepare(
    "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY rowid",
  );
  const indexes = v.parse(Indexes, found.all());
  for (const { name } of indexes) connection.exec(`DROP INDEX ${name}`);
  return () => {
    for (const { sql } of indexes) connection.exec(sql);
  };
}

async function listColumns(database: Readable, table: string): Promise<readonly string[]> {
  const found = database.prepare('SELECT name FROM pragma_table_info(?)').all(table);
  const columns = v.parse(Columns, found).map(({ name }) => name);
  return movedColumns(table, columns);
}

function* readRows(
  database: Readable,
  table: string,
  columns: readonly string[],
): Generator<MovedRow> {
  const sql = `
    SELECT ${columns.join(', ')} FROM ${table} WHERE ${movedRowsSql(table)} ${movedOrderSql(columns)}`;
  // The cast is safe, because the tables are STRICT. A check of each row would take minutes for millions of rows.
  yield* database.prepare(sql).raw().iterate() as IterableIterator<MovedRow>;
}

function pauseQueue(file: string): void {
  const connection = connect(file);
  try {
    keepNoLog(connection);
    connection.exec('UPDATE queue SET paused = 1');
  } finally {
    connection.close();
  }
}
