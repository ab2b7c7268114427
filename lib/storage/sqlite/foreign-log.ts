import { statSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { BridgeError } from '../../errors/bridge-error.ts';
import { databaseIdentity } from './connection.ts';
import { peekFileHeader } from './file-header.ts';

/**
 * Throws `configuration` when the write-ahead log beside the database was written for another one, or for the one that a
 * copy has replaced. A log names no database, so SQLite would write it into this one; but the first page in it carries
 * an identity. A log without that page is taken for ours.
 */
export function refuseForeignLog(file: string): void {
  const log = statSync(`${file}-wal`, { throwIfNoEntry: false });
  const header = peekFileHeader(file);
  if (log === undefined || log.size === 0 || typeof header === 'string') return;
  // Read-only, because the last writer that closes puts the log into the file.
  const reader = new Sqlite(file, { readonly: true });
  try {
    if (databaseIdentity(reader) === header.identity) return;
  } finally {
    reader.close();
  }
  throw new BridgeError(
    'configuration',
    'state.directory: the log bridge.sqlite-wal was written for another database than bridge.sqlite; put its own beside it, or remove it',
  );
}
