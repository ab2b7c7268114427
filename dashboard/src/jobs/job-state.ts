import type { JobSummary } from '../api/schemas.ts';

/** Returns true if a job has not ended. */
export function isOpen(job: Pick<JobSummary, 'status'>): boolean {
  return job.status === 'queued' || job.status === 'running';
}

type Stage = NonNullable<JobSummary['progress']>['stage'];

/** The stages of a running job, in order. */
export const STAGES = [
  'preparing',
  'dispatched',
  'generating',
  'verifying',
  'publishing',
] as const satisfies readonly Stage[];

export function stageOf({ status, progress }: Pick<JobSummary, 'status' | 'progress'>): Stage {
  if (status === 'queued') return 'queued';
  const stage = progress?.stage ?? 'preparing';
  return stage === 'queued' ? 'preparing' : stage;
}
