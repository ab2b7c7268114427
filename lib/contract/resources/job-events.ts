import * as v from 'valibot';
import { ErrorEvent, PartialImageEvent, ProgressEvent } from '../reply/stream-events.ts';
import { documented } from '../schema/documented.ts';
import { ImageJob, ImageJobSummary, JobId } from './job.ts';

/** First: the job as it is. */
export const JobSnapshotEvent = v.strictObject({ type: v.literal('snapshot'), job: ImageJob });

const { index, partial_index, width, height } = PartialImageEvent.entries;

/** There is an unfinished image at `/v1/jobs/{id}/partial`. */
export const JobPartialImageEvent = v.strictObject({
  type: v.literal('partial_image'),
  index,
  partial_index,
  width,
  height,
});

/** Last: the job as it has ended. */
export const JobEndedEvent = v.strictObject({ type: v.literal('ended'), job: ImageJob });

/** The `data:` of one event of `GET /v1/jobs/{id}/events`. */
export const JobEvent = v.variant('type', [
  JobSnapshotEvent,
  ProgressEvent,
  JobPartialImageEvent,
  JobEndedEvent,
  ErrorEvent,
]);
type AnyJobEvent = v.InferOutput<typeof JobEvent>;

/** An event of a stream that has not failed. */
export type JobEvent = Exclude<AnyJobEvent, { type: 'error' }>;

/** A job as it is now. */
export const JobChangedEvent = v.strictObject({
  type: v.literal('job'),
  snapshot: documented(
    v.boolean(),
    'True for jobs that are active when the stream begins, and for those that changed before it began.',
  ),
  job: ImageJobSummary,
});

/** A job that retention has removed. */
export const JobRemovedEvent = v.strictObject({ type: v.literal('removed'), id: JobId });

/** The `data:` of one event of `GET /v1/jobs/events`. */
export const JobFeedEvent = v.variant('type', [JobChangedEvent, JobRemovedEvent, ErrorEvent]);
type AnyJobFeedEvent = v.InferOutput<typeof JobFeedEvent>;

/** An event of a feed that has not failed. */
export type JobFeedEvent = Exclude<AnyJobFeedEvent, { type: 'error' }>;

/** An `EventSource` sends it whenever it reconnects. */
export const LastEventIdHeaders = v.object({
  'last-event-id': documented(
    v.optional(v.string()),
    'The id of the last event that was read: the stream continues there. One that is too old, or of other jobs, is refused.',
  ),
});
