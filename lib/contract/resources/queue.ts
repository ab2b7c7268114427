import * as v from 'valibot';
import { closedObject } from '../schema/closed-object.ts';
import { Count, DurationMs, documented } from '../schema/fields.ts';
import { pageOf } from '../schema/page.ts';
import { JOB_STATUSES, JobId } from './job.ts';

/** The queue with the jobs of all tokens. */
export const Queue = v.strictObject({
  paused: documented(
    v.boolean(),
    'True if the queue is paused. A paused queue accepts jobs but starts none; running jobs continue.',
  ),
  queued: Count,
  running: Count,
  oldest_queued_age_ms: documented(
    v.optional(DurationMs),
    'The age of the oldest queued job in milliseconds, with a resolution of one second. Absent if no job is queued.',
  ),
  by_provider: documented(
    v.record(v.string(), v.strictObject({ queued: Count, running: Count })),
    'The jobs by their first provider, for every provider with jobs.',
  ),
});
export type Queue = v.InferOutput<typeof Queue>;

/** A queued or running job for the operator of the queue, without its content. */
export const QueueJob = v.strictObject({
  id: JobId,
  status: documented(
    v.picklist(JOB_STATUSES),
    'queued or running in the list. After a cancellation, the new status of the job.',
  ),
  age_ms: documented(
    DurationMs,
    'The time since the job was accepted in milliseconds, with a resolution of one second.',
  ),
  cancel_requested: v.boolean(),
  owner: documented(
    v.optional(v.string()),
    'The name of the token that created the job. Absent for a caller without a named token.',
  ),
});
export type QueueJob = v.InferOutput<typeof QueueJob>;

export const QueueJobPage = pageOf(QueueJob);

export const QueuePatch = closedObject({
  paused: documented(
    v.boolean(),
    'true pauses the queue, false resumes it. The state survives a restart.',
  ),
});
export type QueuePatch = v.InferOutput<typeof QueuePatch>;
