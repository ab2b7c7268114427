import type { CapabilityDocument } from '../../../lib/contract/resources/provider.ts';

const MIB = 1024 * 1024;

const fiveImages = {
  support: 'native',
  max_count: 5,
  max_bytes_each: 32 * MIB,
  max_bytes_total: 64 * MIB,
} as const;
const noImages = {
  support: 'unsupported',
  max_count: 0,
  max_bytes_each: 0,
  max_bytes_total: 0,
} as const;

const SMALL_SIZES = ['1024x1024', '1536x1024', '1024x1536'];
const LARGE_SIZES = ['2048x2048', '2048x1152', '3840x2160', '2160x3840'];

/** The capabilities of agent-responses with `gpt-image-2`. */
export const gptImage2: CapabilityDocument = {
  provider: 'agent-responses',
  model: 'gpt-image-2',
  implementation_version: '1.0.0',
  experimental: false,
  generation: true,
  edits: true,
  count: { min: 1, max: 255 },
  batching: { mode: 'fan_out', native_count: { min: 1, max: 1 }, max_parallel_outputs: 255 },
  sizes: { auto: true, allowed: [...SMALL_SIZES, ...LARGE_SIZES], arbitrary: false },
  aspect_ratio: 'emulated',
  resolution: 'emulated',
  negative_prompt: 'emulated',
  revised_prompt: 'native',
  transparent_background: 'emulated',
  user_attribution: 'unsupported',
  qualities: ['auto', 'low', 'medium', 'high'],
  output_formats: ['png', 'jpeg', 'webp'],
  backgrounds: ['auto', 'opaque'],
  moderation: ['auto', 'low'],
  actions: ['auto', 'generate', 'edit'],
  input_fidelities: [],
  reference_images: fiveImages,
  edit_images: fiveImages,
  masks: noImages,
  partial_images: { min: 0, max: 3 },
  persistent_sessions: false,
  explicit_threads: false,
  source_transport: 'conversation_attachment',
};

/** The capabilities of agent-responses with `gpt-image-1.5`: native alpha and input fidelity. */
export const gptImage15: CapabilityDocument = {
  ...gptImage2,
  model: 'gpt-image-1.5',
  transparent_background: 'native',
  backgrounds: ['auto', 'opaque', 'transparent'],
  input_fidelities: ['low', 'high'],
};

/** The capabilities of agent-responses with `gpt-image-1`: only the small sizes. */
export const gptImage1: CapabilityDocument = {
  ...gptImage15,
  model: 'gpt-image-1',
  sizes: { auto: true, allowed: SMALL_SIZES, arbitrary: false },
};

/** The capabilities of agent-app-server, whose agent chooses nearly every value. */
export const appServer: CapabilityDocument = {
  ...gptImage2,
  provider: 'agent-app-server',
  sizes: { auto: true, allowed: [], arbitrary: false },
  aspect_ratio: 'unsupported',
  resolution: 'unsupported',
  qualities: ['auto'],
  output_formats: ['png'],
  moderation: ['auto'],
  actions: ['auto'],
  partial_images: { min: 0, max: 0 },
  persistent_sessions: true,
  explicit_threads: true,
};

/** A model with arbitrary sizes that treats a mask only as a hint. */
export const maskEmulated: CapabilityDocument = {
  ...gptImage2,
  provider: 'scripted',
  model: 'scripted-image',
  sizes: {
    auto: true,
    allowed: [],
    arbitrary: true,
    edge_multiple: 16,
    max_edge: 3840,
    max_aspect_ratio: 3,
    min_pixels: 655_360,
    max_pixels: 8_294_400,
  },
  aspect_ratio: 'unsupported',
  resolution: 'unsupported',
  masks: { ...fiveImages, support: 'emulated', max_count: 1 },
};

/** A model that supports everything. */
export const anything: CapabilityDocument = {
  ...gptImage15,
  provider: 'scripted',
  model: 'scripted-image',
  batching: { mode: 'fan_out', native_count: { min: 1, max: 4 }, max_parallel_outputs: 255 },
  sizes: { auto: true, allowed: [], arbitrary: true, min_edge: 16, max_edge: 4096 },
  aspect_ratio: 'native',
  resolution: 'native',
  negative_prompt: 'native',
  masks: { ...fiveImages, max_count: 1 },
};
