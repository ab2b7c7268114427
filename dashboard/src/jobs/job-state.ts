import type { Job, JobSummary } from '../api/schemas.ts';

/** Returns true if a job has not ended. */
export function isOpen(job: Pick<JobSummary, 'status'>): boolean {
  return job.status === 'queued' || job.status === 'running';
}

/** Returns true if a job was cancelled while it waited in the queue, so that nothing was made or paid for. */
export function wasCancelledWaiting({
  status,
  started,
  artifacts,
}: Pick<JobSummary, 'status' | 'started' | 'artifacts'>): boolean {
  return status === 'cancelled' && started === undefined && artifacts.length === 0;
}

/** Returns true if the bridge itself made the images, as for a crop. No request can name the bridge, so the request cannot be repeated. */
export function isMadeHere({ request }: Pick<Job, 'request'>): boolean {
  return request.routing.provider === 'image-bridge';
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
