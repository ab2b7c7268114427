import * as v from 'valibot';
import {
  ACTIONS,
  AspectRatio,
  BACKGROUNDS,
  COMPLEXITIES,
  INPUT_FIDELITIES,
  MODERATIONS,
  OUTPUT_FORMATS,
  QUALITIES,
  RESOLUTIONS,
} from '../request/parameters.ts';
import { closedObject } from '../schema/closed-object.ts';
import { Count } from '../schema/fields.ts';
import { pageOf } from '../schema/page.ts';

export const ProviderDescriptor = v.strictObject({
  name: v.string(),
  display_name: v.string(),
  version: v.string(),
  experimental: v.boolean(),
  models: v.array(v.string()),
  default_model: v.string(),
  default: v.boolean(),
});
export type ProviderDescriptor = v.InferOutput<typeof ProviderDescriptor>;

export const ProviderPage = pageOf(ProviderDescriptor);

const Support = v.picklist(['native', 'emulated', 'unsupported']);
const Range = v.strictObject({ min: Count, max: Count });
const ImageSupport = v.strictObject({
  support: Support,
  max_count: Count,
  max_bytes_each: Count,
  max_bytes_total: Count,
});

/** The capabilities of one model of one provider. */
export const CapabilityDocument = v.strictObject({
  provider: v.string(),
  model: v.string(),
  implementation_version: v.string(),
  experimental: v.boolean(),
  generation: v.boolean(),
  edits: v.boolean(),
  count: Range,
  batching: v.strictObject({
    mode: v.picklist(['native', 'fan_out']),
    native_count: Range,
    max_parallel_outputs: Count,
  }),
  sizes: v.strictObject({
    auto: v.boolean(),
    allowed: v.array(v.string()),
    arbitrary: v.boolean(),
    min_edge: v.optional(Count),
    max_edge: v.optional(Count),
    edge_multiple: v.optional(Count),
    min_pixels: v.optional(Count),
    max_pixels: v.optional(Count),
    max_aspect_ratio: v.optional(v.number()),
  }),
  aspect_ratio: Support,
  /** The accepted values if `aspect_ratio` is `native`. If absent, every value is accepted. */
  aspect_ratios: v.optional(v.array(AspectRatio)),
  resolution: Support,
  resolutions: v.optional(v.array(v.picklist(RESOLUTIONS))),
  negative_prompt: Support,
  revised_prompt: Support,
  transparent_background: Support,
  user_attribution: Support,
  qualities: v.array(v.picklist(QUALITIES)),
  output_formats: v.array(v.picklist(OUTPUT_FORMATS)),
  backgrounds: v.array(v.picklist(BACKGROUNDS)),
  moderation: v.array(v.picklist(MODERATIONS)),
  actions: v.array(v.picklist(ACTIONS)),
  input_fidelities: v.array(v.picklist(INPUT_FIDELITIES)),
  /** The accepted values of `complexity`. If absent, no value is accepted. */
  complexities: v.optional(v.array(v.picklist(COMPLEXITIES))),
  reference_images: ImageSupport,
  edit_images: ImageSupport,
  masks: ImageSupport,
  partial_images: Range,
  persistent_sessions: v.boolean(),
  explicit_threads: v.boolean(),
  source_transport: v.picklist(['conversation_attachment', 'multipart', 'local']),
});
export type CapabilityDocument = v.InferOutput<typeof CapabilityDocument>;

export const ProviderPath = v.strictObject({ name: v.string() });

export const CapabilitiesQuery = closedObject({
  model: v.optional(v.pipe(v.string(), v.maxLength(128))),
});

/** The registered name for a settings key, such as `agent-app-server` for `agent_app_server`. */
export type ProviderNameOf<Key extends string> = Key extends `${infer Head}_${infer Tail}`
  ? `${Head}-${ProviderNameOf<Tail>}`
  : Key;

/** Returns the name of the provider whose settings have this key. Requests, replies, logs and metrics use the name. */
export function toProviderName<const Key extends string>(key: Key): ProviderNameOf<Key> {
  // The cast is safe because the type describes the same replacement, which the compiler cannot infer.
  return key.replaceAll('_', '-') as ProviderNameOf<Key>;
}
