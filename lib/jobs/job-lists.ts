import type { ImageJobSummary, JobListQuery } from '../contract/resources/job.ts';
import type { Page } from '../contract/schema/page.ts';
import { createSealedCursors } from '../cursors/sealed-cursor.ts';
import type { JobFilter, JobPageRequest, JobSearch, JobStore } from './job-store-port.ts';
import { toImageJobSummary } from './job-views.ts';
import type { LiveJobs } from './live-jobs.ts';

interface Deps {
  readonly store: Pick<JobStore, 'list' | 'summaries'>;
  readonly search: Pick<JobSearch, 'find'>;
  readonly live: Pick<LiveJobs, 'progress'>;
  readonly secret: Uint8Array;
}

export type JobLists = ReturnType<typeof createJobLists>;

/** Lists the history of a scope in pages, newest first. */
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
    // Jobs may have been removed meanwhile. The next page still begins below the last sequence.
    const items = await store.summaries(scope, sequences);
    return { items, more, last: sequences.at(-1) };
  }

  return {
    /** Throws `invalid_request` if the cursor belongs to another list. */
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

/** The list that a cursor belongs to. A cursor is valid only for the same scope, filter and search. */
export interface ListedJobs extends JobFilter {
  readonly scope: string;
  readonly search?: string | undefined;
}

const SEQUENCE_BYTES = 8;

/** Writes and reads the cursors of job lists. A cursor holds the sequence that its page begins below. */
export function createJobCursors(secret: Uint8Array) {
  const cursors = createSealedCursors(secret);
  return {
    write(listed: ListedJobs, sequence: number): string {
      const position = Buffer.alloc(SEQUENCE_BYTES);
      position.writeBigUInt64BE(BigInt(sequence));
      return cursors.write(toWords(listed), position);
    },

    /** Returns the sequence that the cursor was written for. Throws `invalid_request` if it belongs to another list. */
    read(listed: ListedJobs, cursor: string): number {
      return Number(cursors.read(toWords(listed), cursor).readBigUInt64BE());
    },
  };
}

function toWords({ scope, status, visibility, favorite, provider, search }: ListedJobs) {
  return ['jobs', scope, status, visibility, favorite, provider, search];
}
