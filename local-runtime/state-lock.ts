import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { BridgeError } from '../lib/errors/bridge-error.ts';

export type StateLock =
  | { readonly ok: true /** Unlocks the directory. May be called again. */; release(): void }
  | { readonly ok: false };

/**
 * Locks the state directory for this process and creates it for its owner only when there is none. `ok: false` when
 * another process, or an earlier call, holds the lock. It is held until `release`, which the caller must not drop, or
 * until the process ends in any way. Throws `configuration` when the directory cannot be made or locked.
 */
export function lockStateDirectory(directory: string): StateLock {
  let lock: Sqlite.Database | undefined;
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    makeForOwner(join(directory, 'lock'));
    // A transaction on an empty database is the only lock available in Node that the kernel releases with the process.
    // Nothing else here may open this file: closing it would drop the lock (POSIX fcntl). It is never removed either,
    // or two processes could each lock a file of that name.
    lock = new Sqlite(join(directory, 'lock'), { timeout: 0 });
    // Otherwise the transaction creates a journal beside the file, and a crash does not remove it.
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

/** Creates the empty file for its owner only. An existing one is not opened: closing it would release a lock on it. */
function makeForOwner(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}
