import type { Steps } from '../../../platform/time-slices.ts';
import { blockOf, blockStart, positionOf } from './grams.ts';
import type { JobReader } from './job-reader.ts';
import { type Positions, toSet } from './postings.ts';

type PromptTest = (folded: string) => boolean;

export type UnindexedBlocks = ReturnType<typeof createUnindexedBlocks>;

// The size of the cache in UTF-16 units: four megabytes. A block of 500-character prompts almost fills the cache.
const MAX_CACHED_UNITS = 2 ** 21;

/**
 * Finds prompts in blocks without an index by reading all their prompts. The prompts of the newest block are cached, because
 * every search reads that block, and a block is not indexed until it is complete.
 */
export function createUnindexedBlocks(jobs: Pick<JobReader, 'newestBelow' | 'listPrompts'>) {
  let block = -1;
  let prompts = new Map<number, string>();
  let next = 0;
  let units = 0;

  /**
   * Reads missing prompts into the cache. Between two steps, another search may also read prompts into the cache, possibly
   * those of a later block.
   */
  function* catchUp(): Steps<void> {
    const asked = block;
    while (block === asked && units < MAX_CACHED_UNITS) {
      const read = jobs.listPrompts(next, blockStart(block + 1));
      if (read.length === 0) return;
      for (const { sequence, prompt } of read) {
        prompts.set(sequence, prompt);
        next = sequence + 1;
        units += prompt.length;
      }
      yield;
    }
  }

  function* readFrom(first: number, isMatch: PromptTest): Steps<number[]> {
    const positions: number[] = [];
    const end = blockStart(blockOf(first) + 1);
    let from = first;
    for (;;) {
      const read = jobs.listPrompts(from, end);
      for (const { sequence, prompt } of read) {
        if (isMatch(prompt)) positions.push(positionOf(sequence));
        from = sequence + 1;
      }
      if (read.length === 0 || from === end) return positions;
      yield;
    }
  }

  function isNewest(asked: number): boolean {
    const newest = jobs.newestBelow(Number.MAX_SAFE_INTEGER);
    return newest !== null && blockOf(newest) === asked;
  }

  return {
    /** Returns the positions of the jobs whose folded prompts pass the test. */
    *candidates(asked: number, isMatch: PromptTest): Steps<Positions> {
      if (!isNewest(asked)) return toSet(yield* readFrom(blockStart(asked), isMatch));
      if (block !== asked) {
        [block, prompts, next, units] = [asked, new Map(), blockStart(asked), 0];
      }
      yield* catchUp();
      if (block !== asked) return toSet(yield* readFrom(blockStart(asked), isMatch));
      const kept = [...prompts].filter(([, prompt]) => isMatch(prompt));
      const unread = blockOf(next) === asked ? yield* readFrom(next, isMatch) : [];
      return toSet([...kept.map(([sequence]) => positionOf(sequence)), ...unread]);
    },
  };
}
