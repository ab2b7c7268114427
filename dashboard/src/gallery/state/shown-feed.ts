import { computed, effect, type ReadonlySignal, signal } from '@preact/signals';
import type { Api } from '../../api/api.ts';
import type { Connection } from '../../connection/connection.ts';
import { createJobFeed, type JobFeed } from '../../jobs/job-feed.ts';
import type { JobFilter } from '../../jobs/job-filter.ts';
import type { Jobs } from '../../jobs/jobs.ts';

interface Deps {
  readonly api: Api;
  readonly jobs: Jobs;
  readonly connection: Connection;
}

/**
 * Creates the feed under the current filter. While the first page for a new filter is loading, the previous list stays
 * visible. A reply for a filter that has since been replaced is discarded.
 */
export function createShownFeed(
  { api, jobs, connection }: Deps,
  filter: ReadonlySignal<JobFilter>,
): ReadonlySignal<JobFeed> {
  const shown = signal(open());
  let coming: JobFeed | undefined;
  let first = true;

  function open(): JobFeed {
    const feed = createJobFeed(api, jobs, filter.peek());
    void feed.loadMore().then(() => {
      if (feed !== coming) return;
      coming = undefined;
      shown.peek().close();
      shown.value = feed;
    });
    return feed;
  }

  effect(() => {
    // Another token has another history.
    void [filter.value, connection.token.value];
    if (first) {
      first = false;
      return;
    }
    coming?.close();
    coming = open();
  });
  effect(() => {
    void connection.returns.value;
    if (shown.peek().state.peek() === 'failed') void shown.peek().loadMore();
  });

  return shown;
}

/**
 * Holds back new jobs so that cards do not move without input: while the gallery is scrolled down, jobs newer than the
 * newest visible one wait behind a button. Ids are in descending order.
 */
export function createArrivals(ids: ReadonlySignal<readonly string[]>) {
  const newest = signal<string | undefined>(undefined);
  const isHolding = signal(false);
  const held = computed(() => {
    const { value: limit } = newest;
    if (limit === undefined) return 0;
    const from = ids.value.findIndex((id) => id <= limit);
    return from < 0 ? 0 : from;
  });
  return {
    /** The ids to show. */
    shown: computed(() => (held.value === 0 ? ids.value : ids.value.slice(held.value))),
    /** The number of jobs held back. */
    count: held as ReadonlySignal<number>,

    /** True while new jobs are held back. */
    isHolding: isHolding as ReadonlySignal<boolean>,

    hold(): void {
      newest.value ??= ids.peek()[0];
      isHolding.value = true;
    },
    release(): void {
      newest.value = undefined;
      isHolding.value = false;
    },
  };
}
