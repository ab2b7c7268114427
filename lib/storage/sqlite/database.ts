import { accessSync, constants, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Statement } from 'better-sqlite3';
import * as v from 'valibot';
import { BridgeError } from '../../errors/bridge-error.ts';
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
import { damaged, toOpenError, toStoreError, unreadable } from './driver-errors.ts';
import { peekFileHeader } from './file-header.ts';
import { refuseForeignLog } from './foreign-log.ts';
import { createGroupCommit } from './group-commit.ts';
import { MIGRATIONS, migrate, refuseNewerSchema } from './migrations.ts';

const FIND_SECRET = "SELECT value FROM meta WHERE name = 'secret'";
const INSERT_SECRET = "INSERT INTO meta (name, value) VALUES ('secret', ?)";
const WRITE_TRIAL = "INSERT OR REPLACE INTO meta (name, value) VALUES ('trial', zeroblob(?))";
const REMOVE_TRIAL = "DELETE FROM meta WHERE name = 'trial'";

// As much as an ordinary job takes, what is reserved for its end included.
const TRIAL_BYTES = 32_768;

const SecretRow = v.optional(v.object({ value: v.instance(Uint8Array) }));

interface Options {
  /** `stateDatabaseFile`, or `IN_MEMORY`. */
  readonly file: string;
  readonly ids: Pick<Ids, 'newOpaqueId'>;
  readonly migrations?: readonly string[];
}

/** The one database of the service. Errors of the driver leave it as `overloaded` or `internal`. */
export interface StateDatabase {
  /** 32 random bytes as old as the database: the key of whatever must not be guessed or forged. */
  readonly secret: Buffer;
  /** Names this process in the rows that belong to one. */
  readonly owner: string;
  /**
   * Prepares a statement, once, when its store is made. A statement with a join, `ORDER BY`, `DISTINCT` or an aggregate
   * has `+?` where it compares a column with a parameter, because the driver is built with SQLITE_ENABLE_STAT4: SQLite
   * compiles such a statement again whenever a bare parameter is bound, which takes ten times as long as running it.
   */
  prepare(sql: string): Statement;
  /**
   * Runs the synchronous `work` in one transaction with all other writes of this turn of the event loop; resolves once
   * that is durable. What `work` throws undoes it alone.
   */
  write<T>(work: () => T): Promise<T>;
  /** Runs the synchronous `work` at once; it sees what was committed. */
  read<T>(work: () => T): Promise<T>;
  /** Whether the database can be read and written: after a refused one, whether it takes an ordinary job now. */
  probe(): Promise<boolean>;
  /**
   * Bytes of what is stored, and of the main file. They differ: the file keeps pages that are free, and does not have
   * yet what the write-ahead log holds.
   */
  sizes(): Promise<{ readonly logicalBytes: number; readonly physicalBytes: number }>;
  /** Resolves when all that was asked for is durable and the file is closed. */
  close(): Promise<void>;
}

/** What a store needs of it. */
export type StoreDatabase = Pick<StateDatabase, 'owner' | 'prepare' | 'read' | 'write'>;

export function stateDatabaseFile(stateDirectory: string): string {
  return join(stateDirectory, 'bridge.sqlite');
}

/**
 * Throws `configuration` for a file that `openStateDatabase` would refuse for its schema or its content. Reads the
 * header and touches nothing, so it can be asked before anything is made or locked.
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

/** Returns true if the file is there and has no content: an interrupted first start or copy, or a failed disk, leaves it. */
export function isEmptyDatabase(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.size === 0;
}

/**
 * Opens the database in its newest schema, making it when there is none. One of an older schema is copied beside itself
 * first. Throws `configuration`.
 */
export function openStateDatabase({ file, ids, migrations = MIGRATIONS }: Options): StateDatabase {
  if (file !== IN_MEMORY) refuseForeignDatabase(file, migrations.length);
  let connection: Connection | undefined;
  try {
    if (file !== IN_MEMORY) {
      // SQLite would give it the rights of any new file, and it holds prompts; the files beside it take its rights.
      createOwnerFile(file);
      refuseForeignLog(file);
    }
    connection = connect(file);
    keepCopy(connection, migrations.length);
    bringUpToDate(connection, migrations, ids);
    prepareToServe(connection);
    return serve(connection, { secret: beginLog(connection, ids), owner: ids.newOpaqueId() });
  } catch (error) {
    connection?.close();
    throw toOpenError(error, file);
  }
}

/** Copies the database before a migration, under a name with its schema. A copy that exists is left as it is. */
function keepCopy(connection: Connection, newestSchema: number): void {
  const version = schemaVersion(connection);
  if (connection.memory || version === 0 || version === newestSchema) return;
  copyDatabase(connection, join(dirname(connection.name), `bridge.schema-${version}.sqlite`));
}

function bringUpToDate(
  connection: Connection,
  migrations: readonly string[],
  ids: Pick<Ids, 'newOpaqueId'>,
): void {
  const finish = () => identify(connection, ids);
  migrate(connection, migrations, finish);
  // A copy has the newest schema, perhaps, but no identity.
  finish();
}

function identify(connection: Connection, ids: Pick<Ids, 'newOpaqueId'>): void {
  if (databaseIdentity(connection) !== UNIDENTIFIED) return;
  keepNoLog(connection);
  setDatabaseIdentity(connection, 1 + Number.parseInt(ids.newOpaqueId().slice(0, 7), 16));
}

function serve(
  connection: Connection,
  { secret, owner }: Pick<StateDatabase, 'secret' | 'owner'>,
): StateDatabase {
  const commits = createGroupCommit(connection);
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
        // Small writes may pass while a job does not fit, so neither ends a refusal nor begins one here.
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

function sizesOf(connection: Connection) {
  const { used, all } = pageBytes(connection);
  const physicalBytes = connection.memory ? all : statSync(connection.name).size;
  return { logicalBytes: used, physicalBytes };
}

/** Gives the log what it needs to have, in one sync of the disk, and returns the secret. */
function beginLog(connection: Connection, ids: Pick<Ids, 'newOpaqueId'>): Buffer {
  return connection.transaction(() => {
    // Again, for the log: without the identity it could belong to any database.
    setDatabaseIdentity(connection, databaseIdentity(connection));
    return ownSecret(connection, ids);
  })();
}

function ownSecret(connection: Connection, ids: Pick<Ids, 'newOpaqueId'>): Buffer {
  const row = v.parse(SecretRow, connection.prepare(FIND_SECRET).get());
  if (row !== undefined) return Buffer.from(row.value);
  const secret = Buffer.from(ids.newOpaqueId() + ids.newOpaqueId(), 'hex');
  connection.prepare(INSERT_SECRET).run(secret);
  return secret;
}
