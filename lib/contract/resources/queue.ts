import * as v from 'valibot';
import { closedObject } from '../schema/closed-object.ts';
import { documented } from '../schema/documented.ts';
import { Count, DurationMs } from '../schema/fields.ts';
import { pageOf } from '../schema/page.ts';
import { JOB_STATUSES, JobId } from './job.ts';

/** The queue of the jobs of all tokens (beyond.md E). */
export const Queue = v.strictObject({
  paused: documented(
    v.boolean(),
    'A paused queue accepts jobs and starts none. Running ones continue.',
  ),
  queued: Count,
  running: Count,
  oldest_queued_age_ms: documented(
    v.optional(DurationMs),
    'How long ago the first of the queued jobs was accepted, to the second. Absent when none is queued.',
  ),
  by_provider: documented(
    v.record(v.string(), v.strictObject({ queued: Count, running: Count })),
    'Where the jobs are meant to go first: those providers that have any.',
  ),
});
export type Queue = v.InferOutput<typeof Queue>;

/** A queued or running job as the operator of the queue sees it, without its content. */
export const QueueJob = v.strictObject({
  id: JobId,
  status: documented(
    v.picklist(JOB_STATUSES),
    'queued or running in the list; after a cancellation, the status that the job then has.',
  ),
  age_ms: documented(DurationMs, 'How long ago the job was accepted, to the second.'),
  cancel_requested: v.boolean(),
  owner: documented(
    v.optional(v.string()),
    'The name of the token that the job came with. Absent for a caller without a named token.',
  ),
});
export type QueueJob = v.InferOutput<typeof QueueJob>;

export const QueueJobPage = pageOf(QueueJob);

export const QueuePatch = closedObject({
  paused: documented(v.boolean(), 'Pauses the queue or resumes it. It stays so after a restart.'),
});
export type QueuePatch = v.InferOutput<typeof QueuePatch>;
