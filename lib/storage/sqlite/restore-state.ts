import { existsSync, linkSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BridgeError } from '../../errors/bridge-error.ts';
import { syncPathNow } from '../../platform/durable-file.ts';
import { type Connection, connect, connectToRead, keepNoLog } from './connection.ts';
import { copyDatabase } from './copy-database.ts';
import { refuseForeignDatabase } from './database.ts';
import { peekFileHeader, refuseForeignLog } from './database-file.ts';
import { toOpenError } from './driver-errors.ts';
import { findCopyProblems } from './inspect-state.ts';
import { searchIndexFile } from './search/job-search.ts';

const TEMPORARY = '.state-restore-';
const HAS_TICKETS = "SELECT 1 FROM sqlite_schema WHERE name = 'ledger_ticket'";

/**
 * Replaces the database `file` with a copy of `source` whose queue is paused and whose running jobs do not continue. The caller
 * must have locked the directory. The source is copied and checked first, and the replacement is atomic: after a failure or a
 * crash, `file` is unchanged or is the copy. Keeps the replaced database in the same folder and returns its name, or undefined if
 * no database existed. Throws `configuration` if the restore fails.
 */
export function restoreState(file: string, source: string): string | undefined {
  const folder = dirname(file);
  const temporary = mkdtempSync(join(folder, TEMPORARY));
  try {
    const copy = join(temporary, 'copy.sqlite');
    copySource(source, copy);
    const [problem] = findCopyProblems(copy);
    if (problem !== undefined) throw refusal(`is not valid: ${problem}`);
    stopJobs(copy);
    const replaced = keepReplaced(file);
    renameSync(copy, file);
    // The search index describes the replaced jobs. The next start builds a new index.
    for (const end of ['', '-wal', '-shm'])
      rmSync(`${searchIndexFile(file)}${end}`, { force: true });
    syncPathNow(folder);
    removeTemporary(folder);
    return replaced;
  } catch (error) {
    if (error instanceof BridgeError) throw error;
    const message = 'state.directory: the copy cannot be moved into the folder';
    throw new BridgeError('configuration', message, { cause: error });
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** Removes the temporary copies of this restore and of interrupted restores, because the copies contain prompts. */
function removeTemporary(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (name.startsWith(TEMPORARY)) rmSync(join(folder, name), { recursive: true, force: true });
  }
}

function copySource(source: string, copy: string): void {
  const header = peekFileHeader(source);
  if (header === 'absent') throw refusal('does not exist');
  // An empty file counts as a new database, but it is not a backup.
  if (header === 'unreadable' || header.version === 0) {
    throw refusal('is not a database of a bridge');
  }
  refuseForeignDatabase(source);
  let connection: Connection | undefined;
  try {
    connection = connectToRead(source);
    copyDatabase(connection, copy);
  } catch (error) {
    if (error instanceof BridgeError) throw error;
    throw refusal('is damaged');
  } finally {
    connection?.close();
  }
}

/**
 * Pauses the queue of the copy and deletes its tickets, so that its running jobs end as interrupted. The original may have run its
 * queued jobs and the further calls of its running jobs since the copy was made, and each of these would be charged again.
 */
function stopJobs(copy: string): void {
  const connection = connect(copy);
  try {
    keepNoLog(connection);
    connection.prepare('UPDATE queue SET paused = 1').run();
    // A copy of an earlier schema has no tickets.
    if (connection.prepare(HAS_TICKETS).get()) connection.exec('DELETE FROM ledger_ticket');
  } finally {
    connection.close();
  }
}

/** Links the database, with its log, to another name. Returns the name, or undefined if there is no database. */
function keepReplaced(file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  const name = freeName(dirname(file));
  const kept = join(dirname(file), name);
  try {
    refuseForeignLog(file);
    const connection = connect(file);
    try {
      keepNoLog(connection);
    } finally {
      connection.close();
    }
    linkSync(file, kept);
  } catch (error) {
    // If the database cannot be opened, its log is kept too, because the log may contain changes that are not in the file.
    const reason = toOpenError(error, file);
    if (reason.message.endsWith('in use by another program')) throw reason;
    linkSync(file, kept);
    for (const end of ['-wal', '-journal']) {
      if (existsSync(file + end)) renameSync(file + end, kept + end);
    }
    rmSync(`${file}-shm`, { force: true });
  }
  return name;
}

function freeName(folder: string): string {
  for (let number = 1; ; number += 1) {
    const name = `bridge.replaced-${number}.sqlite`;
    if (!existsSync(join(folder, name))) return name;
  }
}

function refusal(reason: string): BridgeError {
  return new BridgeError('configuration', `the file to restore ${reason}`);
}
