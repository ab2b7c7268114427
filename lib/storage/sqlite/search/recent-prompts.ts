import { blockOf, blockStart, positionOf } from './grams.ts';
import type { JobReader } from './job-reader.ts';
import { type Positions, toSet } from './postings.ts';
import type { Steps } from './turns.ts';

export type RecentPrompts = ReturnType<typeof createRecentPrompts>;

// Of UTF-16 units: four megabytes at most, and prompts of five hundred characters fill half of it.
const MOST_UNITS = 2 ** 21;

/**
 * The folded prompts of the newest block. It has no index before it is complete, and finding its jobs one by one in every
 * search would take longer than all the other blocks together.
 */
export function createRecentPrompts(jobs: Pick<JobReader, 'newestBelow' | 'listPrompts'>) {
  let block = -1;
  let prompts = new Map<number, string>();
  let next = 0;
  let units = 0;

  /** Reads what is missing. Other searches may do so between two steps of this one, and of another block. */
  function* catchUp(): Steps<void> {
    const asked = block;
    while (block === asked && units < MOST_UNITS) {
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

  return {
    /**
     * The positions of the jobs of a block that have the folded term or have not been read; undefined for any block but
     * the newest.
     */
    *candidates(asked: number, term: string): Steps<Positions | undefined> {
      const newest = jobs.newestBelow(Number.MAX_SAFE_INTEGER);
      if (newest === null || blockOf(newest) !== asked) return undefined;
      if (block !== asked) {
        [block, prompts, next, units] = [asked, new Map(), blockStart(asked), 0];
      }
      yield* catchUp();
      if (block !== asked) return undefined;
      const positions: number[] = [];
      for (const [sequence, prompt] of prompts) {
        if (prompt.includes(term)) positions.push(positionOf(sequence));
      }
      for (let unread = next; unread <= newest; unread += 1) positions.push(positionOf(unread));
      return toSet(positions);
    },
  };
}
