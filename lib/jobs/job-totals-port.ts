import type { JobStatus } from '../contract/resources/job.ts';

/** Counts and sizes over the jobs of all scopes. */
export interface JobTotals {
  readonly byStatus: Readonly<Record<JobStatus, number>>;
  readonly hidden: number;
  readonly favorite: number;
  /** What all jobs take, by their texts and a fixed share each. */
  readonly logicalBytes: number;
  /** Kept free for the ends of queued and running jobs. */
  readonly reservedBytes: number;
}
