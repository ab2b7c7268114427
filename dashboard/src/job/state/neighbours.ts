import { computed, type ReadonlySignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { JobFeed } from '../../jobs/job-feed.ts';
import { wasCancelledWaiting } from '../../jobs/job-state.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { usePage } from '../../page-context.ts';

export interface Neighbours {
  readonly newer: string | undefined;
  readonly older: string | undefined;
}

/**
 * Returns the neighbours of a job in a list with descending ids, which need not contain the job. `newer` is undefined
 * until the list reaches down to the job.
 */
export function neighboursOf(ids: readonly string[], id: string, complete: boolean): Neighbours {
  const reaches = complete || ids.some((each) => each <= id);
  return {
    newer: reaches ? ids.findLast((each) => each > id) : undefined,
    older: ids.find((each) => each < id),
  };
}

/** The maximum number of pages that are read to find a job. A job on a later page has no newer neighbour. */
const MAX_PAGES = 10;

/**
 * Watches the neighbours of a job in a feed. Jobs that were cancelled while they waited have nothing to show, and are skipped unless
 * the feed lists the jobs of one state. `readOn` loads pages until the neighbours are known.
 */
export function watchNeighbours(
  jobs: Pick<Jobs, 'get'>,
  feed: ReadonlySignal<
    Pick<JobFeed, 'filter' | 'ids' | 'complete' | 'state' | 'loadMore'> | undefined
  >,
  id: string,
) {
  function hasNothing(other: string): boolean {
    const job = jobs.get(other);
    return job !== undefined && wasCancelledWaiting(job);
  }

  const neighbours = computed<Neighbours>(() => {
    const { value: list } = feed;
    if (list === undefined) return { newer: undefined, older: undefined };
    const { value: ids } = list.ids;
    const shown = list.filter.status === undefined ? ids.filter((one) => !hasNothing(one)) : ids;
    return neighboursOf(shown, id, list.complete.value);
  });

  async function readOn(): Promise<void> {
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const list = feed.peek();
      if (list === undefined || list.complete.peek() || neighbours.peek().older !== undefined)
        return;
      await list.loadMore();
      if (list.state.peek() === 'failed') return;
    }
  }

  return { neighbours, readOn };
}

/** Returns the jobs before and after a job in the order of the gallery, and a function to open them. */
export function useNeighbours(id: string) {
  const { router, shown, jobs } = usePage();
  const { neighbours, readOn } = useMemo(
    () => watchNeighbours(jobs, shown.feed, id),
    [jobs, shown, id],
  );
  const { value: feed } = shown.feed;
  useEffect(() => {
    shown.need();
    void readOn();
    // A change of a job that was forgotten could not be shown before the next event.
    feed?.need([id]).catch(() => {});
  }, [shown, readOn, feed, id]);
  return {
    neighbours: neighbours.value,
    go(next: string): void {
      const view = router.query.peek().get('view');
      // The history entry is replaced, so that one step back leaves the job view even after several jobs were viewed.
      router.navigate(`/jobs/${next}${view === null ? '' : `?view=${view}`}`, { replace: true });
    },
  };
}
