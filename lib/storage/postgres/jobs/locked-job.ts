import { isTerminal, type JobStatus } from '../../../contract/resources/job.ts';
import type { CountedJob } from '../../jobs/counted-job.ts';
import type { JobMove } from './job-counts.ts';

/** A job whose row is locked until the end of the transaction. */
export interface LockedJob {
  readonly sequence: number;
  readonly id: string;
  readonly scope: string;
  readonly provider: string;
  readonly status: JobStatus;
  readonly priority: number;
  readonly owner: string | null;
  readonly favorite: number;
  readonly ownFavorite: number;
  readonly hidden: boolean;
  readonly bytes: number;
  readonly reserved: number;
  readonly inputs: number;
  readonly cancelRequested: number;
  readonly deletedSecs: number | null;
  /** The labels in JSON. */
  readonly labels: string;
  readonly completedSecs: number | null;
}

/** The columns of `LockedJob`. */
export const LOCKED_COLUMNS = `
  job.seq AS sequence, id, scope, provider, status, priority, owner, favorite, hidden, bytes, reserved, inputs,
  own_favorite AS "ownFavorite", labels, cancel_requested AS "cancelRequested", deleted AS "deletedSecs", completed AS "completedSecs"`;

/** The counted columns that a change of a job sets. */
type ChangedColumns = Partial<
  Pick<LockedJob, 'status' | 'favorite' | 'hidden' | 'bytes' | 'reserved'>
>;

/** Returns the states of a locked job before and after a change. */
export function toMove(job: LockedJob, change: ChangedColumns | undefined): JobMove {
  return { before: toCounted(job), after: change && toCounted({ ...job, ...change }) };
}

function toCounted({
  scope,
  provider,
  status,
  favorite,
  hidden,
  bytes,
  reserved,
}: LockedJob): CountedJob {
  const isOrdinary = isTerminal(status) && favorite === 0;
  return {
    scope,
    provider,
    status,
    favorite,
    bytes,
    reserved,
    hidden: Number(hidden),
    ordinaryJobs: Number(isOrdinary),
    // Stored images are counted separately.
    ordinaryBytes: isOrdinary ? bytes : 0,
  };
}
