import { batch, type ReadonlySignal, signal } from '@preact/signals';
import { type Api, unwrap } from '../api/api.ts';
import { ApiError } from '../api/api-error.ts';
import type { JobSummary } from '../api/schemas.ts';
import { type JobFilter, matches, toJobQuery } from './job-filter.ts';
import type { Jobs } from './jobs.ts';

export type JobFeed = ReturnType<typeof createJobFeed>;

const PAGE = 60;

/**
 * The history under one filter, newest first: pages as they are asked for, kept up to date by what happens meanwhile.
 * Job ids are UUIDv7, so their order is the order of acceptance. `close` ends it.
 */
export function createJobFeed(api: Api, jobs: Jobs, filter: JobFilter) {
  const ids = signal<readonly string[]>([]);
  const state = signal<'loading' | 'ready' | 'failed'>('loading');
  const error = signal<ApiError | undefined>(undefined);
  const complete = signal(false);
  const controller = new AbortController();
  let cursor: string | undefined;
  let reading: Promise<void> | undefined;
  /** What changed while the first page was read, which may be older than the change. */
  const early = new Set<string>();

  const unsubscribe = jobs.subscribe((change) => {
    if (change.kind === 'removed') drop(change.id);
    else if (matches(change.job, filter)) insert(change.job.id);
    else drop(change.job.id);
  });

  function drop(id: string): void {
    early.delete(id);
    if (ids.peek().includes(id)) ids.value = ids.peek().filter((each) => each !== id);
  }

  /** What is older than the last page that was read comes with its own page. */
  function insert(id: string): void {
    const list = ids.peek();
    if (list.includes(id)) return;
    const index = list.findIndex((each) => each < id);
    if (state.peek() === 'loading') early.add(id);
    else if (index >= 0) ids.value = list.toSpliced(index, 0, id);
    else if (complete.peek() || (list.length === 0 && state.peek() === 'ready'))
      ids.value = [...list, id];
  }

  function take(items: readonly JobSummary[]): void {
    const before = new Set(ids.peek());
    const fresh = items.map(({ id }) => id).filter((id) => !before.has(id));
    ids.value = [...ids.peek(), ...fresh];
    for (const job of items) jobs.put(job);
  }

  async function readPage(): Promise<void> {
    try {
      const query = { limit: PAGE, ...(cursor && { cursor }), ...toJobQuery(filter) };
      const { signal } = controller;
      const page = await unwrap(api.GET('/v1/jobs', { params: { query }, signal }));
      batch(() => {
        cursor = page.next_cursor;
        complete.value = cursor === undefined;
        take(page.items);
        state.value = 'ready';
        error.value = undefined;
        for (const id of early) insert(id);
        early.clear();
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
    ids: ids as ReadonlySignal<readonly string[]>,
    state: state as ReadonlySignal<'loading' | 'ready' | 'failed'>,
    error: error as ReadonlySignal<ApiError | undefined>,
    complete: complete as ReadonlySignal<boolean>,
    /** Reads the next page; joins one that is on its way. */
    loadMore,

    close(): void {
      unsubscribe();
      controller.abort();
    },
  };
}
