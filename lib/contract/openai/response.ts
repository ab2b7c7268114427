import * as v from 'valibot';
import { WireCost } from '../reply/cost.ts';
import {
  Attempt,
  Delivered,
  Normalization,
  SessionReport,
  Timings,
  WARNINGS,
  type WithBytes,
} from '../reply/image-response.ts';
import { Provenance } from '../reply/provenance.ts';
import { ErrorEvent } from '../reply/stream-events.ts';
import {
  BACKGROUNDS,
  CHOSEN_BACKGROUNDS,
  CHOSEN_QUALITIES,
  OUTPUT_FORMATS,
  Parameters,
  QUALITIES,
} from '../request/parameters.ts';
import { Count, documented, UnixSecs } from '../schema/fields.ts';

const ignoredParameters = documented(
  v.optional(v.array(v.string())),
  'Fields of the request that were ignored.',
);

/** The additional fields of the bridge in a reply. */
export const BridgeExtReport = v.strictObject({
  id: v.string(),
  provider: v.string(),
  model: v.string(),
  effective: Parameters,
  normalizations: v.array(Normalization),
  attempts: v.optional(v.array(Attempt)),
  session: v.optional(SessionReport),
  cost: v.optional(WireCost),
  timings: Timings,
  delivered: v.array(Delivered),
  provenance: documented(
    v.optional(v.array(Provenance)),
    'The provenance of each image, in the order of `data`. Absent in results of earlier versions of the bridge.',
  ),
  ignored_parameters: ignoredParameters,
  warnings: v.array(v.picklist(WARNINGS)),
});

/** Token counts in the format of the OpenAI API. Contains only the counts that the provider reports. */
export const ImageUsage = v.strictObject({
  input_tokens: v.optional(Count),
  output_tokens: v.optional(Count),
  total_tokens: v.optional(Count),
  input_tokens_details: documented(
    v.strictObject({ text_tokens: Count, image_tokens: Count }),
    'Required by clients. Providers report a single sum, which is counted as text tokens.',
  ),
});

const revised = { revised_prompt: v.optional(v.string()) };

/** The reply of the generations and the edits route. The top-level fields contain the effective values, never `auto`. */
export const ImagesResponse = v.strictObject({
  created: UnixSecs,
  data: v.array(
    v.union([
      v.strictObject({ b64_json: v.string(), ...revised }),
      v.strictObject({ url: v.string(), ...revised }),
    ]),
  ),
  background: v.optional(v.picklist(CHOSEN_BACKGROUNDS)),
  output_format: v.optional(v.picklist(OUTPUT_FORMATS)),
  quality: v.optional(v.picklist(CHOSEN_QUALITIES)),
  size: v.optional(v.string()),
  usage: v.optional(ImageUsage),
  bridge_ext: BridgeExtReport,
});
export type ImagesResponse = v.InferOutput<typeof ImagesResponse>;

export type ImagesResponseWithBytes = Omit<ImagesResponse, 'data'> & {
  readonly data: readonly WithBytes<ImagesResponse['data'][number]>[];
};

// Official clients require all these fields, so an unknown value is `auto`.
const eventEntries = {
  b64_json: v.string(),
  created_at: UnixSecs,
  size: v.string(),
  quality: v.picklist(QUALITIES),
  background: v.picklist(BACKGROUNDS),
  output_format: v.picklist(OUTPUT_FORMATS),
  index: documented(v.optional(Count), 'The index of the image if several images were requested.'),
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
      usage: documented(v.optional(ImageUsage), 'The usage of all images; only in the last event.'),
      bridge_ext: v.optional(
        v.strictObject({
          ignored_parameters: ignoredParameters,
          provenance: v.optional(Provenance),
        }),
      ),
      ...eventEntries,
    }),
    ErrorEvent,
  ]);
}

/** The `data:` field of one event of the generations route. */
export const GenerationStreamEvent = eventsOf('image_generation');
export type GenerationStreamEvent = v.InferOutput<typeof GenerationStreamEvent>;

/** The `data:` field of one event of the edits route. */
export const EditStreamEvent = eventsOf('image_edit');
export type EditStreamEvent = v.InferOutput<typeof EditStreamEvent>;

type SentEvent<Kind extends 'partial_image' | 'completed'> = WithBytes<
  Omit<Extract<GenerationStreamEvent, { type: `image_generation.${Kind}` }>, 'type'>
> & { readonly type: `${'image_generation' | 'image_edit'}.${Kind}` };

/** An event of either route before encoding, except errors. */
export type ImagesEventWithBytes = SentEvent<'partial_image'> | SentEvent<'completed'>;
