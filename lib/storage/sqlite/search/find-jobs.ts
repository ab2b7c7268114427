import type { JobOrder } from '../../../contract/resources/job.ts';
import type { SearchTerms } from '../../../contract/resources/search-terms.ts';
import type { JobListPage, JobSearchFilter } from '../../../jobs/job-store-port.ts';
import type { Steps } from '../../../platform/time-slices.ts';
import { foldTerms, matchesTerms } from '../../jobs/fold-prompt.ts';
import { beginOf } from '../../jobs/page-begin.ts';
import { blockOf, blockStart, bucketsOf, positionOf } from './grams.ts';
import type { JobReader } from './job-reader.ts';
import { firstMember, lastMember, type Positions } from './postings.ts';
import type { SearchIndex } from './search-index.ts';
import type { UnindexedBlocks } from './unindexed-blocks.ts';

export type SearchRequest = JobListPage & {
  readonly scope: string;
  readonly filter: JobSearchFilter;
};

interface Sources {
  readonly jobs: Pick<JobReader, 'foldedOf' | 'newestBelow' | 'oldestFrom' | 'matching'>;
  readonly index: Pick<SearchIndex, 'candidates'>;
  readonly unindexed: UnindexedBlocks;
}

// A search either checks candidates from the index against the filters, or checks jobs that match the filters against the
// terms. Each method is slow if its first condition matches many jobs and its second condition few. Alternating between the
// methods after more than this number of rejected candidates in a row takes at most about twice the time of the faster method.
const MAX_REFUSALS = 8;
// One query verifies many candidates, because a query for each of them takes several times as long.
const JOBS_PER_QUERY = 64;

/** The steps of a walk through the jobs, which begins beyond an edge. */
const WALKS = {
  newest: {
    step: -1,
    nearest: (jobs: Sources['jobs'], edge: number) => jobs.newestBelow(edge),
    nearestMember: lastMember,
    /** Returns the edge from which the search continues after a block. */
    edgeOf: (block: number) => blockStart(block),
  },
  oldest: {
    step: 1,
    nearest: (jobs: Sources['jobs'], edge: number) => jobs.oldestFrom(edge + 1),
    nearestMember: firstMember,
    edgeOf: (block: number) => blockStart(block + 1) - 1,
  },
} as const satisfies Record<JobOrder, object>;

/**
 * Returns the sequences of the jobs on the page, in its order, and one more sequence if there is a next page. Every job is
 * verified against its row.
 */
export function* findJobs(sources: Sources, request: SearchRequest): Steps<readonly number[]> {
  const { scope, filter, limit } = request;
  const { order, edge: begin } = beginOf(request);
  const { jobs } = sources;
  const first = WALKS[order].nearest(jobs, begin);
  if (first === null) return [];
  const terms = foldTerms(filter.terms);
  const walk = walkCandidates(sources, terms, order);
  const found: number[] = [];
  let edge = first - WALKS[order].step;
  let refusals = 0;

  function verify(candidates: readonly number[]): void {
    const matching = jobs
      .foldedOf(scope, filter, { sequences: candidates, order })
      .filter(({ prompt }) => matchesTerms(terms, prompt))
      .map(({ sequence }) => sequence);
    found.push(...matching);
    edge = candidates.at(-1) ?? edge;
    const last = candidates.lastIndexOf(matching.at(-1) ?? Number.NaN);
    refusals = candidates.length - 1 - last + (last < 0 ? refusals : 0);
  }

  while (found.length <= limit) {
    const wanted = Math.min(limit + 1 - found.length, JOBS_PER_QUERY);
    const candidates = yield* walk.next(edge, wanted);
    if (candidates.length === 0) break;
    verify(candidates);
    if (refusals > MAX_REFUSALS) {
      refusals = 0;
      const page = { order, edge, limit: JOBS_PER_QUERY };
      const matching = jobs.matching(scope, filter, page);
      verify(matching.filter(walk.maybe));
      if (matching.length < JOBS_PER_QUERY) break;
      edge = matching.at(-1) ?? edge;
    }
    yield;
  }
  return found.slice(0, limit + 1);
}

/** Walks through the jobs that may match the terms, in this order. */
function walkCandidates({ jobs, index, unindexed }: Sources, terms: SearchTerms, order: JobOrder) {
  const { step, nearest, nearestMember, edgeOf } = WALKS[order];
  const buckets = bucketsOf(terms.all);
  let current: { readonly block: number; readonly candidates: Positions } | undefined;

  function* candidatesIn(block: number): Steps<Positions> {
    if (current?.block === block) return current.candidates;
    const indexed = index.candidates(block, buckets);
    const isMatch = (folded: string) => matchesTerms(terms, folded);
    current = { block, candidates: indexed ?? (yield* unindexed.candidates(block, isMatch)) };
    return current.candidates;
  }

  /** Returns the nearest candidate beyond the edge. */
  function* nearestBeyond(edge: number): Steps<number | undefined> {
    // Without a text to find, every job is a candidate.
    if (buckets.length === 0) return nearest(jobs, edge) ?? undefined;
    let at = edge + step;
    for (;;) {
      const block = blockOf(at);
      const position = nearestMember(yield* candidatesIn(block), positionOf(at));
      if (position !== undefined) return blockStart(block) + position;
      const next = nearest(jobs, edgeOf(block));
      if (next === null) return undefined;
      at = next;
      yield;
    }
  }

  return {
    /** Returns at most `count` candidates beyond the edge, the nearest first. */
    *next(edge: number, count: number): Steps<readonly number[]> {
      const candidates: number[] = [];
      while (candidates.length < count) {
        const candidate = yield* nearestBeyond(candidates.at(-1) ?? edge);
        if (candidate === undefined) break;
        candidates.push(candidate);
      }
      return candidates;
    },
    /** Returns true if a job may match the terms, or if its block has not been read. */
    maybe(sequence: number): boolean {
      if (current?.block !== blockOf(sequence)) return true;
      const position = positionOf(sequence);
      return lastMember(current.candidates, position) === position;
    },
  };
}
