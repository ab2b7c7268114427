import type { CapabilityDocument } from '../../contract/resources/provider.ts';
import type { ImagesSettings } from './dialects.ts';

type Sizes = CapabilityDocument['sizes'];
type Quality = CapabilityDocument['qualities'][number];

/** Where families of models differ (OpenAI's image guide, 2026-11). */
export interface Family {
  readonly sizes: Sizes;
  /** None where they cannot be chosen. */
  readonly qualities: readonly Quality[];
  readonly hasNativeAlpha: boolean;
  readonly fidelities: readonly ('low' | 'high')[];
}

const STANDARD_SIZES = ['1024x1024', '1536x1024', '1024x1536'];

const STANDARD: Sizes = { auto: true, allowed: STANDARD_SIZES, arbitrary: false };

/** Any size within bounds; aspect ratios and resolutions take one of those that are listed. */
const FREE: Sizes = {
  auto: true,
  allowed: [
    ...STANDARD_SIZES,
    '1280x720',
    '720x1280',
    '1152x864',
    '864x1152',
    '2048x2048',
    '2048x1152',
    '1152x2048',
    '2880x2880',
    '3840x2160',
    '2160x3840',
  ],
  arbitrary: true,
  // The shortest edge of an image of the fewest pixels and the longest shape.
  min_edge: 480,
  max_edge: 3840,
  edge_multiple: 16,
  min_pixels: 655_360,
  max_pixels: 8_294_400,
  max_aspect_ratio: 3,
};

/** Diffusion models take any size, in steps of their latent space; the best one depends on the model. */
const LOCAL_SIZES: Sizes = {
  auto: true,
  allowed: ['1024x1024', '1152x768', '768x1152', '1280x720', '720x1280', '512x512'],
  arbitrary: true,
  min_edge: 256,
  max_edge: 2048,
  edge_multiple: 16,
};

const THREE: readonly Quality[] = ['auto', 'low', 'medium', 'high'];
const FIVE: readonly Quality[] = [...THREE, 'xhigh', 'max'];

const GPT_IMAGE_2: Family = {
  sizes: FREE,
  qualities: THREE,
  hasNativeAlpha: false,
  fidelities: [],
};
const LATER: Family = { ...GPT_IMAGE_2, qualities: FIVE, hasNativeAlpha: true };
const GPT_IMAGE_1_5: Family = {
  sizes: STANDARD,
  qualities: THREE,
  hasNativeAlpha: true,
  fidelities: ['low', 'high'],
};

/** The settings name the same families: those that a model's profile can be. */
type FamilyName = Extract<ImagesSettings['model_profiles'][string], string>;

const FAMILIES: Readonly<Record<FamilyName, Family>> = {
  'gpt-image-2': GPT_IMAGE_2,
  'gpt-image-2.5-sunburst': LATER,
  'gpt-image-2.5-flare': LATER,
  'gpt-image-2.6-sunburst': LATER,
  'gpt-image-2.6-flare': LATER,
  'gpt-image-1.5': GPT_IMAGE_1_5,
  'chatgpt-image-latest': GPT_IMAGE_1_5,
  'gpt-image-1-mini': { ...GPT_IMAGE_1_5, fidelities: ['low'] },
};
const BY_NAME: ReadonlyMap<string, Family> = new Map(Object.entries(FAMILIES));

const LOCAL: Family = {
  sizes: LOCAL_SIZES,
  qualities: ['auto'],
  hasNativeAlpha: false,
  fidelities: [],
};

// A model of a certain day is of the family that bears its name.
const SNAPSHOT_DATE = /-\d{4}-\d{2}-\d{2}$/;

/** The family of the first of these names that has one; else that of `gpt-image-2`, or of models at home. */
export function familyOf(names: readonly string[], models: 'openai' | 'local'): Family {
  const known = names.flatMap((name) => BY_NAME.get(name.replace(SNAPSHOT_DATE, '')) ?? []);
  return known[0] ?? (models === 'openai' ? GPT_IMAGE_2 : LOCAL);
}
