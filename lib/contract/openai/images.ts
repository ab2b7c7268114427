import * as v from 'valibot';
import { ImageInput } from '../request/image-input.ts';
import { FilenamePrefix } from '../request/output.ts';
import { parameterEntries } from '../request/parameters.ts';
import { Policies, Route, Routing, Session, SessionKey } from '../request/routing.ts';
import { closedObject } from '../schema/closed-object.ts';
import { documented, PromptText, tokenOf, UserMetadata } from '../schema/fields.ts';
import { coded } from '../schema/issues.ts';
import { openObject } from '../schema/open-object.ts';
import { limitedList, upTo } from '../schema/request-limits.ts';
import { Payload, text } from '../schema/text.ts';

/** Older names of qualities in the OpenAI API, and the equivalent names of the bridge. */
export const QUALITY_ALIASES = { standard: 'medium', hd: 'high' } as const;

/** Fields of the OpenAI API that the bridge ignores and lists in the reply, or rejects if `compatibility` is `strict`. */
export const IGNORED_FIELDS = ['style', 'frame_count'] as const;

/** Removes the default of a field, so that the parsed value contains only fields that were sent. */
function named<const S extends v.GenericSchema>(entry: { readonly wrapped: S }) {
  return v.optional(entry.wrapped);
}

const compatibility = documented(
  named(Policies.entries.compatibility),
  'Same as in the native request, except that the default is `normalize`.',
);

/** Additional fields of the bridge. Unlike the surrounding object, this object rejects unknown fields. */
export const BridgeExt = closedObject({
  provider: named(Routing.entries.provider),
  negative_prompt: v.optional(PromptText),
  negative_prompt_mode: named(Policies.entries.negative_prompt),
  compatibility,
  revised_prompt: named(Policies.entries.revised_prompt),
  aspect_ratio: named(parameterEntries.aspect_ratio),
  resolution: named(parameterEntries.resolution),
  input_fidelity: named(parameterEntries.input_fidelity),
  action: named(parameterEntries.action),
  session: v.optional(Session),
  reference_images: v.optional(limitedList(ImageInput, 'maxInputs')),
  filename_prefix: v.optional(FilenamePrefix),
  fallbacks: documented(v.optional(limitedList(Route, 4)), 'Alternative routes, tried in order.', {
    maxItems: 4,
  }),
  fallback_policy: named(Routing.entries.fallback_policy),
  timeout_ms: documented(
    v.optional(upTo('maxTimeoutMs')),
    'The deadline of the whole operation, in milliseconds.',
  ),
  metadata: v.optional(UserMetadata),
});
export type BridgeExt = v.InferOutput<typeof BridgeExt>;

const qualities = [...parameterEntries.quality.wrapped.options, 'standard', 'hd'] as const;

/** A field that is rejected, because the result would not match the request if the field were ignored. */
const refused = v.optional(v.never(coded('unsupported_field', 'is not supported here')));

/** The fields with the same schema in a form and in a JSON body. */
export const textEntries = {
  prompt: documented(PromptText, 'A description of the image.'),
  model: documented(
    v.optional(v.pipe(text({ maxLength: 256 }), v.minLength(1))),
    'A model id from GET /v1/models, or provider/model.',
  ),
  size: named(parameterEntries.size),
  quality: documented(
    v.optional(v.picklist(qualities)),
    'The quality. standard means medium, hd means high.',
  ),
  output_format: named(parameterEntries.output_format),
  background: named(parameterEntries.background),
  moderation: named(parameterEntries.moderation),
  response_format: documented(
    v.optional(v.picklist(['b64_json', 'url'])),
    'The delivery of images; b64_json if omitted. A stream always contains b64_json.',
  ),
  user: v.optional(tokenOf(256)),
  safety_identifier: documented(
    v.optional(tokenOf(256, 0)),
    'Takes precedence over `user` unless it is empty.',
  ),
  input_fidelity: v.optional(v.picklist(['low', 'high'])),
  complexity: parameterEntries.complexity,
  markup: refused,
};

const jsonEntries = {
  ...textEntries,
  n: named(parameterEntries.n),
  output_compression: named(parameterEntries.output_compression),
  partial_images: named(parameterEntries.partial_images),
  stream: documented(v.optional(v.boolean()), 'If true, the reply is a stream of events.'),
  bridge_ext: v.optional(BridgeExt),
  ...(Object.fromEntries(IGNORED_FIELDS.map((name) => [name, v.optional(v.unknown())])) as Record<
    (typeof IGNORED_FIELDS)[number],
    v.OptionalSchema<v.UnknownSchema, undefined>
  >),
};

/** The body of `POST /v1/images/generations`. */
export const GenerationsBody = openObject({ ...jsonEntries, mask: refused });
export type GenerationsBody = v.InferOutput<typeof GenerationsBody>;

/** The additional fields of the edits route, in a form and in JSON. */
export const editTextEntries = {
  provider: named(Routing.entries.provider),
  negative_prompt: v.optional(PromptText),
  compatibility,
  revised_prompt: named(Policies.entries.revised_prompt),
  session_key: v.optional(SessionKey),
};

export const ImageReference = closedObject({
  image_url: documented(Payload, 'The image as a data URL.'),
});
export type ImageReference = v.InferOutput<typeof ImageReference>;

/** The JSON body of `POST /v1/images/edits`. */
export const EditsBody = openObject({
  ...jsonEntries,
  ...editTextEntries,
  images: limitedList(ImageReference, 'maxInputs'),
  mask: v.optional(ImageReference),
});
export type EditsBody = v.InferOutput<typeof EditsBody>;
