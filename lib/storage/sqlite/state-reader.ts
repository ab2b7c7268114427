import Sqlite from 'better-sqlite3';
import { BridgeError } from '../../errors/bridge-error.ts';
import { type Connection, schemaVersion } from './connection.ts';
import { refuseForeignDatabase, type StoreDatabase } from './database.ts';
import { isDamage, toOpenError, toStoreError, unreadable } from './driver-errors.ts';
import { peekFileHeader } from './file-header.ts';
import { SCHEMA_VERSION } from './migrations.ts';

/** A database for stores that only read; their writes throw `internal`. */
export interface StateReader extends StoreDatabase {
  close(): void;
}

// A command of the operator may wait longer than a request.
const BUSY_TIMEOUT_MS = 5000;

/**
 * Opens the database without a right to write, beside a bridge that may be using it; undefined when there is none. Throws
 * `configuration` when it cannot be read or has another schema than this program's.
 */
export function openStateReader(file: string): StateReader | undefined {
  if (peekFileHeader(file) === 'absent') return undefined;
  refuseForeignDatabase(file);
  let connection: Connection | undefined;
  try {
    connection = new Sqlite(file, {
      readonly: true,
      fileMustExist: true,
      timeout: BUSY_TIMEOUT_MS,
    });
    // Functions and virtual tables that a changed schema might name are not run.
    connection.pragma('trusted_schema = OFF');
    connection.pragma('cell_size_check = ON');
    refuseOlderSchema(connection);
    return serve(connection);
  } catch (error) {
    connection?.close();
    if (error instanceof BridgeError || isDamage(error)) throw toOpenError(error, file);
    throw unreadable(file, error);
  }
}

/** The header of the file may lag behind what the log holds, so that it is asked again here. */
function refuseOlderSchema(connection: Connection): void {
  const version = schemaVersion(connection);
  if (version === SCHEMA_VERSION) return;
  throw new BridgeError(
    'configuration',
    `state.directory: the database has schema ${version}, not ${SCHEMA_VERSION}; start the bridge of this version once`,
  );
}

function serve(connection: Connection): StateReader {
  return {
    // Nothing belongs to a process that only reads.
    owner: '',
    prepare: (sql) => connection.prepare(sql),
    async read(work) {
      try {
        return work();
      } catch (error) {
        throw toStoreError(error);
      }
    },
    write: () =>
      Promise.reject(new BridgeError('internal', 'the database is open for reading only')),
    close: () => connection.close(),
  };
}
