import type { JobSummary } from '../api/schemas.ts';

/** Whether a job has not ended yet. */
export function isOpen(job: Pick<JobSummary, 'status'>): boolean {
  return job.status === 'queued' || job.status === 'running';
}
