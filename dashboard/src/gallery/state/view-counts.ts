import { type ReadonlySignal, signal } from '@preact/signals';
import { type Api, unwrap } from '../../api/api.ts';
import type { Connection } from '../../connection/connection.ts';
import { EVERYTHING, type JobFilter } from '../../jobs/job-filter.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { readTotal, type Total } from '../../jobs/read-total.ts';
import { afterChanges } from './after-changes.ts';

/** The common filters, which the library shows with their counts. */
export const VIEWS = {
  all: EVERYTHING,
  favourites: { ...EVERYTHING, show: 'favourites' },
  failed: { ...EVERYTHING, status: 'failed' },
  hidden: { ...EVERYTHING, show: 'hidden' },
} as const satisfies Record<string, JobFilter>;

export type ViewName = keyof typeof VIEWS;

/** The delay between a change of a job and the next count, in milliseconds. */
const LATER_MS = 4000;

interface Deps {
  readonly api: Api;
  readonly jobs: Jobs;
  readonly connection: Connection;
}

/** Counts the jobs of the common views and of the labels, from the first call of `need`. Counts again after jobs have changed. */
export function createViewCounts({ api, jobs, connection }: Deps) {
  const views = signal<Partial<Record<ViewName, Total>>>({});
  const labels = signal<readonly { readonly label: string; readonly count: number }[]>([]);
  let isNeeded = false;

  async function count(name: ViewName): Promise<readonly [ViewName, Total | undefined]> {
    return [name, await readTotal(api, VIEWS[name])];
  }

  async function countAll(): Promise<void> {
    const token = connection.token.peek();
    const names = Object.keys(VIEWS) as ViewName[];
    // After a failure, the last numbers stay, and the next change of a job counts again.
    const [counted, listed] = await Promise.all([
      Promise.all(names.map(count)).catch(() => undefined),
      unwrap(api.GET('/v1/jobs/labels')).catch(() => undefined),
    ]);
    if (token !== connection.token.peek()) return;
    if (counted) views.value = Object.fromEntries(counted);
    if (listed) labels.value = listed.items;
  }

  afterChanges(jobs, LATER_MS, () => {
    if (isNeeded) void countAll();
  });
  connection.token.subscribe(() => {
    views.value = {};
    labels.value = [];
  });
  connection.returns.subscribe(() => {
    if (isNeeded) void countAll();
  });

  return {
    views: views as ReadonlySignal<Partial<Record<ViewName, Total>>>,
    labels: labels as ReadonlySignal<readonly { readonly label: string; readonly count: number }[]>,
    need(): void {
      if (isNeeded) return;
      isNeeded = true;
      void countAll();
    },
  };
}
