import type { SearchTerms } from '../../../contract/resources/search-terms.ts';
import type { JobPageRequest, JobSearchFilter } from '../../../jobs/job-store-port.ts';
import type { Steps } from '../../../platform/time-slices.ts';
import { foldPrompt, foldTerms, matchesTerms } from '../../jobs/fold-prompt.ts';
import { matchesFacts } from '../../jobs/job-facts.ts';
import { blockOf, blockStart, bucketsOf, positionOf } from './grams.ts';
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

// A search either checks candidates from the index against the filters, or checks jobs that match the filters against the
// terms. Each method is slow if its first condition matches many jobs and its second condition few. Alternating between the
// methods after this many rejected candidates in a row takes at most about twice the time of the faster method.
const MAX_REFUSALS = 8;
const JOBS_PER_QUERY = 64;

/**
 * Returns the sequences of the jobs on the page, newest first, and one more sequence if there is a next page. Every job is
 * verified against its row.
 */
export function* findJobs(sources: Sources, request: SearchRequest): Steps<readonly number[]> {
  const { scope, filter, before, limit } = request;
  const { jobs } = sources;
  const terms = foldTerms(filter.terms);
  const walk = walkCandidates(sources, terms);
  const found: number[] = [];
  let below = (jobs.newestBelow(before ?? Number.MAX_SAFE_INTEGER) ?? 0) + 1;
  let refusals = 0;

  function verify(sequence: number): void {
    const job = jobs.find(sequence);
    const isMatch = job !== undefined && job.scope === scope && matchesFilter(filter, job);
    refusals = isMatch ? 0 : refusals + 1;
    if (isMatch && matchesTerms(terms, foldPrompt(job.prompt))) found.push(sequence);
    below = sequence;
  }

  while (found.length <= limit) {
    const candidate = yield* walk.lastBelow(below);
    if (candidate === undefined) break;
    verify(candidate);
    if (refusals > MAX_REFUSALS) {
      refusals = 0;
      const matching = jobs.matching(scope, filter, below, JOBS_PER_QUERY);
      for (const sequence of matching) if (walk.maybe(sequence)) verify(sequence);
      if (matching.length < JOBS_PER_QUERY) break;
      below = matching.at(-1) ?? below;
    }
    yield;
  }
  return found.slice(0, limit + 1);
}

/** Walks through the jobs that may match the terms, newest first. */
function walkCandidates({ jobs, index, unindexed }: Sources, terms: SearchTerms) {
  const buckets = bucketsOf(terms.all);
  let current: { readonly block: number; readonly candidates: Positions } | undefined;

  function* candidatesIn(block: number): Steps<Positions> {
    if (current?.block === block) return current.candidates;
    const indexed = index.candidates(block, buckets);
    const isMatch = (folded: string) => matchesTerms(terms, folded);
    current = { block, candidates: indexed ?? (yield* unindexed.candidates(block, isMatch)) };
    return current.candidates;
  }

  return {
    *lastBelow(before: number): Steps<number | undefined> {
      // Without a text to find, every job is a candidate.
      if (buckets.length === 0) return jobs.newestBelow(before) ?? undefined;
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
    /** Returns true if a job may match the terms, or if its block has not been read. */
    maybe(sequence: number): boolean {
      if (current?.block !== blockOf(sequence)) return true;
      const position = positionOf(sequence);
      return lastMember(current.candidates, position) === position;
    },
  };
}

function matchesFilter(
  { status, visibility, favorite, provider, label, group, ...facts }: JobSearchFilter,
  job: SearchedJob,
): boolean {
  return (
    matchesFacts(facts, job) &&
    (status === undefined || job.status === status) &&
    (visibility === 'all' || (job.hidden === 1) === (visibility === 'hidden')) &&
    (favorite === undefined || (job.favorite === 1) === favorite) &&
    (provider === undefined || job.provider === provider) &&
    (label === undefined || job.labels.includes(label)) &&
    (group === undefined || job.groupId === group)
  );
}
