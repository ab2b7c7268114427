import { batch, type ReadonlySignal, signal } from '@preact/signals';
import { type Api, unwrap } from '../api/api.ts';
import { ApiError } from '../api/api-error.ts';
import type { JobSummary } from '../api/schemas.ts';
import { type JobFilter, matches, toJobQuery } from './job-filter.ts';
import type { Jobs } from './jobs.ts';

export type JobFeed = ReturnType<typeof createJobFeed>;

const PAGE = 60;

/**
 * Creates a feed of the history under one filter, newest first. Pages are read on demand and kept up to date until
 * `close` is called.
 */
export function createJobFeed(api: Api, jobs: Jobs, filter: JobFilter) {
  const list = createJobList(jobs, filter);
  const state = signal<'loading' | 'ready' | 'failed'>('loading');
  const error = signal<ApiError | undefined>(undefined);
  const complete = signal(false);
  const controller = new AbortController();
  let cursor: string | undefined;
  let reading: Promise<void> | undefined;

  async function readPage(): Promise<void> {
    try {
      const query = { limit: PAGE, ...(cursor && { cursor }), ...toJobQuery(filter) };
      const { signal } = controller;
      list.begin();
      const page = await unwrap(api.GET('/v1/jobs', { params: { query }, signal }));
      batch(() => {
        cursor = page.next_cursor;
        complete.value = cursor === undefined;
        state.value = 'ready';
        error.value = undefined;
        list.take(page.items, cursor === undefined);
      });
    } catch (failure) {
      if (controller.signal.aborted) return;
      state.value = 'failed';
      error.value = failure instanceof ApiError ? failure : ApiError.unreachable();
    }
  }

  function loadMore(): Promise<void> {
    if (complete.peek() && state.peek() === 'ready') return Promise.resolve();
    reading ??= readPage().finally(() => {
      reading = undefined;
    });
    return reading;
  }

  return {
    filter,
    ids: list.ids,
    state: state as ReadonlySignal<'loading' | 'ready' | 'failed'>,
    error: error as ReadonlySignal<ApiError | undefined>,
    complete: complete as ReadonlySignal<boolean>,
    /** Reads the next page, or joins the read in progress. */
    loadMore,

    close(): void {
      list.close();
      controller.abort();
    },
  };
}

/**
 * Keeps the ids of the jobs under one filter, newest first, from the pages of the history and the changes that arrive
 * meanwhile. Job ids are UUIDv7, so their order is the order of acceptance.
 */
function createJobList(jobs: Jobs, filter: JobFilter) {
  const ids = signal<readonly string[]>([]);
  /** The part of the history that has been read. */
  let known: 'nothing' | 'part' | 'all' = 'nothing';
  /** The ids that joined and left the list while a page was read. The page may be older than these changes. */
  let meanwhile: { readonly joined: Set<string>; readonly left: Set<string> } | undefined;
  let isTaking = false;

  const unsubscribe = jobs.subscribe((change) => {
    // The bridge has already matched these jobs against their full prompts.
    if (isTaking) return;
    if (change.kind === 'removed') drop(change.id);
    // Prompts never change, so a match stays a match.
    else if (!matches(change.job, { ...filter, search: '' })) drop(change.job.id);
    else if (matches(change.job, filter)) insert(change.job.id);
  });

  function drop(id: string): void {
    meanwhile?.joined.delete(id);
    meanwhile?.left.add(id);
    if (ids.peek().includes(id)) ids.value = ids.peek().filter((each) => each !== id);
  }

  /** Inserts an id. A job older than the last page is skipped, because it arrives with its own page. */
  function insert(id: string): void {
    meanwhile?.left.delete(id);
    meanwhile?.joined.add(id);
    const list = ids.peek();
    if (known === 'nothing' || list.includes(id)) return;
    const index = list.findIndex((each) => each < id);
    if (index >= 0) ids.value = list.toSpliced(index, 0, id);
    else if (known === 'all' || list.length === 0) ids.value = [...list, id];
  }

  return {
    ids: ids as ReadonlySignal<readonly string[]>,

    /** Must be called before a page is requested. */
    begin(): void {
      meanwhile = { joined: new Set(), left: new Set() };
    },

    /** Appends the requested page. `isLast` is true if no page follows. */
    take(page: readonly JobSummary[], isLast: boolean): void {
      const { joined, left } = meanwhile ?? { joined: new Set<string>(), left: new Set<string>() };
      meanwhile = undefined;
      known = isLast ? 'all' : 'part';
      const before = new Set(ids.peek());
      const fresh = page.map(({ id }) => id).filter((id) => !before.has(id) && !left.has(id));
      ids.value = [...ids.peek(), ...fresh];
      for (const id of joined) insert(id);
      isTaking = true;
      for (const job of page) jobs.put(job);
      isTaking = false;
    },

    close: unsubscribe,
  };
}
