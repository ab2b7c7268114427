import * as v from 'valibot';
import { closedObject, nullable } from './closed-object.ts';
import { Text, tokenOf, UserMetadata } from './fields.ts';
import { ImageInput } from './image-input.ts';
import { requestRules } from './image-request-rules.ts';
import { coded } from './issues.ts';
import { Output } from './output.ts';
import { RequestParameters } from './parameters.ts';
import { upTo } from './request-limits.ts';
import { Policies, Routing, Session } from './routing.ts';

/** What a request and a preset's template have in common, one row a field. */
export const sharedRequestEntries = {
  operation: v.optional(v.picklist(['generate', 'edit']), 'generate'),
  negative_prompt: nullable(Text),
  parameters: v.optional(RequestParameters, {}),
  output: v.optional(Output, {}),
  routing: v.optional(Routing, {}),
  session: v.optional(Session, {}),
  policies: v.optional(Policies, {}),
  timeout_ms: nullable(upTo('maxTimeoutMs')),
  user: nullable(tokenOf(256)),
  metadata: v.optional(UserMetadata, {}),
};

export const IdempotencyKey = tokenOf(256);

/** The native request of `POST /v1/images`, `/v1/images/stream` and `/v1/jobs` (contract.md 1). */
export const ImageRequest = v.pipe(
  closedObject({
    version: v.optional(v.literal('1', coded('unsupported_version', 'must be "1"')), '1'),
    prompt: Text,
    images: v.optional(v.array(ImageInput), []),
    mask: nullable(ImageInput),
    reference_images: v.optional(v.array(ImageInput), []),
    idempotency_key: nullable(IdempotencyKey),
    ...sharedRequestEntries,
  }),
  v.rawCheck((context) => requestRules(context)),
);
export type ImageRequest = v.InferOutput<typeof ImageRequest>;
