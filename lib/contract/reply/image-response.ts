import * as v from 'valibot';
import type { ByteParts } from '../../platform/byte-parts.ts';
import { OUTPUT_FORMATS, Parameters } from '../request/parameters.ts';
import { ArtifactId, Count, DurationMs, documented, Sha256, UnixSecs } from '../schema/fields.ts';
import { WireCost } from './cost.ts';
import { FlatBridgeError } from './error.ts';
import { Provenance } from './provenance.ts';

export const WARNINGS = [
  'partial_output_failure',
  'transient_provider_retry_used',
  'negative_prompt_merged',
  'output_size_differs',
  'output_format_converted',
  'ignored_parameters',
  'sandbox_output',
  'transparency_failed',
  'mask_not_native',
  'mask_exact_before_encoding',
  'metadata_not_embedded',
  'credentials_dropped',
  'credentials_invalid',
  'signing_failed',
] as const;
export type Warning = (typeof WARNINGS)[number];

const NORMALIZATION_REASONS = [
  'provider_uses_automatic_action',
  'clamped_to_provider_range',
  'normalized_to_provider_size',
  'provider_does_not_support_hint',
  'normalized_to_provider_default',
  'provider_supports_native_alpha',
  'provider_alpha_emulated_with_local_chroma_key',
  'transparent_output_requires_alpha_capable_format',
  'provider_unsupported',
  'compatibility_alias',
  'provider_mask_emulated_with_local_composite',
] as const;
export type NormalizationReason = (typeof NORMALIZATION_REASONS)[number];

const JsonValue = v.union([v.string(), v.number(), v.boolean(), v.null()]);

export const Normalization = v.strictObject({
  field: v.string(),
  requested: JsonValue,
  effective: JsonValue,
  reason: v.picklist(NORMALIZATION_REASONS),
});
export type Normalization = v.InferOutput<typeof Normalization>;

export const Attempt = v.strictObject({
  provider: v.string(),
  model: v.optional(v.string()),
  outcome: v.picklist(['succeeded', 'failed']),
  error_code: v.optional(v.string()),
  duration_ms: DurationMs,
});
export type Attempt = v.InferOutput<typeof Attempt>;

/** The facts of an image that do not depend on its delivery. */
const imageEntries = {
  index: Count,
  format: v.picklist(OUTPUT_FORMATS),
  width: v.pipe(v.number(), v.integer(), v.minValue(1)),
  height: v.pipe(v.number(), v.integer(), v.minValue(1)),
  bytes: v.pipe(v.number(), v.integer(), v.minValue(1)),
  sha256: Sha256,
  generation_ms: v.optional(DurationMs),
  metadata_name: v.optional(v.string()),
  revised_prompt: v.optional(v.string()),
  provenance: documented(
    v.optional(Provenance),
    'Absent in results of earlier versions of the bridge.',
  ),
};

export const GeneratedImage = v.variant('type', [
  v.strictObject({ type: v.literal('b64_json'), b64_json: v.string(), ...imageEntries }),
  v.strictObject({
    type: v.literal('artifact'),
    id: ArtifactId,
    name: v.string(),
    ...imageEntries,
  }),
  v.strictObject({ type: v.literal('url'), url: v.string(), id: ArtifactId, ...imageEntries }),
  v.strictObject({ type: v.literal('metadata'), ...imageEntries }),
]);

/** The counts of tokens by kind. The cached tokens are a part of the input tokens. */
export const TOKEN_KINDS = [
  'input_text_tokens',
  'input_image_tokens',
  'cached_text_tokens',
  'cached_image_tokens',
  'output_text_tokens',
  'output_image_tokens',
] as const;
export type TokenKind = (typeof TOKEN_KINDS)[number];

export const Usage = v.strictObject({
  input_tokens: v.optional(Count),
  output_tokens: v.optional(Count),
  total_tokens: v.optional(Count),
  ...v.entriesFromList(TOKEN_KINDS, v.optional(Count)),
  provider: v.optional(v.record(v.string(), v.number())),
});
export type Usage = v.InferOutput<typeof Usage>;

const Verdict = v.picklist(['honoured', 'changed', 'unspecified']);

export const Delivered = v.strictObject({
  index: Count,
  size: Verdict,
  format: Verdict,
  alpha: Verdict,
});
export type Delivered = v.InferOutput<typeof Delivered>;

export const Timings = v.strictObject({
  queue_ms: DurationMs,
  input_ms: DurationMs,
  provider_ms: DurationMs,
  artifact_ms: DurationMs,
  total_ms: DurationMs,
});
export type Timings = v.InferOutput<typeof Timings>;

export const SessionReport = v.strictObject({
  key: v.optional(v.string()),
  thread_id: v.optional(v.string()),
  reused: v.boolean(),
});
export type SessionReport = v.InferOutput<typeof SessionReport>;

/** The reply of `POST /v1/images` (`docs/contract.md`, section 2). */
export const ImageResponse = v.strictObject({
  id: v.string(),
  created: UnixSecs,
  provider: v.string(),
  model: v.string(),
  requested: Parameters,
  effective: Parameters,
  normalizations: v.array(Normalization),
  attempts: v.optional(v.array(Attempt)),
  data: v.array(GeneratedImage),
  failures: v.optional(
    v.array(v.strictObject({ index: Count, error: FlatBridgeError, generation_ms: DurationMs })),
  ),
  revised_prompt: v.optional(v.string()),
  usage: v.optional(Usage),
  cost: documented(
    v.optional(WireCost),
    'The cost of all calls of the request. Absent in results of versions that did not count costs.',
  ),
  session: v.optional(SessionReport),
  timings: Timings,
  delivered: v.array(Delivered),
  warnings: v.array(v.picklist(WARNINGS)),
});
export type ImageResponse = v.InferOutput<typeof ImageResponse>;

/** A value before encoding. Images are encoded to base64 only when the reply is written. */
export type WithBytes<T> = T extends { readonly b64_json: string }
  ? Omit<T, 'b64_json'> & { readonly b64_json: ByteParts }
  : T;

type WireImage = ImageResponse['data'][number];
export type ArtifactImage = Extract<WireImage, { type: 'artifact' }>;
export type ImageWithBytes = WithBytes<WireImage>;
export type ImageResponseWithBytes = Omit<ImageResponse, 'data'> & {
  readonly data: readonly ImageWithBytes[];
};
