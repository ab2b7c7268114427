import { effect, type ReadonlySignal, signal } from '@preact/signals';
import { type Api, unwrap } from '../../api/api.ts';
import type { Connection } from '../../connection/connection.ts';
import type { JobFeed } from '../../jobs/job-feed.ts';
import { type JobFilter, toJobQuery } from '../../jobs/job-filter.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import type { CountedDay } from '../layout/day-spans.ts';
import { afterChanges } from './after-changes.ts';

/** The delay between a change of a job and the next count, in milliseconds. */
const LATER_MS = 10_000;

interface Deps {
  readonly api: Pick<Api, 'GET'>;
  readonly jobs: Pick<Jobs, 'subscribe'>;
  readonly connection: Pick<Connection, 'token' | 'returns'>;
}

const NOTHING: readonly CountedDay[] = [];

/** Counts the jobs of each day under the filter of the gallery, if the list has more jobs than its first page. */
export function createDayCounts(
  { api, jobs, connection }: Deps,
  feed: ReadonlySignal<JobFeed>,
): ReadonlySignal<readonly CountedDay[]> {
  const counts = signal(NOTHING);
  let counted: JobFilter | undefined;
  let countedToken = connection.token.peek();
  let controller = new AbortController();

  async function count(filter: JobFilter): Promise<void> {
    controller.abort();
    controller = new AbortController();
    const { signal: abort } = controller;
    try {
      const query = {
        ...toJobQuery(filter),
        time_zone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
      };
      const { days } = await unwrap(api.GET('/v1/jobs/days', { params: { query }, signal: abort }));
      if (abort.aborted) return;
      // The days begin where the headings of the gallery begin.
      counts.value = days.map(({ start, count: number }) => ({
        day: new Date(start * 1000).setHours(0, 0, 0, 0),
        count: number,
      }));
    } catch {
      // Without counts, the list is read from its beginning.
    }
  }

  effect(() => {
    const { filter, state, complete, top } = feed.value;
    const { value: token } = connection.token;
    // The jobs belong to the token, so those of another token are counted again.
    if (filter !== counted || token !== countedToken) {
      controller.abort();
      counted = undefined;
      countedToken = token;
      counts.value = NOTHING;
    }
    if (counted !== undefined || state.value !== 'ready') return;
    if (complete.value && top.value === undefined) return;
    counted = filter;
    void count(filter);
  });
  const countAgain = () => {
    if (counted !== undefined) void count(counted);
  };
  afterChanges(jobs, LATER_MS, countAgain);
  connection.returns.subscribe(countAgain);

  return counts;
}
