import { useEffect, useMemo } from 'preact/hooks';
import { usePage } from '../../page-context.ts';
import { watchNeighbours } from './neighbours.ts';

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
