import { BridgeError } from '../../errors/bridge-error.ts';
import {
  type Connection,
  hasOrphans,
  prepareToMigrate,
  schemaVersion,
  setSchemaVersion,
} from './connection.ts';
import { SCHEMA } from './schema.ts';

/** SQL texts, the first one for an empty database. A text is never edited or moved once it was released. */
export const MIGRATIONS: readonly string[] = [SCHEMA];

/** The schema that this program reads and writes. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/**
 * Brings the schema up to date: all migrations that are due, their number and what `finish` does in one transaction, as a
 * sync of the disk for each would be most of a first start. A failed one leaves the database as it was. Throws
 * `configuration`.
 */
export function migrate(
  connection: Connection,
  migrations = MIGRATIONS,
  finish: () => void = () => {},
): void {
  const present = schemaVersion(connection);
  refuseNewerSchema(present, migrations.length);
  if (present === migrations.length) return;
  prepareToMigrate(connection);
  const transaction = connection.transaction(() => {
    for (const [index, sql] of migrations.entries()) {
      if (index >= present) migrateOnce(connection, sql, index + 1);
    }
    setSchemaVersion(connection, migrations.length);
    finish();
  });
  transaction.immediate();
}

/** Throws `configuration` when the schema is not one that this program, or an older one, has made. */
export function refuseNewerSchema(version: number, newest = SCHEMA_VERSION): void {
  if (version < 0 || version > newest) {
    throw new BridgeError(
      'configuration',
      `state.directory: the database has schema ${version}, newer than ${newest}, the newest that this version knows`,
    );
  }
}

function migrateOnce(connection: Connection, sql: string, version: number): void {
  try {
    connection.exec(sql);
    if (hasOrphans(connection)) throw new Error('a row has lost its parent');
  } catch (cause) {
    throw new BridgeError(
      'configuration',
      `state.directory: migration ${version} of the database failed; its data is untouched`,
      { cause },
    );
  }
}
