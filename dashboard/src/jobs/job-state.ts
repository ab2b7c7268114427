import type { JobSummary } from '../api/schemas.ts';

/** Whether a job has not ended yet. */
export function isOpen(job: Pick<JobSummary, 'status'>): boolean {
  return job.status === 'queued' || job.status === 'running';
}

type Stage = NonNullable<JobSummary['progress']>['stage'];

/** The stages of a running job, in their order. */
export const STAGES = [
  'preparing',
  'dispatched',
  'generating',
  'verifying',
  'publishing',
] as const satisfies readonly Stage[];

/** The stage that an open job is in. */
export function stageOf({ status, progress }: Pick<JobSummary, 'status' | 'progress'>): Stage {
  if (status === 'queued') return 'queued';
  const stage = progress?.stage ?? 'preparing';
  return stage === 'queued' ? 'preparing' : stage;
}
