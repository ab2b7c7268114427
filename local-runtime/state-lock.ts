import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { BridgeError } from '../lib/errors/bridge-error.ts';

export type StateLock =
  | { readonly ok: true /** Gives the directory free; may be called again. */; release(): void }
  | { readonly ok: false };

/**
 * Takes the state directory for this process, making it for the owner alone when there is none; `ok: false` when
 * another one, or an earlier call, holds it. It is held until `release`, which the caller must keep, or until the
 * process ends, however it ends. Throws `configuration` when the directory cannot be made or locked.
 */
export function lockStateDirectory(directory: string): StateLock {
  let lock: Sqlite.Database | undefined;
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    makeForOwner(join(directory, 'lock'));
    // A transaction on an empty database is the one lock within Node's reach that the kernel lets go with the process.
    // Nothing else here may open this file: closing it would drop the lock (POSIX fcntl). It is never removed either,
    // or two processes could each lock a file of that name.
    lock = new Sqlite(join(directory, 'lock'), { timeout: 0 });
    // Else the transaction puts a journal beside the file, and a crash leaves it there.
    lock.pragma('journal_mode = MEMORY');
    lock.exec('BEGIN EXCLUSIVE');
  } catch (cause) {
    lock?.close();
    if (cause instanceof Sqlite.SqliteError && cause.code.startsWith('SQLITE_BUSY')) {
      return { ok: false };
    }
    throw new BridgeError('configuration', 'state.directory: it cannot be made or locked', {
      cause,
    });
  }
  return { ok: true, release: () => lock?.close() };
}

/** Makes the empty file for its owner alone. One that exists is not even opened: closing it would drop a lock on it. */
function makeForOwner(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}
