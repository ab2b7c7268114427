import { effect, type ReadonlySignal, signal } from '@preact/signals';
import type { Connection } from '../../connection/connection.ts';
import type { JobFeed } from '../../jobs/job-feed.ts';
import type { JobFilter } from '../../jobs/job-filter.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { afterChanges } from './after-changes.ts';

export interface CountDeps {
  readonly jobs: Pick<Jobs, 'subscribe'>;
  readonly connection: Pick<Connection, 'token' | 'returns'>;
  /** The filter in the address. The gallery shows the list of another filter until the next list has been read. */
  readonly filter: ReadonlySignal<JobFilter>;
  readonly feed: ReadonlySignal<JobFeed>;
}

interface Count<T> {
  /** Resolves with the count of the jobs under a filter, or with undefined if the last count stays. */
  readonly read: (filter: JobFilter, abort: AbortSignal) => Promise<T | undefined>;
  /** The delay between a change of a job and the next count, in milliseconds. */
  readonly laterMs: number;
}

/**
 * Counts the shown list when its first page has been read and is not its last, and again after jobs have changed. The count belongs to
 * the filter and to the token, and is cancelled as soon as the address has another filter.
 */
export function createListCount<T>(
  { jobs, connection, filter: asked, feed }: CountDeps,
  { read, laterMs }: Count<T>,
) {
  const value = signal<T | undefined>(undefined);
  let counted: JobFilter | undefined;
  let countedToken = connection.token.peek();
  let controller = new AbortController();
  let latest = Promise.resolve();

  async function count(filter: JobFilter): Promise<void> {
    controller.abort();
    controller = new AbortController();
    const { signal: abort } = controller;
    try {
      const next = await read(filter, abort);
      if (!abort.aborted && next !== undefined) value.value = next;
    } catch {
      // The last count stays, and the next change of a job counts again.
    }
  }

  const countAgain = () => {
    if (counted !== undefined && counted === asked.peek()) latest = count(counted);
  };
  afterChanges(jobs, laterMs, countAgain);
  connection.returns.subscribe(countAgain);
  effect(() => {
    const { filter, state, complete, top } = feed.value;
    const { value: token } = connection.token;
    if (filter !== counted || token !== countedToken) {
      controller.abort();
      counted = undefined;
      countedToken = token;
      value.value = undefined;
    }
    if (filter !== asked.value) {
      controller.abort();
      return;
    }
    if (counted !== undefined || state.value !== 'ready') return;
    if (complete.value && top.value === undefined) return;
    counted = filter;
    latest = count(filter);
  });

  return {
    /** Undefined until the list has been counted. */
    value: value as ReadonlySignal<T | undefined>,
    /** Resolves when the latest count has been read, has failed or was cancelled. */
    // All effects of a change run in one turn, in any order, so the latest count is known after this turn.
    settled: (): Promise<void> => Promise.resolve().then(() => latest),
  };
}
