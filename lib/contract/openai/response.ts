import * as v from 'valibot';
import {
  Attempt,
  Delivered,
  Normalization,
  SessionReport,
  Timings,
  WARNINGS,
} from '../reply/image-response.ts';
import { ErrorEvent } from '../reply/stream-events.ts';
import { OUTPUT_FORMATS, Parameters } from '../request/parameters.ts';
import { documented } from '../schema/documented.ts';
import { Count, UnixSecs } from '../schema/fields.ts';

const ignoredParameters = documented(
  v.optional(v.array(v.string())),
  'Fields of the request that were left out.',
);

/** What the bridge says beside OpenAI's fields. */
export const BridgeExtReport = v.strictObject({
  id: v.string(),
  provider: v.string(),
  model: v.string(),
  effective: Parameters,
  normalizations: v.array(Normalization),
  attempts: v.optional(v.array(Attempt)),
  session: v.optional(SessionReport),
  timings: Timings,
  delivered: v.array(Delivered),
  ignored_parameters: ignoredParameters,
  warnings: v.array(v.picklist(WARNINGS)),
});

/** Tokens as OpenAI counts them, where the provider reports any. */
export const ImageUsage = v.strictObject({
  input_tokens: v.optional(Count),
  output_tokens: v.optional(Count),
  total_tokens: v.optional(Count),
  input_tokens_details: documented(
    v.strictObject({ text_tokens: Count, image_tokens: Count }),
    'Clients demand them. Providers report one sum, which counts as text.',
  ),
});

const QUALITIES = ['low', 'medium', 'high', 'xhigh', 'max'] as const;
const BACKGROUNDS = ['opaque', 'transparent'] as const;
const revised = { revised_prompt: v.optional(v.string()) };

/** The reply of the generations and the edits route; its top-level fields are what took effect, never `auto`. */
export const ImagesResponse = v.strictObject({
  created: UnixSecs,
  data: v.array(
    v.union([
      v.strictObject({ b64_json: v.string(), ...revised }),
      v.strictObject({ url: v.string(), ...revised }),
    ]),
  ),
  background: v.optional(v.picklist(BACKGROUNDS)),
  output_format: v.optional(v.picklist(OUTPUT_FORMATS)),
  quality: v.optional(v.picklist(QUALITIES)),
  size: v.optional(v.string()),
  usage: v.optional(ImageUsage),
  bridge_ext: BridgeExtReport,
});
export type ImagesResponse = v.InferOutput<typeof ImagesResponse>;

/** The reply before it is written out: base64 is made once, at the very end. */
export type ImagesResponseWithBytes = Omit<ImagesResponse, 'data'> & {
  readonly data: readonly (
    | { readonly b64_json: Uint8Array; readonly revised_prompt?: string }
    | { readonly url: string; readonly revised_prompt?: string }
  )[];
};

// Here the clients' types demand all of them, so that an unknown one is `auto`.
const eventEntries = {
  b64_json: v.string(),
  created_at: UnixSecs,
  size: v.string(),
  quality: v.picklist([...QUALITIES, 'auto']),
  background: v.picklist([...BACKGROUNDS, 'auto']),
  output_format: v.picklist(OUTPUT_FORMATS),
  index: documented(v.optional(Count), 'Which image it is, where there are several.'),
};

function eventsOf<const P extends 'image_generation' | 'image_edit'>(prefix: P) {
  return v.variant('type', [
    v.strictObject({
      type: v.literal(`${prefix}.partial_image`),
      partial_image_index: Count,
      ...eventEntries,
    }),
    v.strictObject({
      type: v.literal(`${prefix}.completed`),
      usage: documented(v.optional(ImageUsage), 'The sum of all, in the last event.'),
      bridge_ext: v.optional(v.strictObject({ ignored_parameters: ignoredParameters })),
      ...eventEntries,
    }),
    ErrorEvent,
  ]);
}

/** The `data:` of one event of the generations route. */
export const GenerationStreamEvent = eventsOf('image_generation');
export type GenerationStreamEvent = v.InferOutput<typeof GenerationStreamEvent>;

/** The `data:` of one event of the edits route. */
export const EditStreamEvent = eventsOf('image_edit');
export type EditStreamEvent = v.InferOutput<typeof EditStreamEvent>;

type Unwritten<Kind extends 'partial_image' | 'completed'> = Omit<
  Extract<GenerationStreamEvent, { type: `image_generation.${Kind}` }>,
  'type' | 'b64_json'
> & {
  readonly type: `${'image_generation' | 'image_edit'}.${Kind}`;
  readonly b64_json: Uint8Array;
};

/** An event of either route before it is written out. A failure is none yet. */
export type ImagesEventWithBytes = Unwritten<'partial_image'> | Unwritten<'completed'>;
