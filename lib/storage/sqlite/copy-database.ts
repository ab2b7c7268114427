import { closeSync, existsSync, fsyncSync, linkSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import Sqlite from 'better-sqlite3';
import { BridgeError } from '../../errors/bridge-error.ts';
import { createOwnerFile } from '../../platform/owner-file.ts';
import { type Connection, setDatabaseIdentity, UNIDENTIFIED } from './connection.ts';

const DAMAGE = /^SQLITE_(CORRUPT|NOTADB)/;

/**
 * Writes what the database holds now into a new file for its owner alone, even while other connections use it; the copy is
 * durable and whole under its name, or there is none. False, and nothing done, when there is a file of that name. Throws
 * `configuration` when the copy cannot be written, the driver's error when the database is damaged.
 */
export function copyDatabase(connection: Connection, target: string): boolean {
  if (existsSync(target)) return false;
  const folder = dirname(resolve(target));
  // Written under another name first: a crash must not leave half a copy under the target's name.
  let temporary: string | undefined;
  let step = 'a folder for it cannot be made';
  try {
    temporary = mkdtempSync(join(folder, '.state-copy-'));
    const copy = join(temporary, 'copy');
    step = 'the database cannot be copied';
    createOwnerFile(copy);
    connection.prepare('VACUUM INTO ?').run(copy);
    forgetIdentity(copy);
    step = 'it cannot be made durable';
    syncPath(copy);
    step = 'it cannot be given its name';
    // Never over another file, as a rename would be.
    linkSync(copy, target);
    syncPath(folder);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    // Of the original, and the caller's to name.
    if (error instanceof Sqlite.SqliteError && DAMAGE.test(error.code)) throw error;
    throw new BridgeError(
      'configuration',
      `a copy of the state database cannot be written (${step}: ${codeOf(error)}); nothing was changed`,
      { cause: error },
    );
  } finally {
    if (temporary !== undefined) rmSync(temporary, { recursive: true, force: true });
  }
}

/** What the system, or else SQLite, calls the failure. It names no path. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error && 'code' in error)) return 'unknown';
  return error.code === 'SQLITE_FULL' ? 'ENOSPC' : String(error.code);
}

/** A log of the original must not pass for one of the copy, which goes its own way from here. */
function forgetIdentity(file: string): void {
  const copy = new Sqlite(file);
  try {
    setDatabaseIdentity(copy, UNIDENTIFIED);
  } finally {
    copy.close();
  }
}

/** Makes a file, or the names in a folder, durable: `VACUUM INTO` does not sync its file. */
export function syncPath(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
