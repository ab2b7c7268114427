import { BridgeError } from '../../errors/bridge-error.ts';
import { type Connection, connectToRead, schemaVersion } from './connection.ts';
import { refuseForeignDatabase, type StateDatabase, sizesOf } from './database.ts';
import { peekFileHeader } from './database-file.ts';
import { isDamage, toOpenError, toStoreError, unreadable } from './driver-errors.ts';
import { SCHEMA_VERSION } from './migrations.ts';

/** A database for stores that only read. Writes throw `internal`. */
export interface StateReader extends Omit<StateDatabase, 'secret' | 'close'> {
  close(): void;
}

// The timeout may be longer than for writes, because only the reads of this connection wait.
const BUSY_TIMEOUT_MS = 5000;

/**
 * Opens the database read-only, beside a bridge that may be using it. Returns undefined if there is no database. Throws
 * `configuration` if the database cannot be read or has a different schema from this program. `owner` is the owner id of this
 * process in its rows, if this process also writes.
 */
export function openStateReader(file: string, owner = ''): StateReader | undefined {
  if (peekFileHeader(file) === 'absent') return undefined;
  refuseForeignDatabase(file);
  let connection: Connection | undefined;
  try {
    connection = connectToRead(file, BUSY_TIMEOUT_MS);
    // The version is read through SQLite, because the header of the file may be older than the log.
    const version = schemaVersion(connection);
    if (version !== SCHEMA_VERSION) {
      throw new BridgeError(
        'configuration',
        `state.directory: the database has schema ${version}, but this version needs ${SCHEMA_VERSION}; start this version of the bridge once to migrate the database`,
      );
    }
    return serve(connection, owner);
  } catch (error) {
    connection?.close();
    if (error instanceof BridgeError || isDamage(error)) throw toOpenError(error, file);
    throw unreadable(file, error);
  }
}

function serve(connection: Connection, owner: string): StateReader {
  const begin = connection.prepare('BEGIN');
  const end = connection.prepare('COMMIT');

  async function read<T>(work: () => T): Promise<T> {
    try {
      // All statements of one read see the same commit, because another connection may write meanwhile.
      begin.run();
      return work();
    } catch (error) {
      throw toStoreError(error);
    } finally {
      if (connection.inTransaction) end.run();
    }
  }

  return {
    owner,
    prepare: (sql) => connection.prepare(sql),
    read,
    write: refuseWrite,
    probe: refuseWrite,
    sizes: () => read(() => sizesOf(connection)),
    close: () => connection.close(),
  };
}

function refuseWrite(): Promise<never> {
  return Promise.reject(new BridgeError('internal', 'the database is open read-only'));
}
