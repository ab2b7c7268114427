import type { ImageJobSummary, JobListQuery } from '../contract/resources/job.ts';
import type { Page } from '../contract/schema/page.ts';
import { createJobCursors, type ListedJobs } from './job-cursor.ts';
import type { JobSearch } from './job-search-port.ts';
import type { JobFilter, JobPageRequest, JobStore } from './job-store-port.ts';
import { toImageJobSummary } from './job-views.ts';
import type { LiveJobs } from './streams/live-jobs.ts';

interface Deps {
  readonly store: Pick<JobStore, 'list' | 'summaries'>;
  readonly search: Pick<JobSearch, 'find'>;
  readonly live: Pick<LiveJobs, 'progress'>;
  readonly secret: Uint8Array;
}

export type JobLists = ReturnType<typeof createJobLists>;

/** The history page by page, the last accepted first. */
export function createJobLists({ store, search, live, secret }: Deps) {
  const cursors = createJobCursors(secret);

  async function pageOf(
    scope: string,
    filter: JobFilter,
    page: JobPageRequest,
    { term, signal }: { readonly term: string | undefined; readonly signal: AbortSignal },
  ) {
    if (term === undefined) return store.list(scope, filter, page);
    const { sequences, more } = await search.find(scope, { ...filter, term }, page, signal);
    // Some may have been removed since; the next page still begins below the last sequence.
    const items = await store.summaries(scope, sequences);
    return { items, more, last: sequences.at(-1) };
  }

  return {
    /** Throws `invalid_request` for a cursor that is not of this very list. */
    async list(
      scope: string,
      { limit, cursor, search: term, ...filter }: JobListQuery,
      signal: AbortSignal,
    ): Promise<Page<ImageJobSummary>> {
      const listed: ListedJobs = { ...filter, scope, search: term };
      const before = cursor === undefined ? {} : { before: cursors.read(listed, cursor) };
      const found = await pageOf(scope, filter, { ...before, limit }, { term, signal });
      const last = 'last' in found ? found.last : found.items.at(-1)?.sequence;
      return {
        items: found.items.map((job) => toImageJobSummary(job, live.progress(job.id))),
        ...(found.more && last !== undefined ? { next_cursor: cursors.write(listed, last) } : {}),
      };
    },
  };
}
