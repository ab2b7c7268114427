import { mkdtempSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { BridgeError } from '../../errors/bridge-error.ts';
import { findDamage, findDamagedPages, findStateProblems } from './check-state.ts';
import { type Connection, connect, schemaVersion } from './connection.ts';
import { copyDatabase } from './copy-database.ts';
import { refuseForeignDatabase } from './database.ts';
import { toOpenError } from './driver-errors.ts';
import { peekFileHeader } from './file-header.ts';
import { refuseForeignLog } from './foreign-log.ts';
import { migrate, SCHEMA_VERSION } from './migrations.ts';

/**
 * What is wrong with a database that a bridge may be using meanwhile, one sentence each. Throws `configuration` when it
 * cannot be opened or has an older schema.
 */
export function findProblems(file: string): readonly string[] {
  return withDatabase(file, (connection) => {
    const version = schemaVersion(connection);
    if (version < SCHEMA_VERSION) {
      throw new BridgeError(
        'configuration',
        `state.directory: the database has schema ${version}, older than ${SCHEMA_VERSION}; the next start brings it up to date`,
      );
    }
    return findStateProblems(connection);
  });
}

/** The schema of a database that a bridge may be using meanwhile; undefined when there is none. Throws `configuration`. */
export function findSchema(file: string): number | undefined {
  if (peekFileHeader(file) === 'absent') return undefined;
  return withDatabase(file, schemaVersion);
}

/**
 * Looks at every page of a database that a bridge may be using meanwhile, and returns what is wrong, one sentence each.
 * Throws `configuration` if it cannot be opened.
 */
export function findBrokenPages(file: string): readonly string[] {
  return withDatabase(file, findDamagedPages).map((it) => `${resolve(file)} is damaged: ${it}`);
}

/**
 * Migrates a copy of the database, in a folder of its own that is removed afterwards, and returns what is wrong with the
 * result, one sentence each. Throws `configuration` when a migration fails.
 */
export function rehearseMigration(file: string, migrations: readonly string[]): readonly string[] {
  const temporary = mkdtempSync(join(dirname(file), '.state-migration-'));
  try {
    const copy = join(temporary, 'copy.sqlite');
    copyState(file, copy);
    return withDatabase(copy, (connection) => {
      migrate(connection, migrations);
      return findStateProblems(connection);
    });
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** What is wrong with a copy that nothing else uses: of an older schema only what SQLite itself finds. */
export function findCopyProblems(file: string): readonly string[] {
  return withDatabase(file, (connection) =>
    schemaVersion(connection) < SCHEMA_VERSION
      ? findDamage(connection)
      : findStateProblems(connection),
  );
}

/**
 * Copies a database that a bridge may be using meanwhile to a new file. False, and nothing done, when there is a file of
 * that name. Throws `configuration` when the database cannot be read or the copy not be written.
 */
export function copyState(file: string, target: string): boolean {
  return withDatabase(file, (connection) => copyDatabase(connection, target));
}

function withDatabase<T>(file: string, work: (connection: Connection) => T): T {
  if (peekFileHeader(file) === 'absent') {
    throw new BridgeError('configuration', 'state.directory: there is no database in it');
  }
  refuseForeignDatabase(file);
  let connection: Connection | undefined;
  try {
    refuseForeignLog(file);
    connection = connect(file);
    return work(connection);
  } catch (error) {
    throw toOpenError(error, file);
  } finally {
    connection?.close();
  }
}
