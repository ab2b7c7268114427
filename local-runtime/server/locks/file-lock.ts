import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import Sqlite from 'better-sqlite3';
import { type Clock, sleep, stayAwake } from '../../../lib/platform/clock.ts';
import { createOwnerFile, OWNER_FOLDER } from '../../../lib/platform/owner-file.ts';

const RETRY_MS = 20;

export interface FileLock {
  /** Unlocks the file. Later calls have no effect. */
  release(): void;
}

/**
 * Locks a file for this process. Creates the file and its folder, accessible only by their owner, if they do not exist.
 * Returns undefined if another process, or an earlier call, holds the lock. The lock is held until `release` or until the
 * process ends in any way. The caller must keep the returned object. Throws if the file cannot be created or locked, or is
 * not empty.
 */
export function lockFile(path: string): FileLock | undefined {
  mkdirSync(dirname(path), { recursive: true, mode: OWNER_FOLDER });
  createOwnerFile(path);
  // SQLite would lock a real database and change its journal.
  const found = statSync(path);
  if (found.isFile() && found.size > 0) throw new Error('the file is not empty');
  // A transaction on an empty database is the only lock available in Node that the kernel releases when the process ends.
  // This process must not open the file again: closing it would release the lock (POSIX fcntl). The file is never removed,
  // because two processes could then each lock a different file of that name.
  const lock = new Sqlite(path, { timeout: 0 });
  try {
    // In other modes the transaction creates a journal beside the file, which remains after a crash.
    lock.pragma('journal_mode = MEMORY');
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY')) {
      return undefined;
    }
    throw error;
  }
  return { release: () => lock.close() };
}

/**
 * Locks a file as `lockFile` does, and waits up to `forMs` while another process holds the lock. Resolves with undefined
 * if the lock is held for longer.
 */
export async function waitForFileLock(
  path: string,
  { clock, forMs }: { readonly clock: Clock; readonly forMs: number },
): Promise<FileLock | undefined> {
  const endMs = clock.monotonicMs() + forMs;
  const { signal } = new AbortController();
  const release = stayAwake();
  try {
    for (;;) {
      const lock = lockFile(path);
      if (lock !== undefined || clock.monotonicMs() >= endMs) return lock;
      await sleep(clock, RETRY_MS, signal);
    }
  } finally {
    release();
  }
}
