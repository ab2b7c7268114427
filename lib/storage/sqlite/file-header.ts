import { closeSync, constants, openSync, readSync, statSync } from 'node:fs';
import { UNIDENTIFIED } from './connection.ts';

// https://www.sqlite.org/fileformat2.html, 1.3: the database header.
const HEADER_BYTES = 100;
const MAGIC = Buffer.from('SQLite format 3\0', 'latin1');
const USER_VERSION_OFFSET = 60;
/** Of `application_id`, in the first page of the file. */
export const APPLICATION_ID_OFFSET = 68;

/** What the file itself says, whatever a log beside it may add. */
export interface FileHeader {
  /** Of the schema; 0 for a new database. */
  readonly version: number;
  /** See `databaseIdentity`. */
  readonly identity: number;
}

/**
 * The header of a database file: nothing on disk is touched, no lock taken, no log replayed. An empty file is a new
 * database. `unreadable`: no database, or nothing that can be read.
 */
export function peekFileHeader(file: string): 'absent' | 'unreadable' | FileHeader {
  const header = Buffer.alloc(HEADER_BYTES);
  let length: number;
  try {
    const entry = statSync(file, { throwIfNoEntry: false });
    if (entry === undefined) return 'absent';
    // Opening a pipe would wait for its other end.
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
