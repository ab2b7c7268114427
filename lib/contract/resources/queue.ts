import * as v from 'valibot';
import { closedObject } from '../schema/closed-object.ts';
import { Count, DurationMs, documented, UnixSecs } from '../schema/fields.ts';
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
  max_running: documented(
    Count,
    'The number of jobs that run at the same time: the limit of all replicas if there is one, otherwise the limit of this process.',
  ),
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

/** The maximum number of queued jobs in `OwnQueue`. */
export const MAX_PLACES = 1000;

const usualMs = documented(
  v.optional(DurationMs),
  'The usual duration: the median of the latest 20 succeeded jobs with the same provider, model, size and number of images. Absent if fewer than 5 are known.',
);

/** The places of the own jobs in the queue of all tokens. */
export const OwnQueue = v.strictObject({
  paused: documented(v.boolean(), 'True if the queue is paused. No start is then estimated.'),
  max_running: Queue.entries.max_running,
  running: documented(
    v.array(v.strictObject({ id: JobId, owner: QueueJob.entries.owner, usual_ms: usualMs })),
    'The running jobs of the caller.',
  ),
  waiting: documented(
    v.array(
      v.strictObject({
        id: JobId,
        position: documented(
          v.pipe(v.number(), v.integer(), v.minValue(1)),
          'The place among the queued jobs of all tokens. The job at position 1 starts next.',
        ),
        owner: QueueJob.entries.owner,
        usual_ms: usualMs,
        estimated_start: documented(
          v.optional(UnixSecs),
          'The estimated time of the start. Absent if too few durations are known.',
        ),
      }),
    ),
    'The queued jobs of the caller, in the order in which they start.',
    { maxItems: MAX_PLACES },
  ),
  queued: documented(Count, 'The number of queued jobs of the caller, also beyond `waiting`.'),
  done: documented(
    v.optional(UnixSecs),
    'The estimated time at which the last listed job ends. Absent if too few durations are known.',
  ),
});
export type OwnQueue = v.InferOutput<typeof OwnQueue>;
