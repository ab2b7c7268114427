import type { Jobs } from '../../jobs/jobs.ts';

/**
 * Calls `count` after jobs have changed, at most once in `laterMs` milliseconds. Changes of running jobs are ignored, because
 * progress changes no number of jobs, and so are jobs that a further page of the history has shown.
 */
export function afterChanges(
  jobs: Pick<Jobs, 'subscribe'>,
  laterMs: number,
  count: () => void,
): void {
  let isPlanned = false;
  jobs.subscribe((change) => {
    const changesNumbers =
      change.kind === 'removed' || (change.isNews && change.job.status !== 'running');
    if (!changesNumbers || isPlanned) return;
    isPlanned = true;
    setTimeout(() => {
      isPlanned = false;
      count();
    }, laterMs);
  });
}
