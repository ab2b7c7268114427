import { computed, type ReadonlySignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { JobFeed } from '../../jobs/job-feed.ts';
import { usePage } from '../../page-context.ts';

export interface Neighbours {
  readonly newer: string | undefined;
  readonly older: string | undefined;
}

/**
 * The jobs beside one in a list whose ids fall; it need not be in the list itself, as a job that has just been hidden is
 * not. `newer` is unknown as long as the list does not reach down to the job.
 */
export function neighboursOf(ids: readonly string[], id: string, complete: boolean): Neighbours {
  const reaches = complete || ids.some((each) => each <= id);
  return {
    newer: reaches ? ids.findLast((each) => each > id) : undefined,
    older: ids.find((each) => each < id),
  };
}

/** A job further down than this is shown without the way to newer ones. */
const MOST_PAGES = 10;

/** The neighbours of a job in a feed, which is read on until they are known. */
function watchNeighbours(feed: ReadonlySignal<JobFeed | undefined>, id: string) {
  const neighbours = computed<Neighbours>(() => {
    const { value: list } = feed;
    if (list === undefined) return { newer: undefined, older: undefined };
    return neighboursOf(list.ids.value, id, list.complete.value);
  });

  async function readOn(): Promise<void> {
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const list = feed.peek();
      if (list === undefined || list.complete.peek() || neighbours.peek().older !== undefined)
        return;
      await list.loadMore();
      if (list.state.peek() === 'failed') return;
    }
  }

  return { neighbours, readOn };
}

/** The jobs before and after one in the gallery's order, and the way to them. */
export function useNeighbours(id: string) {
  const { router, shown } = usePage();
  const { neighbours, readOn } = useMemo(() => watchNeighbours(shown.feed, id), [shown, id]);
  const { value: feed } = shown.feed;
  useEffect(() => {
    shown.need();
    void readOn();
  }, [shown, readOn, feed]);
  return {
    neighbours: neighbours.value,
    go(next: string): void {
      const view = router.query.peek().get('view');
      // One Back leads out of the jobs, however many were looked at.
      router.navigate(`/jobs/${next}${view === null ? '' : `?view=${view}`}`, { replace: true });
    },
  };
}
