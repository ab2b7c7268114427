import Sqlite from 'better-sqlite3';

export type Connection = Sqlite.Database;

/** The file name of a database in memory. The database is deleted when its connection closes. */
export const IN_MEMORY = ':memory:';

// The maximum time for which a lock of another program may delay all waiting writes.
const BUSY_TIMEOUT_MS = 250;

// The page cache of each connection in the search thread. The driver's default of 16 MiB would use most of the memory of that
// thread.
const READING_CACHE_KIB = 4096;

// The page cache while a database is filled. The entries of the indexes have no order, so their pages must stay in memory.
const FILLING_CACHE_KIB = 262_144;

/** Opens or creates the file without changing its content. */
export function connect(file: string): Connection {
  const connection = new Sqlite(file, { timeout: BUSY_TIMEOUT_MS });
  // This pragma is first, so that all later statements wait for a lock instead of failing immediately.
  connection.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
  // Rejects functions and virtual tables in the schema, because another program may have changed it.
  connection.pragma('trusted_schema = OFF');
  connection.pragma('cell_size_check = ON');
  // The driver's default for WAL is `NORMAL`, which loses committed transactions if the power fails.
  connection.pragma('synchronous = FULL');
  // Only macOS needs this setting, so that an fsync reaches the disk.
  connection.pragma('fullfsync = ON');
  connection.pragma('temp_store = MEMORY');
  return connection;
}

/** Opens an existing database read-only, beside the connection that serves it. */
export function connectToRead(file: string, timeout = BUSY_TIMEOUT_MS): Connection {
  const connection = new Sqlite(file, { readonly: true, timeout });
  connection.pragma('trusted_schema = OFF');
  connection.pragma('cell_size_check = ON');
  return connection;
}

/** Limits the page cache of a connection in the search thread. */
export function limitCache(connection: Connection): void {
  connection.pragma(`cache_size = -${READING_CACHE_KIB}`);
}

/** Turns the write-ahead log off until `prepareToServe`, so that every commit is in the file itself. */
export function keepNoLog(connection: Connection): void {
  connection.pragma('journal_mode = DELETE');
}

/** Sets the connection up for migrations. */
export function prepareToMigrate(connection: Connection): void {
  // With a log, the file would have its new version only after a checkpoint, and an older program that reads only the file
  // would accept it.
  keepNoLog(connection);
  // With foreign keys, replacing a table with a new table of the same name would delete the child rows.
  connection.pragma('foreign_keys = OFF');
}

/** Sets the connection up to fill a new database, which is lost if the process ends before the file is synced. */
export function prepareToFill(connection: Connection): void {
  connection.pragma('journal_mode = OFF');
  connection.pragma('synchronous = OFF');
  connection.pragma('foreign_keys = OFF');
  connection.pragma(`cache_size = -${FILLING_CACHE_KIB}`);
}

/** Sets the connection up for the stores. */
export function prepareToServe(connection: Connection): void {
  connection.pragma('foreign_keys = ON');
  connection.pragma('journal_mode = WAL');
  connection.pragma('journal_size_limit = 67108864');
  // The length of the log in pages at which a commit copies the log into the file. Such a commit makes all other writes wait and
  // needs three more syncs of the disk. With 1000 pages, which is also the driver's default, one in forty groups of creates takes
  // tens of milliseconds. With 256 pages, a quarter of all syncs would belong to copies.
  connection.pragma('wal_autocheckpoint = 1000');
}

/**
 * Sets the connection up for data that can be rebuilt. After a power failure, the data is consistent but the last commits may
 * be missing.
 */
export function prepareDerived(connection: Connection): void {
  connection.pragma('journal_mode = WAL');
  connection.pragma('synchronous = NORMAL');
  connection.pragma('journal_size_limit = 67108864');
  limitCache(connection);
}

/** Returns the size of the used pages, including pages in the write-ahead log, and the size of all pages. */
export function pageBytes(connection: Connection): { readonly used: number; readonly all: number } {
  const [pages, free, size] = ['page_count', 'freelist_count', 'page_size'].map((name) =>
    Number(connection.pragma(name, { simple: true })),
  ) as [number, number, number];
  return { used: (pages - free) * size, all: pages * size };
}

/** Returns true if a row has no parent. Checked after a migration, which runs without foreign keys. */
export function hasOrphans(connection: Connection): boolean {
  const orphans = connection.pragma('foreign_key_check');
  return Array.isArray(orphans) && orphans.length > 0;
}

/** Returns the number of the last migration of the database, or 0 for a new database. */
export function schemaVersion(connection: Connection): number {
  return Number(connection.pragma('user_version', { simple: true }));
}

export function setSchemaVersion(connection: Connection, version: number): void {
  connection.pragma(`user_version = ${version}`);
}

/** The identity of a database that has not been opened since it was created or copied. */
export const UNIDENTIFIED = 0;

/**
 * Returns the number that identifies the database, so that a write-ahead log can be matched to its file. The number is stored
 * as `application_id`, which is not used otherwise.
 */
export function databaseIdentity(connection: Connection): number {
  return Number(connection.pragma('application_id', { simple: true }));
}

export function setDatabaseIdentity(connection: Connection, identity: number): void {
  connection.pragma(`application_id = ${identity}`);
}
