import type { Steps } from '../../../platform/time-slices.ts';
import { blockOf, blockStart } from './grams.ts';
import type { JobReader } from './job-reader.ts';
import type { SearchIndex } from './search-index.ts';

interface Sources {
  readonly jobs: JobReader;
  readonly index: SearchIndex;
}

/**
 * Removes the blocks of jobs that are not in this database. Such blocks exist if an older copy was restored or the database was
 * replaced. If a job has the same sequence and id as in the index, all jobs before it are the same too. Must be called before
 * the first search.
 */
export function confirmIndex({ jobs, index }: Sources): void {
  const blocks = index.blocks();
  const known = blocks.findIndex(({ lastSequence, lastId }) => jobs.idOf(lastSequence) === lastId);
  // The first update builds the index again.
  if (known === -1 && blocks.length > 0) index.discard();
  for (const { number } of blocks.slice(0, Math.max(known, 0))) index.removeBlock(number);
}

/** Indexes every complete block, oldest first. The newest jobs are in an incomplete block, and searches read them directly. */
export function* indexBlocks({ jobs, index }: Sources): Steps<void> {
  let oldest = jobs.oldestFrom(0);
  while (oldest !== null) {
    const block = blockOf(oldest);
    const end = blockStart(block + 1);
    if (!index.has(block)) {
      const newest = jobs.newestBelow(Number.MAX_SAFE_INTEGER);
      if (newest === null || newest < end - 1) return;
      yield* writeBlock({ jobs, index }, block);
    }
    yield;
    oldest = jobs.oldestFrom(end);
  }
}

/** Removes a block without jobs from the index, and indexes a block again if half of its jobs were removed. */
export function* forgetRemoved({ jobs, index }: Sources, block: number): Steps<void> {
  const indexed = index.blocks().find(({ number }) => number === block);
  if (indexed === undefined) return;
  const left = jobs.countIn(block);
  if (left === 0) index.removeBlock(block);
  else if (left * 2 <= indexed.jobs) yield* writeBlock({ jobs, index }, block);
}

function* writeBlock({ jobs, index }: Sources, number: number): Steps<void> {
  const lastSequence = jobs.newestBelow(blockStart(number + 1));
  const lastId = lastSequence === null ? undefined : jobs.idOf(lastSequence);
  if (lastSequence === null || lastId === undefined) return;
  const block = { number, jobs: jobs.countIn(number), lastSequence, lastId };
  yield* index.write(block, () => readBlock(jobs, number));
}

function* readBlock(jobs: Pick<JobReader, 'listPrompts'>, block: number) {
  let from = blockStart(block);
  for (;;) {
    const read = jobs.listPrompts(from, blockStart(block + 1));
    const last = read.at(-1);
    if (last === undefined) return;
    yield read;
    from = last.sequence + 1;
  }
}
