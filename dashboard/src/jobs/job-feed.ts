import { batch, type ReadonlySignal, signal } from '@preact/signals';
import { type Api, unwrap } from '../api/api.ts';
import { ApiError } from '../api/api-error.ts';
import type { JobSummary } from '../api/schemas.ts';
import { type JobFilter, matches, toJobQuery } from './job-filter.ts';
import type { Jobs } from './jobs.ts';

export type JobFeed = ReturnType<typeof createJobFeed>;

const PAGE = 60;

/** The history under one filter, newest first: pages as they are asked for, kept up to date. `close` ends it. */
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
    /** Reads the next page; joins one that is on its way. */
    loadMore,

    close(): void {
      list.close();
      controller.abort();
    },
  };
}

/**
 * The ids of the jobs under one filter, newest first: pages of the history, with what changes meanwhile. Job ids are
 * UUIDv7, so their order is the order of acceptance.
 */
function createJobList(jobs: Jobs, filter: JobFilter) {
  const ids = signal<readonly string[]>([]);
  /** How much of the history was read. */
  let known: 'nothing' | 'part' | 'all' = 'nothing';
  /** What joined and what left the list while a page was read, which may be older than that. */
  let meanwhile: { readonly joined: Set<string>; readonly left: Set<string> } | undefined;
  let isTaking = false;

  const unsubscribe = jobs.subscribe((change) => {
    // The bridge has chosen the jobs of a page by all of their prompts.
    if (isTaking) return;
    if (change.kind === 'removed') drop(change.id);
    // Prompts do not change: what was found stays found.
    else if (!matches(change.job, { ...filter, search: '' })) drop(change.job.id);
    else if (matches(change.job, filter)) insert(change.job.id);
  });

  function drop(id: string): void {
    meanwhile?.joined.delete(id);
    meanwhile?.left.add(id);
    if (ids.peek().includes(id)) ids.value = ids.peek().filter((each) => each !== id);
  }

  /** What is older than the last page that was read comes with its own page. */
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

    /** To be called before a page is asked for. */
    begin(): void {
      meanwhile = { joined: new Set(), left: new Set() };
    },

    /** Appends the page that was asked for; `isLast` where nothing comes after it. */
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
