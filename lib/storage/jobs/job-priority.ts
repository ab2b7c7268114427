import { BridgeError } from '../../errors/bridge-error.ts';
import type { JobRecord } from '../../jobs/job-store-port.ts';

/** Throws `job_not_queued` if a job that is not queued would get another priority. */
export function refuseOtherPriority(
  job: Pick<JobRecord, 'status' | 'priority'>,
  priority: number | undefined,
): void {
  if (job.status === 'queued' || priority === undefined || priority === job.priority) return;
  throw new BridgeError(
    'job_not_queued',
    'the priority of a job can be changed only while the job is queued',
  );
}
