import {
  type JobListQuery,
  type JobOrder,
  type JobPage,
  MAX_TOTAL,
} from '../contract/resources/job.ts';
import type { BatchFilter } from '../contract/resources/job-batch.ts';
import type { SearchTerms } from '../contract/resources/search-terms.ts';
import { createSealedCursors } from '../cursors/sealed-cursor.ts';
import type { JobProgressStore } from './job-notices-port.ts';
import type { JobFilter, JobListPage, JobSearch, JobStore } from './job-store-port.ts';
import { summarizer } from './jobs.ts';

interface Deps {
  readonly store: Pick<JobStore, 'list' | 'count' | 'summaries'>;
  readonly search: Pick<JobSearch, 'find'>;
  readonly progress: Pick<JobProgressStore, 'find'>;
  readonly secret: Uint8Array;
}

export type JobLists = ReturnType<typeof createJobLists>;

/** Lists the history of a scope in pages, newest first. */
export function createJobLists({ store, search, progress, secret }: Deps) {
  const cursors = createJobCursors(secret);

  async function pageOf(
    { scope, terms, order: _, ...filter }: ListedJobs,
    page: JobListPage,
    signal: AbortSignal,
  ) {
    if (terms === undefined) {
      const { items, more } = await store.list(scope, filter, page);
      return { items, next: more ? items.at(-1)?.sequence : undefined };
    }
    const { sequences, more } = await search.find(scope, { ...filter, terms }, page, signal);
    // Jobs may have been removed after the search. The next page nevertheless begins beyond the last sequence found.
    const items = await store.summaries(scope, sequences);
    return { items, next: more ? sequences.at(-1) : undefined };
  }

  async function totalOf({ scope, terms, order: _, ...filter }: ListedJobs, signal: AbortSignal) {
    if (terms === undefined) {
      const counted = await store.count(scope, filter, MAX_TOTAL + 1);
      return { count: Math.min(counted, MAX_TOTAL), at_least: counted > MAX_TOTAL };
    }
    const page = { limit: MAX_TOTAL };
    const { sequences, more } = await search.find(scope, { ...filter, terms }, page, signal);
    return { count: sequences.length, at_least: more };
  }

  return {
    /** Resolves with one page of the list. Throws `invalid_request` if the cursor belongs to another list. */
    async list(
      scope: string,
      { limit, cursor, order, total: isTotalWanted, ...query }: JobListQuery,
      signal: AbortSignal,
    ): Promise<JobPage> {
      const listed: ListedJobs = { ...toJobFilter(query), scope, order };
      const edge = cursor === undefined ? undefined : cursors.read(listed, cursor);
      const [{ items, next }, total] = await Promise.all([
        pageOf(listed, { ...toBegin(order, edge), limit }, signal),
        isTotalWanted ? totalOf(listed, signal) : undefined,
      ]);
      return {
        items: items.map(await summarizer(progress, items)),
        ...(next === undefined ? {} : { next_cursor: cursors.write(listed, next) }),
        ...(total === undefined ? {} : { total }),
      };
    },
  };
}

/** Returns the beginning of a page beyond a sequence, or of the first page. */
function toBegin(order: JobOrder | undefined, edge: number | undefined) {
  if (order === 'oldest') return { after: edge ?? 0 };
  return edge === undefined ? {} : { before: edge };
}

/** Returns the filter of the store. The terms are undefined if any prompt matches. */
export function toJobFilter({
  search,
  q,
  created_after: createdFromSecs,
  created_before: createdBeforeSecs,
  ...filter
}: BatchFilter): JobFilter & { readonly terms?: SearchTerms | undefined } {
  return { ...filter, createdFromSecs, createdBeforeSecs, terms: toTerms(search, q) };
}

/** Combines the terms of both search parameters. Returns undefined if there are no terms, so that any prompt matches. */
function toTerms(text: string | undefined, query: SearchTerms | undefined) {
  const all = [...(text === undefined ? [] : [text]), ...(query?.all ?? [])];
  const none = query?.none ?? [];
  return all.length + none.length === 0 ? undefined : { all, none };
}

/** The list that a cursor belongs to. A cursor is valid only for the same scope, filter, terms and order. */
export interface ListedJobs extends JobFilter {
  readonly scope: string;
  /** Newest first if undefined. */
  readonly order?: JobOrder | undefined;
  /** Undefined if any prompt matches. */
  readonly terms?: SearchTerms | undefined;
}

/** Writes and reads the cursors of job lists. A cursor contains a sequence. The page of the cursor begins beyond this sequence. */
export function createJobCursors(secret: Uint8Array, list = 'jobs') {
  const cursors = createSealedCursors(secret);
  return {
    write: (listed: ListedJobs, sequence: number): string =>
      cursors.writeSequence(toWords(list, listed), sequence),

    /** Returns the sequence that the cursor contains. Throws `invalid_request` if the cursor belongs to another list. */
    read: (listed: ListedJobs, cursor: string): number =>
      cursors.readSequence(toWords(list, listed), cursor),
  };
}

function toWords(list: string, { order, ...listed }: ListedJobs): readonly unknown[] {
  // Newest first, the cursor equals the cursors of versions that did not support the other order.
  return order === 'oldest' ? [...toFilterWords(list, listed), order] : toFilterWords(list, listed);
}

function toFilterWords(
  list: string,
  { scope, status, visibility, favorite, provider, ...rest }: Omit<ListedJobs, 'order'>,
) {
  const { label, group, terms, model, operation, size, createdFromSecs, createdBeforeSecs } = rest;
  const words = [list, scope, status, visibility, favorite, provider, terms?.all, terms?.none];
  const facts = [model, operation, size, createdFromSecs, createdBeforeSecs];
  if (facts.some((fact) => fact !== undefined)) return [...words, label, group, 'facts', ...facts];
  if (group !== undefined) return [...words, label, 'group', group];
  // Without a label, the cursor equals the cursors of versions that did not support labels.
  return label === undefined ? words : [...words, label];
}
