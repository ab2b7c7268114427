import { describe, expect, it } from 'vitest';
import type { Capabilities } from '../../../../dashboard/src/api/schemas.ts';
import { toModelRow } from '../../../../dashboard/src/system/models/model-row.ts';

const IMAGES = { support: 'native', max_count: 5, max_bytes_each: 1, max_bytes_total: 1 } as const;

const MODEL: Capabilities = {
  provider: 'agent-responses',
  model: 'gpt-image-2',
  implementation_version: '1.0.0',
  experimental: false,
  generation: true,
  edits: true,
  count: { min: 1, max: 10 },
  batching: { mode: 'fan_out', native_count: { min: 1, max: 1 }, max_parallel_outputs: 4 },
  sizes: { auto: true, allowed: ['1024x1024', '1536x1024'], arbitrary: false },
  aspect_ratio: 'emulated',
  resolution: 'emulated',
  negative_prompt: 'emulated',
  revised_prompt: 'native',
  transparent_background: 'emulated',
  user_attribution: 'unsupported',
  qualities: ['auto'],
  output_formats: ['png'],
  backgrounds: ['auto'],
  moderation: ['auto'],
  actions: ['auto'],
  input_fidelities: [],
  reference_images: { ...IMAGES, max_count: 3 },
  edit_images: IMAGES,
  masks: { ...IMAGES, support: 'unsupported' },
  partial_images: { min: 0, max: 3 },
  persistent_sessions: false,
  explicit_threads: false,
  source_transport: 'conversation_attachment',
};

describe('toModelRow', () => {
  it('returns the fields that the table shows', () => {
    expect(toModelRow(MODEL)).toEqual({
      sizes: { count: 2 },
      alpha: 'emulated',
      mask: 'unsupported',
      negativePrompt: 'emulated',
      images: 5,
      partialImages: 3,
      formats: ['png'],
      fidelities: [],
    });
  });

  it('returns the longest edge if every size is supported', () => {
    const sizes = { auto: true, allowed: [], arbitrary: true, max_edge: 4096 };

    expect(toModelRow({ ...MODEL, sizes }).sizes).toEqual({ maxEdge: 4096 });
  });

  it('reports no images if the model supports none', () => {
    const none = { ...IMAGES, support: 'unsupported' } as const;

    expect(toModelRow({ ...MODEL, edit_images: none, reference_images: none }).images).toBe(0);
  });
});
