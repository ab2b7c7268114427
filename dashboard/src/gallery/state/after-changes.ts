import type { Jobs } from '../../jobs/jobs.ts';

/**
 * Calls `count` after jobs have changed, at most once in `laterMs` milliseconds. Changes of running jobs are ignored, because
 * progress changes no number of jobs.
 */
export function afterChanges(
  jobs: Pick<Jobs, 'subscribe'>,
  laterMs: number,
  count: () => void,
): void {
  let isPlanned = false;
  jobs.subscribe((change) => {
    const isProgress = change.kind === 'changed' && change.job.status === 'running';
    if (isProgress || isPlanned) return;
    isPlanned = true;
    setTimeout(() => {
      isPlanned = false;
      count();
    }, laterMs);
  });
}
