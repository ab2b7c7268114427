import { existsSync, linkSync, mkdtempSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import Sqlite from 'better-sqlite3';
import { BridgeError } from '../../errors/bridge-error.ts';
import { syncPathNow } from '../../platform/durable-file.ts';
import { errorCode } from '../../platform/error-code.ts';
import { createOwnerFile } from '../../platform/owner-file.ts';
import { type Connection, setDatabaseIdentity, UNIDENTIFIED } from './connection.ts';
import { isDamage } from './driver-errors.ts';

/**
 * Copies the database to a new file that only its owner may read, even while other connections use the database. The new file
 * appears under its name only when it is complete and durable. Returns false, and does nothing, if the target exists. Throws
 * `configuration` if the copy cannot be written, and the error of the driver if the database is damaged.
 */
export function copyDatabase(connection: Connection, target: string): boolean {
  if (existsSync(target)) return false;
  const folder = dirname(resolve(target));
  // The copy is written under another name first, because a crash must not leave an incomplete copy under the final name.
  let temporary: string | undefined;
  let step = 'its temporary folder cannot be created';
  try {
    temporary = mkdtempSync(join(folder, '.state-copy-'));
    const copy = join(temporary, 'copy');
    step = 'the database cannot be copied';
    createOwnerFile(copy);
    connection.prepare('VACUUM INTO ?').run(copy);
    forgetIdentity(copy);
    step = 'the copy cannot be made durable';
    // `VACUUM INTO` does not sync its file.
    syncPathNow(copy);
    step = 'the copy cannot get its final name';
    // Unlike a rename, a link never replaces another file.
    linkSync(copy, target);
    syncPathNow(folder);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    // If the original is damaged, the caller reports the damage in its own error.
    if (isDamage(error)) throw error;
    throw new BridgeError(
      'configuration',
      `a copy of the state database cannot be written (${step}: ${codeOf(error)}); nothing was changed`,
      { cause: error },
    );
  } finally {
    if (temporary !== undefined) rmSync(temporary, { recursive: true, force: true });
  }
}

/** Returns the error code of the system, or of SQLite. A code contains no path. */
function codeOf(error: unknown): string {
  const code = errorCode(error) ?? 'unknown';
  return code === 'SQLITE_FULL' ? 'ENOSPC' : code;
}

/** Removes the identity of the copy, because a log of the original does not belong to the copy. */
function forgetIdentity(file: string): void {
  const copy = new Sqlite(file);
  try {
    setDatabaseIdentity(copy, UNIDENTIFIED);
  } finally {
    copy.close();
  }
}
