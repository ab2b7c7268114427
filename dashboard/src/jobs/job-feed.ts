import { batch, type ReadonlySignal, signal } from '@preact/signals';
import { type Api, unwrap } from '../api/api.ts';
import { ApiError } from '../api/api-error.ts';
import { type JobFilter, toJobQuery } from './job-filter.ts';
import { createJobList } from './job-list.ts';
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
