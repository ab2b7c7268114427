import * as v from 'valibot';
import { closedObject, nullable } from '../schema/closed-object.ts';
import { documented, PromptText, tokenOf, UserMetadata } from '../schema/fields.ts';
import { coded, invalidField } from '../schema/issues.ts';
import { limitedList, upTo } from '../schema/request-limits.ts';
import { type FileInput, ImageInput, PlanInput } from './image-input.ts';
import { requestRules } from './image-request-rules.ts';
import { Output } from './output.ts';
import { RequestParameters } from './parameters.ts';
import { Policies, Routing, Session } from './routing.ts';

/** The common fields of a request and a preset template, one row per field. */
export const sharedRequestEntries = {
  operation: v.optional(v.picklist(['generate', 'edit']), 'generate'),
  negative_prompt: documented(
    nullable(PromptText),
    'Content to avoid. The prompt and the negative prompt together have at most 12288 bytes of UTF-8.',
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
  user: documented(nullable(tokenOf(256)), 'A caller-defined identifier of the end user.'),
  metadata: documented(
    v.optional(UserMetadata, {}),
    'Caller-defined pairs, stored with the job and in the metadata record. They are never sent to a provider.',
  ),
};

const IdempotencyKey = tokenOf(256);

/**
 * Returns the idempotency key of a request. Throws `invalid_request` if the body and the header contain different keys. Returns
 * undefined if the request has no key.
 */
export function toIdempotencyKey(
  inBody: string | null,
  inHeader: string | undefined,
): string | undefined {
  if (inBody !== null && inHeader !== undefined && inBody !== inHeader) {
    const message = 'must equal the header Idempotency-Key if both are given';
    throw invalidField('idempotency_key', 'conflict', message);
  }
  return inBody ?? inHeader;
}

/** Returns the fields of a request whose images have this schema. */
export function entriesWith<const S extends v.GenericSchema>(image: S) {
  return {
    version: v.optional(v.literal('1', coded('unsupported_version', 'must be "1"')), '1'),
    prompt: documented(
      PromptText,
      'A description of the image. The prompt and `negative_prompt` together have at most 12288 bytes of UTF-8.',
    ),
    images: documented(
      v.optional(limitedList(image, 'maxInputs'), []),
      'The images to edit: at least one for an edit, none for a generation.',
    ),
    mask: documented(
      nullable(image),
      'For an edit: an image with an alpha channel and the dimensions of the first image. Pixels with alpha 0 may change, pixels with alpha 255 must not.',
    ),
    reference_images: documented(
      v.optional(limitedList(image, 'maxInputs'), []),
      'Images that guide the result.',
    ),
    idempotency_key: documented(
      nullable(IdempotencyKey),
      'Same as the header Idempotency-Key. Equal requests with the same key are executed once.',
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

export const imageRequestEntries = entriesWith(ImageInput);

/** The native request of `POST /v1/images` and `/v1/images/stream` (`docs/contract.md`, section 1). */
export const ImageRequest = requestWith(ImageInput);
export type ImageRequest = v.InferOutput<typeof ImageRequest>;

/** The request of every image route. The images are not checked again by this schema. */
export const AnyImageRequest = requestWith(v.custom<unknown>(() => true));
export type AnyImageRequest = RequestOf<ImageInput | FileInput>;

export interface RequestOf<I> extends Omit<ImageRequest, 'images' | 'mask' | 'reference_images'> {
  readonly images: readonly I[];
  readonly mask: I | null;
  readonly reference_images: readonly I[];
}

/** The native request of `POST /v1/plan`. */
export const PlanRequest = requestWith(PlanInput);
export type PlanRequest = RequestOf<PlanInput>;

/** Headers of requests that may have an idempotency key. `Idempotency-Key` has the same effect as the field `idempotency_key`. */
export const IdempotencyHeaders = v.object({
  'idempotency-key': documented(
    v.optional(IdempotencyKey),
    'Equal requests with the same key are executed once; a repeated request gets the same reply.',
  ),
});

/** Headers of requests whose reply is sent when the work has ended. */
const SynchronousHeaders = v.object({
  ...IdempotencyHeaders.entries,
  'x-stainless-retry-count': documented(
    v.optional(v.string()),
    'The retry count sent by the official OpenAI clients. A request with this header continues for 10 s after its client disconnects, and its outcome is kept for 10 s after the reply was written. An equal request with a count of 1 or more joins that request, or returns its job.',
  ),
});

/** Headers of requests whose reply may be a job. */
export const AsyncHeaders = v.object({
  ...SynchronousHeaders.entries,
  prefer: documented(
    v.optional(v.string()),
    'Preferences (RFC 7240). `respond-async` starts a job and returns the job. With `wait=N` in addition, the reply contains the images if they are ready within N seconds (at most 600). Ignored for streams, if jobs are disabled, and for a token without the permission `jobs`.',
  ),
});

/** The headers of a reply with the result of an earlier equal request. */
export const REPLAYED = { 'idempotent-replayed': 'true' } as const;
