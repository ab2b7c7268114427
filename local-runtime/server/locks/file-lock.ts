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
 * Locks a file for this process. If the file or its folder does not exist, creates both, accessible only by their owner.
 * Returns undefined if another process, or an earlier call, holds the lock. The lock is held until `release` or until the
 * process ends. The caller must keep the returned object. Throws if the file cannot be created or locked, or is not empty.
 */
export function lockFile(path: string): FileLock | undefined {
  mkdirSync(dirname(path), { recursive: true, mode: OWNER_FOLDER });
  createOwnerFile(path);
  // A file with content is rejected, because SQLite would treat the content as a database and change it.
  const found = statSync(path);
  if (found.isFile() && found.size > 0) throw new Error('the file is not empty');
  // Node itself has no lock that the kernel releases when the process ends. A transaction of SQLite on an empty database is
  // such a lock. This process must not open the file a second time, because closing the file would release the lock (POSIX
  // fcntl). The file is never removed, because two processes could then lock two different files with the same name.
  const lock = new Sqlite(path, { timeout: 0 });
  try {
    // In other modes, the transaction creates a journal file, which remains after a crash.
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
 * Locks a file in the same way as `lockFile`, but waits up to `forMs` while another process holds the lock. Resolves with
 * undefined if the other process still holds the lock after this time.
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
