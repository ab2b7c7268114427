import * as v from 'valibot';
import type { Config } from '../../config/settings/settings.ts';
import { CapabilityDocument } from '../../contract/resources/provider.ts';
import { INPUT_LIMITS } from '../backend/input-limits.ts';
import { familyNames } from '../backend/model-profiles.ts';
import { oneOutputPerCall, PLAIN_MODEL } from '../backend/plain-model.ts';
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
  const profile = settings.model_profiles[model];
  const family = familyOf(...familyNames(model, settings));
  return v.parse(CapabilityDocument, {
    ...PLAIN_MODEL,
    ...oneOutputPerCall(settings),
    provider,
    model,
    implementation_version: IMPLEMENTATION_VERSION,
    generation: true,
    edits: true,
    sizes: { auto: true, allowed: sizesOf(family), arbitrary: false },
    aspect_ratio: 'native',
    aspect_ratios: family.aspectRatios,
    resolution: 'native',
    resolutions: family.resolutions,
    negative_prompt: 'emulated',
    reference_images: GEMINI_INPUTS,
    edit_images: GEMINI_INPUTS,
    masks: { ...GEMINI_INPUTS, support: 'emulated', max_count: 1 },
    source_transport: 'conversation_attachment',
    ...(typeof profile === 'object' ? profile : {}),
  });
}
