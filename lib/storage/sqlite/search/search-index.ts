import { rmSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import * as v from 'valibot';
import { createOwnerFile } from '../../../platform/owner-file.ts';
import type { Steps } from '../../../platform/time-slices.ts';
import {
  type Connection,
  connect,
  prepareDerived,
  schemaVersion,
  setSchemaVersion,
} from '../connection.ts';
import { type FoldedJob, invertBlock } from './invert-block.ts';
import { decodePosting, encodePosting, intersect, type Positions } from './postings.ts';

const SCHEMA = `
CREATE TABLE block (
  number INTEGER NOT NULL PRIMARY KEY,
  jobs INTEGER NOT NULL,
  last_seq INTEGER NOT NULL,
  last_id TEXT NOT NULL
) STRICT;
CREATE TABLE posting (slot INTEGER NOT NULL PRIMARY KEY, positions BLOB NOT NULL) STRICT`;
const LIST_BLOCKS = 'SELECT number, jobs, last_seq AS lastSequence, last_id AS lastId FROM block';
const INSERT_BLOCK = `
  INSERT INTO block (number, jobs, last_seq, last_id)
  VALUES (@number, @jobs, @lastSequence, @lastId)`;
const DELETE_BLOCK = 'DELETE FROM block WHERE number = ?';
const FIND_POSTING = 'SELECT positions FROM posting WHERE slot = ?';
const INSERT_POSTING = 'INSERT INTO posting (slot, positions) VALUES (?, ?)';
const DELETE_POSTINGS = 'DELETE FROM posting WHERE slot >= ? AND slot < ?';

// The version of the layout and the Unicode version of the engine, which folding uses. A file with another format is replaced.
const FORMAT = 2_000_000 + Math.round(Number(process.versions['unicode']) * 1000);
// The posting of a bucket has the slot `block * SLOTS_PER_BLOCK + bucket`. The factor is larger than the number of buckets.
const SLOTS_PER_BLOCK = 2 ** 21;
// If at most this many bytes contain candidates, no further posting is read, because verifying the candidates takes less time.
const FEW_BYTES = 4;
const DAMAGE = /^SQLITE_(CORRUPT|NOTADB|IOERR)/;

const BlockRows = v.array(
  v.object({
    number: v.number(),
    jobs: v.number(),
    lastSequence: v.number(),
    lastId: v.string(),
  }),
);
export type IndexedBlock = v.InferOutput<typeof BlockRows>[number];
const Posting = v.optional(v.instance(Uint8Array));

type OpenIndex = ReturnType<typeof withStatements>;

export type SearchIndex = ReturnType<typeof openSearchIndex>;

/**
 * Stores the jobs of each block that may contain a gram, in a separate file that can be rebuilt. Reading never fails, because a
 * damaged file is removed and a block that cannot be read counts as not indexed.
 */
export function openSearchIndex(file: string) {
  let opened = openIfPossible(file);

  function discard(): void {
    opened?.connection.close();
    opened = undefined;
    removeFiles(file);
  }

  function discardIfDamaged(error: unknown): void {
    if (error instanceof Sqlite.SqliteError && DAMAGE.test(error.code)) discard();
  }

  return {
    /** Returns the indexed blocks by descending number. */
    blocks: () => [...(opened?.blocks.values() ?? [])].sort((a, b) => b.number - a.number),
    has: (block: number) => opened?.blocks.has(block) ?? false,
    isOpen: () => opened !== undefined,
    /** Opens or creates the file if it is not open or was removed. Throws the errors of the driver and of the file system. */
    reopen(): void {
      opened ??= openOrReplace(file);
    },
    /**
     * Returns the positions of all jobs in the block that are in all of these buckets, and possibly of a few more jobs. Returns
     * undefined if the block is not indexed. Moves the most selective bucket to the front for the next block.
     */
    candidates(block: number, buckets: number[]): Positions | undefined {
      if (!opened?.blocks.has(block)) return undefined;
      try {
        return candidatesOf(opened, block, buckets);
      } catch (error) {
        discardIfDamaged(error);
        return undefined;
      }
    },
    /**
     * Indexes a block and replaces its earlier index. Throws the errors of the driver. After an error, the block is not
     * indexed.
     */
    *write(block: IndexedBlock, readJobs: () => Iterable<readonly FoldedJob[]>): Steps<void> {
      if (opened === undefined) return;
      const { connection, blocks } = opened;
      // Until the commit, searches read the jobs directly.
      blocks.delete(block.number);
      try {
        connection.exec('BEGIN IMMEDIATE');
        yield* writeBlock(opened, block, readJobs);
        connection.exec('COMMIT');
        blocks.set(block.number, block);
      } catch (error) {
        if (connection.open && connection.inTransaction) connection.exec('ROLLBACK');
        discardIfDamaged(error);
        throw error;
      }
    },
    removeBlock(block: number): void {
      if (opened === undefined) return;
      const { connection, blocks, deleteBlock } = opened;
      blocks.delete(block);
      try {
        connection.transaction(deleteBlock)(block);
      } catch (error) {
        discardIfDamaged(error);
      }
    },
    discard,
    close: () => opened?.connection.close(),
  };
}

function candidatesOf({ findPosting }: OpenIndex, block: number, buckets: number[]): Positions {
  let candidates: Positions | undefined;
  for (const [nth, bucket] of buckets.entries()) {
    const stored = findPosting(firstSlot(block) + bucket);
    const posting = stored === undefined ? new Uint8Array() : decodePosting(stored);
    if (posting === undefined) throw new Sqlite.SqliteError('no posting', 'SQLITE_CORRUPT');
    const left = candidates === undefined ? posting.length : intersect(candidates, posting);
    candidates ??= posting;
    if (left > FEW_BYTES) continue;
    // A bucket that is rare in one block is usually rare in the next.
    buckets.splice(nth, 1);
    buckets.unshift(bucket);
    break;
  }
  return candidates ?? new Uint8Array();
}

function* writeBlock(
  { deleteBlock, insertBlock, insertPosting }: OpenIndex,
  block: IndexedBlock,
  readJobs: () => Iterable<readonly FoldedJob[]>,
): Steps<void> {
  deleteBlock(block.number);
  insertBlock(block);
  const first = firstSlot(block.number);
  yield* invertBlock(readJobs, (bucket, positions) =>
    insertPosting(first + bucket, encodePosting(positions)),
  );
}

function firstSlot(block: number): number {
  return block * SLOTS_PER_BLOCK;
}

function openIfPossible(file: string): OpenIndex | undefined {
  try {
    return openOrReplace(file);
  } catch {
    // Searches work without an index, only more slowly.
    return undefined;
  }
}

function openOrReplace(file: string): OpenIndex {
  try {
    return openIndex(file);
  } catch {
    removeFiles(file);
  }
  return openIndex(file);
}

function openIndex(file: string): OpenIndex {
  // Only the owner may read the file, as with the state database, because the index reveals much of the text of the prompts.
  createOwnerFile(file);
  const connection = connect(file);
  try {
    prepareDerived(connection);
    if (schemaVersion(connection) !== FORMAT) {
      connection.exec(SCHEMA);
      setSchemaVersion(connection, FORMAT);
    }
    return withStatements(connection);
  } catch (error) {
    connection.close();
    throw error;
  }
}

function withStatements(connection: Connection) {
  const listBlocks = connection.prepare(LIST_BLOCKS);
  const insertBlock = connection.prepare(INSERT_BLOCK);
  const deleteBlock = connection.prepare(DELETE_BLOCK);
  const findPosting = connection.prepare(FIND_POSTING).pluck();
  const insertPosting = connection.prepare(INSERT_POSTING);
  const deletePostings = connection.prepare(DELETE_POSTINGS);
  const blocks = v.parse(BlockRows, listBlocks.all());
  return {
    connection,
    blocks: new Map(blocks.map((block) => [block.number, block])),
    findPosting: (slot: number) => v.parse(Posting, findPosting.get(slot)),
    insertPosting: (slot: number, posting: Uint8Array) => insertPosting.run(slot, posting),
    insertBlock: (block: IndexedBlock) => insertBlock.run(block),
    deleteBlock(number: number): void {
      deleteBlock.run(number);
      deletePostings.run(firstSlot(number), firstSlot(number + 1));
    },
  };
}

function removeFiles(file: string): void {
  for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
}
