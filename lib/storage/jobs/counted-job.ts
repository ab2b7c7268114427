import * as v from 'valibot';
import { JOB_STATUSES, type JobStatus } from '../../contract/resources/job.ts';

const NUMBERS = [
  'hidden',
  'favorite',
  'bytes',
  'reserved',
  'ordinaryJobs',
  'ordinaryBytes',
] as const;

/** The columns of a job that are counted. */
export const CountedRow = v.object({
  scope: v.string(),
  provider: v.string(),
  status: v.picklist(JOB_STATUSES),
  ...v.entriesFromList(NUMBERS, v.number()),
});

/** The share of one job in the counts. */
export type CountedJob = v.InferOutput<typeof CountedRow>;

/** The difference that one changed job makes in the counts. */
export type CountDifference = Record<JobStatus | (typeof NUMBERS)[number], number>;

/** Returns the difference between two states of a job. `after` is undefined if the job was removed. */
export function differenceOf(before: CountedJob, after: CountedJob | undefined): CountDifference {
  const moved = {} as CountDifference;
  for (const status of JOB_STATUSES) {
    moved[status] = Number(after?.status === status) - Number(before.status === status);
  }
  for (const name of NUMBERS) moved[name] = (after?.[name] ?? 0) - before[name];
  return moved;
}
