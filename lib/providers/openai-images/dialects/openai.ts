import { COMPLEXITIES } from '../../../contract/request/parameters.ts';
import type { CapabilityDocument } from '../../../contract/resources/provider.ts';
import { ALL_FORMATS, type Dialect } from './dialect.ts';
import type { Family } from './family.ts';

type Sizes = CapabilityDocument['sizes'];

const STANDARD_SIZES = ['1024x1024', '1536x1024', '1024x1536'];

const STANDARD: Sizes = { auto: true, allowed: STANDARD_SIZES, arbitrary: false };

/** Any size within the bounds. Aspect ratios and resolutions are mapped to the listed sizes. */
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
  // The shorter edge of an image with the minimum of pixels and the maximum aspect ratio.
  min_edge: 480,
  max_edge: 3840,
  edge_multiple: 16,
  min_pixels: 655_360,
  max_pixels: 8_294_400,
  max_aspect_ratio: 3,
};

const THREE: Family['qualities'] = ['auto', 'low', 'medium', 'high'];
const FIVE: Family['qualities'] = [...THREE, 'xhigh', 'max'];

const GPT_IMAGE_2: Family = {
  sizes: FREE,
  qualities: THREE,
  hasNativeAlpha: false,
  fidelities: [],
};
const LATER: Family = { ...GPT_IMAGE_2, qualities: FIVE, hasNativeAlpha: true };
const WITH_COMPLEXITY: Family = { ...LATER, complexities: COMPLEXITIES };
const GPT_IMAGE_1_5: Family = {
  sizes: STANDARD,
  qualities: THREE,
  hasNativeAlpha: true,
  fidelities: ['low', 'high'],
};

/** The families of OpenAI's models (OpenAI's image guide, 2026-11). */
export const OPENAI_FAMILIES = {
  'gpt-image-2': GPT_IMAGE_2,
  'gpt-image-2.5-sunburst': LATER,
  'gpt-image-2.5-flare': LATER,
  'gpt-image-2.6-sunburst': WITH_COMPLEXITY,
  'gpt-image-2.6-flare': WITH_COMPLEXITY,
  'gpt-image-1.5': GPT_IMAGE_1_5,
  'chatgpt-image-latest': GPT_IMAGE_1_5,
  'gpt-image-1-mini': { ...GPT_IMAGE_1_5, fidelities: ['low'] },
} as const satisfies Record<string, Family>;

export const OPENAI: Dialect = {
  displayName: 'OpenAI Images',
  fields: [
    'n',
    'size',
    'quality',
    'output_format',
    'output_compression',
    'background',
    'moderation',
    'input_fidelity',
    'complexity',
    'partial_images',
    'stream',
  ],
  defaultFamily: GPT_IMAGE_2,
  formats: ALL_FORMATS,
  keyHeader: 'authorization',
  edits: 'form',
  mask: { name: 'mask', form: 'alpha' },
  revisesPrompts: true,
};
