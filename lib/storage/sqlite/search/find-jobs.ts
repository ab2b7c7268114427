import type { JobSearchFilter } from '../../../jobs/job-search-port.ts';
import type { JobPageRequest } from '../../../jobs/job-store-port.ts';
import type { Steps } from '../../../platform/time-slices.ts';
import { foldPrompt } from './fold-prompt.ts';
import { blockOf, blockStart, positionOf, termBuckets } from './grams.ts';
import type { JobReader, SearchedJob } from './job-reader.ts';
import { lastMember, type Positions } from './postings.ts';
import type { SearchIndex } from './search-index.ts';
import type { UnindexedBlocks } from './unindexed-blocks.ts';

export interface SearchRequest extends JobPageRequest {
  readonly scope: string;
  readonly filter: JobSearchFilter;
}

interface Sources {
  readonly jobs: Pick<JobReader, 'find' | 'newestBelow' | 'matching'>;
  readonly index: Pick<SearchIndex, 'candidates'>;
  readonly unindexed: UnindexedBlocks;
}

// How many candidates of the index the other filters may refuse in a row before these filters are asked where to go on,
// and for how many jobs at once. Each way is slow where its own condition is common and the other one rare; by turns
// they take at most some twice the time of the better one.
const MOST_REFUSALS = 8;
const JOBS_A_QUESTION = 64;

/** The newest jobs of the page, one more than its limit if there are more. Every one is verified on its own row. */
export function* findJobs(sources: Sources, request: SearchRequest): Steps<readonly number[]> {
  const { scope, filter, before, limit } = request;
  const { jobs } = sources;
  const term = foldPrompt(filter.term);
  const walk = walkCandidates(sources, term);
  const found: number[] = [];
  let below = (jobs.newestBelow(before ?? Number.MAX_SAFE_INTEGER) ?? 0) + 1;
  let refusals = 0;

  function verify(sequence: number): void {
    const job = jobs.find(sequence);
    const isLet = job !== undefined && job.scope === scope && letsThrough(filter, job);
    refusals = isLet ? 0 : refusals + 1;
    if (isLet && foldPrompt(job.prompt).includes(term)) found.push(sequence);
    below = sequence;
  }

  while (found.length <= limit) {
    const candidate = yield* walk.lastBelow(below);
    if (candidate === undefined) break;
    verify(candidate);
    if (refusals > MOST_REFUSALS) {
      refusals = 0;
      const matching = jobs.matching(scope, filter, below, JOBS_A_QUESTION);
      for (const sequence of matching) if (walk.maybe(sequence)) verify(sequence);
      if (matching.length < JOBS_A_QUESTION) break;
      below = matching.at(-1) ?? below;
    }
    yield;
  }
  return found.slice(0, limit + 1);
}

/** The jobs that may have the term, newest first. */
function walkCandidates({ jobs, index, unindexed }: Sources, term: string) {
  const buckets = termBuckets(term);
  let current: { readonly block: number; readonly candidates: Positions } | undefined;

  function* candidatesIn(block: number): Steps<Positions> {
    if (current?.block === block) return current.candidates;
    const indexed = index.candidates(block, buckets);
    current = { block, candidates: indexed ?? (yield* unindexed.candidates(block, term)) };
    return current.candidates;
  }

  return {
    *lastBelow(before: number): Steps<number | undefined> {
      let top = before - 1;
      for (;;) {
        const block = blockOf(top);
        const position = lastMember(yield* candidatesIn(block), positionOf(top));
        if (position !== undefined) return blockStart(block) + position;
        const next = jobs.newestBelow(blockStart(block));
        if (next === null) return undefined;
        top = next;
        yield;
      }
    },
    /** Whether a job may have it, for all that is known without a look into another block. */
    maybe(sequence: number): boolean {
      if (current?.block !== blockOf(sequence)) return true;
      const position = positionOf(sequence);
      return lastMember(current.candidates, position) === position;
    },
  };
}

function letsThrough({ status, visibility, favorite }: JobSearchFilter, job: SearchedJob): boolean {
  return (
    (status === undefined || job.status === status) &&
    (visibility === 'all' || (job.hidden === 1) === (visibility === 'hidden')) &&
    (favorite === undefined || (job.favorite === 1) === favorite)
  );
}
