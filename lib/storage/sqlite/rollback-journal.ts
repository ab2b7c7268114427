import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { APPLICATION_ID_OFFSET } from './file-header.ts';

// https://www.sqlite.org/fileformat2.html, section 3: the rollback journal.
const MAGIC = Buffer.from('d9d505f920a163d7', 'hex');
const HEADER_BYTES = 28;
const [COUNT_OFFSET, INITIAL_PAGES_OFFSET, SECTOR_OFFSET, PAGE_OFFSET] = [8, 16, 20, 24];
const PAGE_NUMBER_BYTES = 4;
const CHECKSUM_BYTES = 4;

/** Facts of a rollback journal that SQLite would play back into the database beside it. */
export interface RollbackJournal {
  /** Pages of the database before the transaction: playback cuts the file to this length. */
  readonly initialPages: number;
  /** Identity in the first page as it was before the transaction; undefined if the journal does not hold that page. */
  readonly identity: number | undefined;
}

/** Reads the journal beside a database. Undefined if there is none or it has no content to play back. Touches nothing. */
export function peekRollbackJournal(file: string): RollbackJournal | undefined {
  const path = `${file}-journal`;
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size < HEADER_BYTES) return undefined;
  const descriptor = openSync(path, 'r');
  const read = (at: number, bytes: number) => {
    const piece = Buffer.alloc(bytes);
    return piece.subarray(0, readSync(descriptor, piece, 0, bytes, at));
  };
  try {
    const header = read(0, HEADER_BYTES);
    if (!header.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
    const initialPages = header.readUInt32BE(INITIAL_PAGES_OFFSET);
    return { initialPages, identity: findIdentity(read, size) };
  } finally {
    closeSync(descriptor);
  }
}

/** Walks the records of all segments, a few bytes each, until one of them is the first page. */
function findIdentity(read: (at: number, bytes: number) => Buffer, size: number) {
  for (let at = 0; at + HEADER_BYTES <= size; ) {
    const header = read(at, HEADER_BYTES);
    if (!header.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
    const [sector, page] = [header.readUInt32BE(SECTOR_OFFSET), header.readUInt32BE(PAGE_OFFSET)];
    if (sector === 0 || page === 0) return undefined;
    const recordBytes = PAGE_NUMBER_BYTES + page + CHECKSUM_BYTES;
    const first = at + sector;
    const present = Math.max(0, Math.floor((size - first) / recordBytes));
    const counted = header.readUInt32BE(COUNT_OFFSET);
    // A count that was not synced is 0, and one that was not kept has all bits set.
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
