import type { CapabilityDocument } from '../../contract/resources/provider.ts';
import { NO_IMAGES } from './sent-images.ts';

/** Capabilities of a model that accepts a prompt and has no other options. */
export const PLAIN_MODEL = {
  /** Version of the mapping. A provider that begins to send the same request in another form states a higher version. */
  implementation_version: '1.0.0',
  experimental: false,
  generation: true,
  aspect_ratio: 'emulated',
  resolution: 'emulated',
  negative_prompt: 'emulated',
  revised_prompt: 'unsupported',
  transparent_background: 'emulated',
  user_attribution: 'unsupported',
  qualities: ['auto'],
  output_formats: ['png'],
  backgrounds: ['auto', 'opaque'],
  moderation: ['auto'],
  actions: ['auto'],
  input_fidelities: [],
  masks: NO_IMAGES,
  partial_images: { min: 0, max: 0 },
  persistent_sessions: false,
  explicit_threads: false,
} satisfies Partial<CapabilityDocument>;

/** The settings `max_outputs` and `max_parallel_outputs` of a provider. */
interface OutputLimits {
  readonly max_outputs: number;
  readonly max_parallel_outputs: number | 'auto';
}

/**
 * Returns the count and batching capabilities of a provider that makes one output for each call. By default, all
 * outputs of a request are made in parallel.
 */
export function oneOutputPerCall({
  max_outputs: max,
  max_parallel_outputs: parallel,
}: OutputLimits): Pick<CapabilityDocument, 'count' | 'batching'> {
  return {
    count: { min: 1, max },
    batching: {
      mode: batchingMode(max, 1),
      native_count: { min: 1, max: 1 },
      max_parallel_outputs: parallel === 'auto' ? max : parallel,
    },
  };
}

/** Returns the batching mode that a request for the maximum number of outputs needs. */
export function batchingMode(
  maxOutputs: number,
  outputsPerCall: number,
): CapabilityDocument['batching']['mode'] {
  return maxOutputs > outputsPerCall ? 'fan_out' : 'native';
}

interface Settings {
  readonly image_model: string;
  /** Profiles by model name. A string value is the name of a model family. */
  readonly model_profiles: { readonly [model: string]: unknown };
}

/**
 * Returns the names that may identify the family of a model, in order of preference: the model's profile in the
 * settings, the model's own name, the default model's profile, the default model's name.
 */
export function familyNames(
  model: string,
  { image_model, model_profiles }: Settings,
): readonly string[] {
  return [model, image_model].flatMap((name) => {
    const profile = model_profiles[name];
    return typeof profile === 'string' ? [profile, name] : [name];
  });
}
