import * as v from 'valibot';
import { closedObject, nullable } from '../schema/closed-object.ts';
import { documented } from '../schema/documented.ts';
import { PromptText, tokenOf, UserMetadata } from '../schema/fields.ts';
import { coded } from '../schema/issues.ts';
import { limitedList } from '../schema/limited-list.ts';
import { upTo } from '../schema/request-limits.ts';
import { type FileInput, ImageInput, PlanInput } from './image-input.ts';
import { requestRules } from './image-request-rules.ts';
import { Output } from './output.ts';
import { RequestParameters } from './parameters.ts';
import { Policies, Routing, Session } from './routing.ts';

/** What a request and a preset's template have in common, one row a field. */
export const sharedRequestEntries = {
  operation: v.optional(v.picklist(['generate', 'edit']), 'generate'),
  negative_prompt: documented(
    nullable(PromptText),
    'What to avoid; with the prompt at most 12288 bytes of UTF-8.',
  ),
  parameters: v.optional(RequestParameters, {}),
  output: v.optional(Output, {}),
  routing: v.optional(Routing, {}),
  session: v.optional(Session, {}),
  policies: v.optional(Policies, {}),
  timeout_ms: documented(
    nullable(upTo('maxTimeoutMs')),
    'The deadline of the whole operation, in milliseconds.',
  ),
  user: documented(nullable(tokenOf(256)), 'Who this is for, in a word of yours.'),
  metadata: documented(
    v.optional(UserMetadata, {}),
    'Kept with the job and the metadata record, never sent to a provider.',
  ),
};

export const IdempotencyKey = tokenOf(256);

function entriesWith<const S extends v.GenericSchema>(image: S) {
  return {
    version: v.optional(v.literal('1', coded('unsupported_version', 'must be "1"')), '1'),
    prompt: documented(
      PromptText,
      'What to draw; with negative_prompt at most 12288 bytes of UTF-8.',
    ),
    images: documented(
      v.optional(limitedList(image, 'maxInputs'), []),
      'The images to edit: at least one for an edit, none for a generation.',
    ),
    mask: documented(
      nullable(image),
      'For an edit: an image with alpha, as large as the first one. Alpha 0 may change, 255 must not.',
    ),
    reference_images: documented(
      v.optional(limitedList(image, 'maxInputs'), []),
      'Images to go by.',
    ),
    idempotency_key: documented(
      nullable(IdempotencyKey),
      'The same as the header Idempotency-Key; an equal request under it is done once.',
    ),
    ...sharedRequestEntries,
  };
}

function requestWith<const S extends v.GenericSchema>(image: S) {
  return v.pipe(
    closedObject(entriesWith(image)),
    v.rawCheck((context) => requestRules(context)),
  );
}

/** The fields of `ImageRequest`. */
export const imageRequestEntries = entriesWith(ImageInput);

/** The native request of `POST /v1/images` and `/v1/images/stream` (contract.md 1). */
export const ImageRequest = requestWith(ImageInput);
export type ImageRequest = v.InferOutput<typeof ImageRequest>;

/** The request behind every route. Its images were checked as they arrived, in JSON or as files. */
export const AnyImageRequest = requestWith(v.custom<unknown>(() => true));
export type AnyImageRequest = RequestOf<ImageInput | FileInput>;

/** A request whose images are known as `I`. */
export interface RequestOf<I> extends Omit<ImageRequest, 'images' | 'mask' | 'reference_images'> {
  readonly images: readonly I[];
  readonly mask: I | null;
  readonly reference_images: readonly I[];
}

/** The native request of `POST /v1/plan`. */
export const PlanRequest = requestWith(PlanInput);
export type PlanRequest = RequestOf<PlanInput>;

/** `Idempotency-Key` is the same thing as the field of that name. */
export const IdempotencyHeaders = v.object({
  'idempotency-key': documented(
    v.optional(IdempotencyKey),
    'An equal request under the same key is run once; a repeat gets the same reply.',
  ),
});

/** As above, for requests that are replied to when the work is done. */
export const SynchronousHeaders = v.object({
  ...IdempotencyHeaders.entries,
  'x-stainless-retry-count': documented(
    v.optional(v.string()),
    'Sent by the official clients. Such a request continues for 10 s after its client has disconnected, and its outcome is kept for 10 s after the reply was written. An equal request with a count of 1 or more joins it, or finds its job.',
  ),
});

/** As above, for requests that may be replied to with a job. */
export const AsyncHeaders = v.object({
  ...SynchronousHeaders.entries,
  prefer: documented(
    v.optional(v.string()),
    'RFC 7240. With `respond-async` the work is a job from its start, and the reply is that job; with `wait=N` too, it is the images if they are made within N seconds, at most 600. Ignored for streams, where jobs are disabled, and for a token without the permission `jobs`.',
  ),
});

/** On every reply that is the result of an earlier, equal request. */
export const REPLAYED = { 'idempotent-replayed': 'true' } as const;
