import * as v from 'valibot';
import { ErrorEvent, PartialImageEvent, ProgressEvent } from '../reply/stream-events.ts';
import { closedObject } from '../schema/closed-object.ts';
import { documented } from '../schema/fields.ts';
import { QueryBoolean } from '../schema/page.ts';
import { ImageJob, ImageJobSummary, JOB_ENDS, JobId } from './job.ts';
import { OwnQueue } from './queue.ts';

/** The first event: the current state of the job. */
export const JobSnapshotEvent = v.strictObject({ type: v.literal('snapshot'), job: ImageJob });

const { index, partial_index, width, height } = PartialImageEvent.entries;

/** A new partial image is available at `/v1/jobs/{id}/partial`. */
export const JobPartialImageEvent = v.strictObject({
  type: v.literal('partial_image'),
  index,
  partial_index,
  width,
  height,
});

/** The last event: the ended job. */
export const JobEndedEvent = v.strictObject({ type: v.literal('ended'), job: ImageJob });

/** The `data:` field of one event of `GET /v1/jobs/{id}/events`. */
export const JobEvent = v.variant('type', [
  JobSnapshotEvent,
  ProgressEvent,
  JobPartialImageEvent,
  JobEndedEvent,
  ErrorEvent,
]);
type AnyJobEvent = v.InferOutput<typeof JobEvent>;

/** An event of a job stream, except errors. */
export type JobEvent = Exclude<AnyJobEvent, { type: 'error' }>;

/** The state of a job after a change. */
export const JobChangedEvent = v.strictObject({
  type: v.literal('job'),
  snapshot: documented(
    v.boolean(),
    'True for jobs that are active when the stream begins, and for jobs that changed before the stream began.',
  ),
  job: ImageJobSummary,
});

/** The removal of a job by retention. */
export const JobRemovedEvent = v.strictObject({ type: v.literal('removed'), id: JobId });

/** The places of the own jobs in the queue, as in `GET /v1/queue/own`. */
const QueueChangedEvent = v.strictObject({ type: v.literal('queue'), queue: OwnQueue });

/** The `data:` field of one event of `GET /v1/jobs/events`. */
export const JobFeedEvent = v.variant('type', [
  JobChangedEvent,
  JobRemovedEvent,
  QueueChangedEvent,
  ErrorEvent,
]);
type AnyJobFeedEvent = v.InferOutput<typeof JobFeedEvent>;

/** An event of the feed, except errors. */
export type JobFeedEvent = Exclude<AnyJobFeedEvent, { type: 'error' }>;

export const JobFeedQuery = closedObject({
  queue: documented(
    v.optional(QueryBoolean),
    'true adds `queue` events: the places of the queued jobs, their estimated starts, and whether the queue is paused.',
  ),
});

/** The header that an `EventSource` sends when it reconnects. */
export const LastEventIdHeaders = v.object({
  'last-event-id': documented(
    v.optional(v.string()),
    'The id of the last received event, after which the stream continues. An id that is too old or belongs to other jobs is rejected.',
  ),
});

const TYPES = JOB_ENDS.map((end) => `job.${end}` as const);

/** The message sent to a webhook when a job has ended. */
export const WebhookMessage = v.strictObject({
  type: documented(v.picklist(TYPES), 'The final status of the job.'),
  timestamp: documented(v.pipe(v.string(), v.isoTimestamp()), 'The time at which the job ended.'),
  data: ImageJob,
});
export type WebhookMessage = v.InferOutput<typeof WebhookMessage>;

/** The headers of each delivery attempt, as defined by Standard Webhooks 1.0. */
export const WebhookHeaders = v.object({
  'webhook-id': documented(
    v.string(),
    'The id of the job. The id is the same in every attempt, so a receiver can detect repeated messages.',
  ),
  'webhook-timestamp': documented(v.string(), 'The time of this attempt, in Unix seconds.'),
  'webhook-signature': documented(
    v.string(),
    'One signature, or two signatures separated by a space while the secret is rotated. Each signature is `v1,` and the HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}` in base64.',
  ),
});
export type WebhookHeaders = v.InferOutput<typeof WebhookHeaders>;
