import * as v from 'valibot';
import type { Config } from '../../config/settings/settings.ts';
import { CapabilityDocument } from '../../contract/resources/provider.ts';
import { INPUT_LIMITS } from '../backend/input-limits.ts';
import { familyOf, sizesOf } from './models.ts';

/** Of the mapping: it rises when the same request is sent in another form. */
export const IMPLEMENTATION_VERSION = '1.0.0';

/** Of sources and references together. A whole request may have 100 MB, the base64 of its images included. */
export const GEMINI_INPUTS = { ...INPUT_LIMITS, max_count: 14 };

type Settings = Config['providers']['gemini'][string];

/** What `model` can do, under the operator's limits and with what the operator says of it (more-providers.md 4). */
export function capabilitiesOf(
  provider: string,
  model: string,
  settings: Settings,
): CapabilityDocument {
  const { model_profiles: profiles, image_model: defaultModel, max_outputs: maxOutputs } = settings;
  const profile = profiles[model];
  const family = familyOf(typeof profile === 'string' ? profile : model, defaultModel);
  const parallel = settings.max_parallel_outputs;
  return v.parse(CapabilityDocument, {
    provider,
    model,
    implementation_version: IMPLEMENTATION_VERSION,
    experimental: false,
    generation: true,
    edits: true,
    count: { min: 1, max: maxOutputs },
    batching: {
      mode: 'fan_out',
      native_count: { min: 1, max: 1 },
      max_parallel_outputs: parallel === 'auto' ? maxOutputs : parallel,
    },
    sizes: { auto: true, allowed: sizesOf(family), arbitrary: false },
    aspect_ratio: 'native',
    aspect_ratios: family.aspectRatios,
    resolution: 'native',
    resolutions: family.resolutions,
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
    reference_images: GEMINI_INPUTS,
    edit_images: GEMINI_INPUTS,
    masks: { ...GEMINI_INPUTS, support: 'emulated', max_count: 1 },
    partial_images: { min: 0, max: 0 },
    persistent_sessions: false,
    explicit_threads: false,
    source_transport: 'conversation_attachment',
    ...(typeof profile === 'object' ? profile : {}),
  });
}
