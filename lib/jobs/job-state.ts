import type { JobStatus } from '../contract/resources/job.ts';

const TERMINAL: ReadonlySet<JobStatus> = new Set([
  'succeeded',
  'failed',
  'cancelled',
  'interrupted',
]);

/** Whether the job has ended: its status does not change any more (contract.md 3). */
export function isTerminal(status: JobStatus): boolean {
  return TERMINAL.has(status);
}
