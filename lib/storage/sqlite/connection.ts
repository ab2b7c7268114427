import Sqlite from 'better-sqlite3';

export type Connection = Sqlite.Database;

/** The file name that makes a database live and die with its connection. */
export const IN_MEMORY = ':memory:';

// The driver waits on the main thread, so this is how long everything may stand still for a foreign program's lock.
const BUSY_TIMEOUT_MS = 250;

// A thread beside the main one reads; the driver's 16 MiB each would be most of what it needs.
const READING_CACHE_KIB = 4096;

/** Opens the file, making it when there is none, and touches nothing in it. */
export function connect(file: string): Connection {
  const connection = new Sqlite(file, { timeout: BUSY_TIMEOUT_MS });
  // First, so that whatever follows waits for a lock instead of failing at once.
  connection.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
  // Functions and virtual tables that a changed schema might name are not run.
  connection.pragma('trusted_schema = OFF');
  connection.pragma('cell_size_check = ON');
  // The driver is built with NORMAL for WAL, which loses acknowledged work when the power fails.
  connection.pragma('synchronous = FULL');
  // Elsewhere than on macOS an fsync reaches the disk without this.
  connection.pragma('fullfsync = ON');
  connection.pragma('temp_store = MEMORY');
  return connection;
}

/** Opens a database that another connection serves, to read only. */
export function connectToRead(file: string): Connection {
  const connection = new Sqlite(file, { readonly: true, timeout: BUSY_TIMEOUT_MS });
  connection.pragma('trusted_schema = OFF');
  connection.pragma('cell_size_check = ON');
  connection.pragma(`cache_size = -${READING_CACHE_KIB}`);
  return connection;
}

/** From here on every change is in the file itself once it is committed, until `prepareToServe`. */
export function keepNoLog(connection: Connection): void {
  connection.pragma('journal_mode = DELETE');
}

/** As migrations need it. */
export function prepareToMigrate(connection: Connection): void {
  // With a log beside it the file would show its new version only after a checkpoint, and an older program that looks
  // at the file alone would take it for its own.
  keepNoLog(connection);
  // A table that is made anew under its old name would take its children with it.
  connection.pragma('foreign_keys = OFF');
}

/** As the stores need it. */
export function prepareToServe(connection: Connection): void {
  connection.pragma('foreign_keys = ON');
  connection.pragma('journal_mode = WAL');
  connection.pragma('journal_size_limit = 67108864');
  // The commit that makes the log so many pages long puts it into the file, and everything else waits: at the usual 1000
  // scattered pages for tens of milliseconds, at 256 for less than ten, with as many commits a second.
  connection.pragma('wal_autocheckpoint = 256');
}

/** For what can be made again: consistent after a loss of power, if not complete. */
export function prepareDerived(connection: Connection): void {
  connection.pragma('journal_mode = WAL');
  connection.pragma('synchronous = NORMAL');
  connection.pragma('journal_size_limit = 67108864');
  connection.pragma(`cache_size = -${READING_CACHE_KIB}`);
}

/** Bytes of the pages that hold something, the write-ahead log included, and of all pages. */
export function pageBytes(connection: Connection): { readonly used: number; readonly all: number } {
  const [pages, free, size] = ['page_count', 'freelist_count', 'page_size'].map((name) =>
    Number(connection.pragma(name, { simple: true })),
  ) as [number, number, number];
  return { used: (pages - free) * size, all: pages * size };
}

/** Whether a row's parent is missing: the check after a migration, which runs without foreign keys. */
export function hasOrphans(connection: Connection): boolean {
  const orphans = connection.pragma('foreign_key_check');
  return Array.isArray(orphans) && orphans.length > 0;
}

/** The number of the last migration that the database has seen; 0 for a new one. */
export function schemaVersion(connection: Connection): number {
  return Number(connection.pragma('user_version', { simple: true }));
}

export function setSchemaVersion(connection: Connection, version: number): void {
  connection.pragma(`user_version = ${version}`);
}

/** Of a database that was not opened since it was made or copied. */
export const UNIDENTIFIED = 0;

/** A number by which a write-ahead log is known to belong to this file: `application_id`, which nothing else here uses. */
export function databaseIdentity(connection: Connection): number {
  return Number(connection.pragma('application_id', { simple: true }));
}

export function setDatabaseIdentity(connection: Connection, identity: number): void {
  connection.pragma(`application_id = ${identity}`);
}
