import { useEffect } from 'preact/hooks';
import { usePage } from '../../page-context.ts';
import type { JobDetail } from './job-detail.ts';

/**
 * Goes to the job that takes the place of the job in view, if an undo that the user requests in this view queues its request again.
 * Back then leads to the view before, because the job in view is hidden.
 */
export function useRetryOfUndo(id: string, { job }: Pick<JobDetail, 'job'>): void {
  const { jobUndo, jobs, router, resending } = usePage();
  useEffect(() => {
    const earlier = jobUndo.undoing.peek();
    let isInView = true;

    async function follow(undoing: Promise<void>): Promise<void> {
      const before = job.peek()?.retried_as;
      await undoing;
      const { retried_as: after } = await resending.untilAnswered(() => jobs.read(id));
      if (!isInView || after === undefined || after === before) return;
      router.navigate(`/jobs/${after}`, { replace: true });
    }

    const stop = jobUndo.undoing.subscribe((undoing) => {
      // If the job cannot be read, the job view says why.
      if (undoing !== undefined && undoing !== earlier) follow(undoing).catch(() => {});
    });
    return () => {
      isInView = false;
      stop();
    };
  }, [id, job, jobUndo, jobs, router, resending]);
}
