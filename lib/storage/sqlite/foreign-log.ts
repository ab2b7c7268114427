import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import Sqlite from 'better-sqlite3';
import { BridgeError } from '../../errors/bridge-error.ts';
import { databaseIdentity, UNIDENTIFIED } from './connection.ts';
import { type FileHeader, peekFileHeader } from './file-header.ts';
import { peekRollbackJournal } from './rollback-journal.ts';

/**
 * Throws `configuration` if the write-ahead log or the rollback journal beside the database was written for another
 * database, or for the one that a copy has replaced. Neither names its database, so SQLite would write it into this one
 * when it opens the file. The first page in it carries an identity; without that page it is taken for ours.
 */
export function refuseForeignLog(file: string): void {
  const header = peekFileHeader(file);
  if (typeof header === 'string') return;
  refuseJournal(file, header);
  refuseWriteAheadLog(file, header);
}

/** Must be asked first, because any other opening of the database plays its journal back. */
function refuseJournal(file: string, { version, identity }: FileHeader): void {
  const journal = peekRollbackJournal(file);
  if (journal === undefined) return;
  // A copy has a schema and no identity. A database gets both in the transaction that makes it, the only one that
  // begins with no pages.
  const isOfNewDatabase = journal.initialPages === 0;
  const isForeign = isOfNewDatabase
    ? version > 0 && identity === UNIDENTIFIED
    : ![undefined, UNIDENTIFIED, identity].includes(journal.identity);
  if (isForeign) throw foreign('journal', `${file}-journal`);
}

function refuseWriteAheadLog(file: string, { identity }: FileHeader): void {
  const log = statSync(`${file}-wal`, { throwIfNoEntry: false });
  if (log === undefined || log.size === 0) return;
  // Read-only, because the last writer that closes puts the log into the file.
  const reader = new Sqlite(file, { readonly: true });
  try {
    if (databaseIdentity(reader) === identity) return;
  } finally {
    reader.close();
  }
  throw foreign('log', `${file}-wal`);
}

function foreign(kind: 'journal' | 'log', path: string): BridgeError {
  return new BridgeError(
    'configuration',
    `state.directory: the ${kind} ${resolve(path)} was written for another database than bridge.sqlite; put its own beside it, or remove it`,
  );
}
