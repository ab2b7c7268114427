import type { JobStatus } from '../contract/resources/job.ts';

/** What each status may turn into (contract.md 3). */
const NEXT: Readonly<Record<JobStatus, readonly JobStatus[]>> = {
  queued: ['running', 'cancelled'],
  running: ['succeeded', 'failed', 'cancelled', 'interrupted'],
  succeeded: [],
  failed: [],
  cancelled: [],
  interrupted: [],
};

export function mayBecome(from: JobStatus, to: JobStatus): boolean {
  return NEXT[from].includes(to);
}

/** Whether the job has ended: nothing but its marks changes any more. */
export function isTerminal(status: JobStatus): boolean {
  return NEXT[status].length === 0;
}
