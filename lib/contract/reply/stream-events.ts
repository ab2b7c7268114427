import * as v from 'valibot';
import { OUTPUT_FORMATS } from '../request/parameters.ts';
import { Count, UnixSecs } from '../schema/fields.ts';
import { errorReplyEntries } from './error.ts';
import { ImageResponse, type ImageResponseWithBytes, type WithBytes } from './image-response.ts';

/** The stages of a request or a job, in order. */
export const STAGES = [
  'queued',
  'preparing',
  'dispatched',
  'generating',
  'verifying',
  'publishing',
] as const;

/** The first event, sent when the work is queued or running. */
export const StartedEvent = v.strictObject({
  type: v.literal('started'),
  request_id: v.string(),
  created: UnixSecs,
});

export const ProgressEvent = v.strictObject({
  type: v.literal('progress'),
  stage: v.picklist(STAGES),
  index: v.optional(Count),
});

/** A verified partial image. */
export const PartialImageEvent = v.strictObject({
  type: v.literal('partial_image'),
  index: Count,
  partial_index: Count,
  format: v.picklist(OUTPUT_FORMATS),
  width: v.pipe(v.number(), v.integer(), v.minValue(1)),
  height: v.pipe(v.number(), v.integer(), v.minValue(1)),
  b64_json: v.string(),
});

/** The last event after a success. */
export const CompletedEvent = v.strictObject({
  type: v.literal('completed'),
  response: ImageResponse,
});

/** The last event after a failure: the HTTP error body with a type. */
export const ErrorEvent = v.strictObject({ type: v.literal('error'), ...errorReplyEntries });

/** The `data:` field of one event of `POST /v1/images/stream`. The `event:` field equals `type`. */
export const StreamEvent = v.variant('type', [
  StartedEvent,
  ProgressEvent,
  PartialImageEvent,
  CompletedEvent,
  ErrorEvent,
]);
export type StreamEvent = v.InferOutput<typeof StreamEvent>;

/** An event before encoding, except errors. */
export type StreamEventWithBytes =
  | WithBytes<Exclude<StreamEvent, { type: 'completed' | 'error' }>>
  | { readonly type: 'completed'; readonly response: ImageResponseWithBytes };
