import * as v from 'valibot';
import { ImageInput } from '../request/image-input.ts';
import { FilenamePrefix } from '../request/output-names.ts';
import { parameterEntries } from '../request/parameters.ts';
import { Policies, Route, Routing, Session, SessionKey } from '../request/routing.ts';
import { closedObject } from '../schema/closed-object.ts';
import { documented } from '../schema/documented.ts';
import { PromptText, tokenOf, UserMetadata } from '../schema/fields.ts';
import { coded } from '../schema/issues.ts';
import { limitedList } from '../schema/limited-list.ts';
import { openObject } from '../schema/open-object.ts';
import { upTo } from '../schema/request-limits.ts';
import { Payload, text } from '../schema/text.ts';

/** OpenAI's older names of a quality, and ours (contract.md 10). */
export const QUALITY_ALIASES = { standard: 'medium', hd: 'high' } as const;

/** Fields of the public OpenAI contract that cannot be honoured: left out and listed, refused under `strict`. */
export const IGNORED_FIELDS = ['style', 'complexity', 'frame_count'] as const;

/** These routes keep which fields were named: the defaults come with the request that they are turned into. */
function named<const S extends v.GenericSchema>(entry: { readonly wrapped: S }) {
  return v.optional(entry.wrapped);
}

const compatibility = documented(
  named(Policies.entries.compatibility),
  'Left out, it is normalize here.',
);

/** Ours beside OpenAI's fields: its keys are closed, whatever stands around it. */
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
  fallbacks: documented(v.optional(limitedList(Route, 4)), 'Where to go next, in order.', {
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

/** A field that is never ignored, because the image would then be another one than was asked for. */
const refused = v.optional(v.never(coded('unsupported_field', 'is not supported here')));

/** What a form and a JSON body have in common whose text needs no reading. */
export const textEntries = {
  prompt: documented(PromptText, 'What to draw.'),
  model: documented(
    v.optional(v.pipe(text({ maxLength: 256 }), v.minLength(1))),
    'A name that GET /v1/models lists, or provider/model.',
  ),
  size: named(parameterEntries.size),
  quality: documented(v.optional(v.picklist(qualities)), 'standard means medium, hd means high.'),
  output_format: named(parameterEntries.output_format),
  background: named(parameterEntries.background),
  moderation: named(parameterEntries.moderation),
  response_format: documented(
    v.optional(v.picklist(['b64_json', 'url'])),
    'Left out, it is b64_json; a stream always carries b64_json.',
  ),
  user: v.optional(tokenOf(256)),
  safety_identifier: documented(v.optional(tokenOf(256, 0)), 'Wins over user unless it is empty.'),
  input_fidelity: v.optional(v.picklist(['low', 'high'])),
  markup: refused,
};

const jsonEntries = {
  ...textEntries,
  n: named(parameterEntries.n),
  output_compression: named(parameterEntries.output_compression),
  partial_images: named(parameterEntries.partial_images),
  stream: documented(v.optional(v.boolean()), 'Replies with a stream of events.'),
  bridge_ext: v.optional(BridgeExt),
  ...(Object.fromEntries(IGNORED_FIELDS.map((name) => [name, v.optional(v.unknown())])) as Record<
    (typeof IGNORED_FIELDS)[number],
    v.OptionalSchema<v.UnknownSchema, undefined>
  >),
};

/** `POST /v1/images/generations`. */
export const GenerationsBody = openObject({ ...jsonEntries, mask: refused });
export type GenerationsBody = v.InferOutput<typeof GenerationsBody>;

/** What the edits route takes beside the fields of the generations route, in a form as in JSON. */
export const editTextEntries = {
  provider: named(Routing.entries.provider),
  negative_prompt: v.optional(PromptText),
  compatibility,
  revised_prompt: named(Policies.entries.revised_prompt),
  session_key: v.optional(SessionKey),
};

export const ImageReference = closedObject({
  image_url: documented(Payload, 'A data URL.'),
});
export type ImageReference = v.InferOutput<typeof ImageReference>;

/** `POST /v1/images/edits` as JSON. */
export const EditsBody = openObject({
  ...jsonEntries,
  ...editTextEntries,
  images: limitedList(ImageReference, 'maxInputs'),
  mask: v.optional(ImageReference),
});
export type EditsBody = v.InferOutput<typeof EditsBody>;
