import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import Sqlite from 'better-sqlite3';
import { type Clock, sleep, stayAwake } from '../../lib/platform/clock.ts';
import { createOwnerFile, OWNER_FOLDER } from '../../lib/platform/owner-file.ts';

const RETRY_MS = 20;

export interface FileLock {
  /** Unlocks the file. May be called again. */
  release(): void;
}

/**
 * Locks a file for this process and creates it, and its folder, for their owner only when there is none. Undefined when
 * another process, or an earlier call, holds the lock. It is held until `release`, which the caller must not drop, or
 * until the process ends in any way. Throws when the file cannot be made or locked, or has content.
 */
export function lockFile(path: string): FileLock | undefined {
  mkdirSync(dirname(path), { recursive: true, mode: OWNER_FOLDER });
  createOwnerFile(path);
  // SQLite would take the lock of a real database, and change its journal.
  const found = statSync(path);
  if (found.isFile() && found.size > 0) throw new Error('the file is not empty');
  // A transaction on an empty database is the only lock available in Node that the kernel releases with the process.
  // Nothing else here may open this file: closing it would drop the lock (POSIX fcntl). It is never removed either,
  // or two processes could each lock a file of that name.
  const lock = new Sqlite(path, { timeout: 0 });
  try {
    // Otherwise the transaction creates a journal beside the file, and a crash does not remove it.
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
 * Locks a file as `lockFile` does, and waits up to `forMs` while another process holds the lock. Undefined if it is held
 * for longer.
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
