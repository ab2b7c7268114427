import { closeSync, constants, openSync, readSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import Sqlite from 'better-sqlite3';
import { BridgeError } from '../../errors/bridge-error.ts';
import { databaseIdentity, UNIDENTIFIED } from './connection.ts';

// The database header: https://www.sqlite.org/fileformat2.html, section 1.3.
const HEADER_BYTES = 100;
const MAGIC = Buffer.from('SQLite format 3\0', 'latin1');
const USER_VERSION_OFFSET = 60;
/** The offset of `application_id` in the first page of the file. */
const APPLICATION_ID_OFFSET = 68;

/** Fields of the header in the file itself. A log beside the file may contain newer values. */
interface FileHeader {
  /** The version of the schema, 0 for a new database. */
  readonly version: number;
  /** See `databaseIdentity`. */
  readonly identity: number;
}

/**
 * Reads the header of a database file. Does not change the file, lock the file or replay a log. An empty file counts as a new
 * database. Returns `unreadable` for a file that cannot be read or is not a database.
 */
export function peekFileHeader(file: string): 'absent' | 'unreadable' | FileHeader {
  const header = Buffer.alloc(HEADER_BYTES);
  let length: number;
  try {
    const entry = statSync(file, { throwIfNoEntry: false });
    if (entry === undefined) return 'absent';
    // Checked before the file is opened, because opening a pipe would wait until another program opens the pipe.
    if (!entry.isFile()) return 'unreadable';
    const fd = openSync(file, constants.O_RDONLY);
    try {
      length = readSync(fd, header, 0, HEADER_BYTES, 0);
    } finally {
      closeSync(fd);
    }
  } catch {
    return 'unreadable';
  }
  if (length === 0) return { version: 0, identity: UNIDENTIFIED };
  if (length < HEADER_BYTES || !header.subarray(0, MAGIC.length).equals(MAGIC)) return 'unreadable';
  return {
    version: header.readInt32BE(USER_VERSION_OFFSET),
    identity: header.readInt32BE(APPLICATION_ID_OFFSET),
  };
}

/**
 * Throws `configuration` if the write-ahead log or the rollback journal beside the database was written for another database,
 * or for the database that a copy has replaced. Neither file names its database, so SQLite would replay the file into this
 * database. The first page in a log or journal contains the identity of its database. A log or journal without this page is
 * accepted.
 */
export function refuseForeignLog(file: string): void {
  const header = peekFileHeader(file);
  if (typeof header === 'string') return;
  refuseJournal(file, header);
  refuseWriteAheadLog(file, header);
}

/**
 * Throws `configuration` if the journal belongs to another database. Must be called before the database is opened, because
 * opening it replays the journal.
 */
function refuseJournal(file: string, { version, identity }: FileHeader): void {
  const journal = peekRollbackJournal(file);
  if (journal === undefined) return;
  // A copy has a schema but no identity. A new database gets both in the transaction that creates it. Only this transaction
  // begins without pages.
  const isOfNewDatabase = journal.initialPages === 0;
  const isForeign = isOfNewDatabase
    ? version > 0 && identity === UNIDENTIFIED
    : ![undefined, UNIDENTIFIED, identity].includes(journal.identity);
  if (isForeign) throw foreign('journal', `${file}-journal`);
}

function refuseWriteAheadLog(file: string, { identity }: FileHeader): void {
  const log = statSync(`${file}-wal`, { throwIfNoEntry: false });
  if (log === undefined || log.size === 0) return;
  // The database is opened read-only, because the last writer that closes it would copy the log into the file.
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
    `state.directory: the ${kind} ${resolve(path)} does not belong to the database bridge.sqlite; replace the ${kind} with the matching one, or remove the ${kind}`,
  );
}

// The rollback journal: https://www.sqlite.org/fileformat2.html, section 3.
const JOURNAL_MAGIC = Buffer.from('d9d505f920a163d7', 'hex');
const JOURNAL_HEADER_BYTES = 28;
const [COUNT_OFFSET, INITIAL_PAGES_OFFSET, SECTOR_OFFSET, PAGE_OFFSET] = [8, 16, 20, 24];
const PAGE_NUMBER_BYTES = 4;
const CHECKSUM_BYTES = 4;

/** Fields of a rollback journal that SQLite would replay into the database beside it. */
interface RollbackJournal {
  /** The number of pages of the database before the transaction. A replay truncates the file to this length. */
  readonly initialPages: number;
  /** The identity in the first page before the transaction. Undefined if the journal does not contain that page. */
  readonly identity: number | undefined;
}

/**
 * Reads the journal beside a database without changing the journal. Returns undefined if the journal does not exist or contains
 * nothing to replay.
 */
function peekRollbackJournal(file: string): RollbackJournal | undefined {
  const path = `${file}-journal`;
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size < JOURNAL_HEADER_BYTES) return undefined;
  const descriptor = openSync(path, 'r');
  const read = (at: number, bytes: number) => {
    const piece = Buffer.alloc(bytes);
    return piece.subarray(0, readSync(descriptor, piece, 0, bytes, at));
  };
  try {
    const header = read(0, JOURNAL_HEADER_BYTES);
    if (!header.subarray(0, JOURNAL_MAGIC.length).equals(JOURNAL_MAGIC)) return undefined;
    const initialPages = header.readUInt32BE(INITIAL_PAGES_OFFSET);
    return { initialPages, identity: findIdentity(read, size) };
  } finally {
    closeSync(descriptor);
  }
}

/** Searches the records of all segments for the first page. Reads only a few bytes of each record. */
function findIdentity(read: (at: number, bytes: number) => Buffer, size: number) {
  for (let at = 0; at + JOURNAL_HEADER_BYTES <= size; ) {
    const header = read(at, JOURNAL_HEADER_BYTES);
    if (!header.subarray(0, JOURNAL_MAGIC.length).equals(JOURNAL_MAGIC)) return undefined;
    const [sector, page] = [header.readUInt32BE(SECTOR_OFFSET), header.readUInt32BE(PAGE_OFFSET)];
    if (sector === 0 || page === 0) return undefined;
    const recordBytes = PAGE_NUMBER_BYTES + page + CHECKSUM_BYTES;
    const first = at + sector;
    const present = Math.max(0, Math.floor((size - first) / recordBytes));
    const counted = header.readUInt32BE(COUNT_OFFSET);
    // The count is 0 if the header was not synced, and has all bits set if SQLite did not maintain the count.
    const records = counted === 0 ? present : Math.min(counted, present);
    for (let index = 0; index < records; index += 1) {
      const record = first + index * recordBytes;
      if (read(record, PAGE_NUMBER_BYTES).readUInt32BE(0) !== 1) continue;
      return read(record + PAGE_NUMBER_BYTES + APPLICATION_ID_OFFSET, 4).readInt32BE(0);
    }
    at = Math.ceil((first + records * recordBytes) / sector) * sector;
  }
  return undefined;
}
