import { accessSync, constants, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Statement } from 'better-sqlite3';
import * as v from 'valibot';
import { BridgeError } from '../../errors/bridge-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Ids } from '../../platform/ids.ts';
import { createOwnerFile } from '../../platform/owner-file.ts';
import {
  type Connection,
  connect,
  databaseIdentity,
  IN_MEMORY,
  keepNoLog,
  pageBytes,
  prepareToServe,
  schemaVersion,
  setDatabaseIdentity,
  UNIDENTIFIED,
} from './connection.ts';
import { copyDatabase } from './copy-database.ts';
import { peekFileHeader, refuseForeignLog } from './database-file.ts';
import { damaged, toOpenError, toStoreError, unreadable } from './driver-errors.ts';
import { createGroupCommit } from './group-commit.ts';
import { MIGRATIONS, migrate, refuseNewerSchema } from './migrations.ts';

const FIND_SECRET = "SELECT value FROM meta WHERE name = 'secret'";
const INSERT_SECRET = "INSERT INTO meta (name, value) VALUES ('secret', ?)";
const WRITE_TRIAL = "INSERT OR REPLACE INTO meta (name, value) VALUES ('trial', zeroblob(?))";
const REMOVE_TRIAL = "DELETE FROM meta WHERE name = 'trial'";

// About the size of an ordinary job, including the bytes reserved for its end.
const TRIAL_BYTES = 32_768;

const SecretRow = v.optional(v.object({ value: v.instance(Uint8Array) }));

interface Options {
  /** The path from `stateDatabaseFile`, or `IN_MEMORY`. */
  readonly file: string;
  readonly ids: Pick<Ids, 'newOpaqueId'>;
  readonly migrations?: readonly string[];
  /** See `createGroupCommit`. */
  readonly clock?: Clock;
}

/** The database of the service. Errors of the driver are converted to `overloaded` or `internal`. */
export interface StateDatabase {
  /** 32 random bytes, created with the database. Used as the key for all values that must not be guessed or forged. */
  readonly secret: Buffer;
  /** The id of this process in the rows that it owns. */
  readonly owner: string;
  /**
   * Prepares a statement. Called once for each statement, when its store is created. A statement with a join, `ORDER BY`,
   * `DISTINCT` or an aggregate has `+?` where it compares a column with a parameter, because the driver is built with
   * SQLITE_ENABLE_STAT4: SQLite compiles such a statement again whenever a bare parameter is bound, which takes ten times as
   * long as running it.
   */
  prepare(sql: string): Statement;
  /**
   * Runs the synchronous function `work` in one transaction with all other writes of this turn of the event loop. Resolves when
   * the transaction is durable. An error that `work` throws undoes this work alone.
   */
  write<T>(work: () => T): Promise<T>;
  /** Runs the synchronous function `work` immediately. `work` reads the committed state. */
  read<T>(work: () => T): Promise<T>;
  /** Resolves with true if the database can be read and written. After a rejected write, tries to write as much as a job needs. */
  probe(): Promise<boolean>;
  /**
   * Resolves with the bytes in use and the size of the main file. The two sizes differ, because the file keeps free pages and
   * does not contain the write-ahead log.
   */
  sizes(): Promise<{ readonly logicalBytes: number; readonly physicalBytes: number }>;
  /** Resolves when all pending writes are durable and the file is closed. */
  close(): Promise<void>;
}

/** The part of the database that stores use. */
export type StoreDatabase = Pick<StateDatabase, 'owner' | 'prepare' | 'read' | 'write'>;

export function stateDatabaseFile(stateDirectory: string): string {
  return join(stateDirectory, 'bridge.sqlite');
}

/**
 * Throws `configuration` if `openStateDatabase` would reject the schema or the content of the file. Reads only the header, so
 * that it can be called before anything is created or locked.
 */
export function refuseForeignDatabase(file: string, newestSchema = MIGRATIONS.length): void {
  const found = peekFileHeader(file);
  if (found === 'absent') return;
  if (found === 'unreadable') {
    try {
      accessSync(file, constants.R_OK);
    } catch (cause) {
      throw unreadable(file, cause);
    }
    throw damaged(file);
  }
  refuseNewerSchema(found.version, newestSchema);
}

/**
 * Returns true if the file exists but is empty, for example after an interrupted first start or copy, or after a disk failure.
 */
export function isEmptyDatabase(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.size === 0;
}

/**
 * Opens the database in the newest schema, or creates it. A database with an older schema is copied to the same folder before
 * its migration. Throws `configuration` if the database cannot be opened or migrated.
 */
export function openStateDatabase({
  file,
  ids,
  migrations = MIGRATIONS,
  clock,
}: Options): StateDatabase {
  if (file !== IN_MEMORY) refuseForeignDatabase(file, migrations.length);
  let connection: Connection | undefined;
  try {
    if (file !== IN_MEMORY) {
      // The file is created for its owner only, because it contains prompts. SQLite would use the default permissions. SQLite
      // gives the log files the same permissions as the database.
      createOwnerFile(file);
      refuseForeignLog(file);
    }
    connection = connect(file);
    keepCopy(connection, migrations.length);
    const opened = connection;
    migrate(opened, migrations, () => identify(opened, ids));
    // A restored copy has no identity, even if it needs no migration.
    identify(connection, ids);
    prepareToServe(connection);
    const identity = { secret: beginLog(connection, ids), owner: ids.newOpaqueId() };
    return serve(connection, identity, clock);
  } catch (error) {
    connection?.close();
    throw toOpenError(error, file);
  }
}

/** Copies the database before a migration, to a name with its schema version. Does not replace an existing copy. */
function keepCopy(connection: Connection, newestSchema: number): void {
  const version = schemaVersion(connection);
  if (connection.memory || version === 0 || version === newestSchema) return;
  copyDatabase(connection, join(dirname(connection.name), schemaCopyName(version)));
}

/** Returns the name of the copy that a migration makes of a database with this schema. */
export function schemaCopyName(version: number): string {
  return `bridge.schema-${version}.sqlite`;
}

function identify(connection: Connection, ids: Pick<Ids, 'newOpaqueId'>): void {
  if (databaseIdentity(connection) !== UNIDENTIFIED) return;
  keepNoLog(connection);
  setDatabaseIdentity(connection, 1 + Number.parseInt(ids.newOpaqueId().slice(0, 7), 16));
}

function serve(
  connection: Connection,
  { secret, owner }: Pick<StateDatabase, 'secret' | 'owner'>,
  clock: Clock | undefined,
): StateDatabase {
  const commits = createGroupCommit(connection, clock);
  const find = connection.prepare(FIND_SECRET);
  const writeTrial = connection.prepare(WRITE_TRIAL);
  const removeTrial = connection.prepare(REMOVE_TRIAL);

  function refuseClosed(): void {
    if (!connection.open) throw new BridgeError('overloaded', 'the bridge is stopping');
  }

  async function read<T>(work: () => T): Promise<T> {
    refuseClosed();
    try {
      return work();
    } catch (error) {
      throw toStoreError(error);
    }
  }

  return {
    secret,
    owner,
    prepare: (sql) => connection.prepare(sql),
    async write(work) {
      refuseClosed();
      return commits.write(work);
    },
    read,
    sizes: () => read(() => sizesOf(connection)),
    async probe() {
      try {
        // A small write may succeed although a job does not fit. Therefore, only a trial write of the size of a job ends the
        // refusal.
        if (commits.wasRefused()) {
          await commits.write(() => writeTrial.run(TRIAL_BYTES));
          await commits.write(() => removeTrial.run());
          commits.forgetRefusal();
        }
        return find.get() !== undefined;
      } catch {
        return false;
      }
    },
    async close() {
      if (!connection.open) return;
      commits.flushAll();
      connection.close();
    },
  };
}

/** Returns the sizes that `StateDatabase.sizes` resolves with. */
export function sizesOf(connection: Connection) {
  const { used, all } = pageBytes(connection);
  const physicalBytes = connection.memory ? all : statSync(connection.name).size;
  return { logicalBytes: used, physicalBytes };
}

/** Writes the identity and the secret to the log in one transaction, because each sync of the disk costs time. Returns the secret. */
function beginLog(connection: Connection, ids: Pick<Ids, 'newOpaqueId'>): Buffer {
  return connection.transaction(() => {
    // The identity is written again so that the log contains it. A log without an identity could belong to any database.
    setDatabaseIdentity(connection, databaseIdentity(connection));
    const row = v.parse(SecretRow, connection.prepare(FIND_SECRET).get());
    if (row !== undefined) return Buffer.from(row.value);
    const secret = Buffer.from(ids.newOpaqueId() + ids.newOpaqueId(), 'hex');
    connection.prepare(INSERT_SECRET).run(secret);
    return secret;
  })();
}
