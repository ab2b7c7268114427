import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { CapabilityDocument } from '../../../../lib/contract/resources/provider.ts';
import { capabilitiesOf } from '../../../../lib/providers/agent-responses/capabilities.ts';

const SETTINGS = {
  image_model: 'gpt-image-2',
  max_outputs: 255,
  max_parallel_outputs: 'auto',
} as const;
const SMALL = ['1024x1024', '1536x1024', '1024x1536'];
const ALL = [...SMALL, '2048x2048', '2048x1152', '3840x2160', '2160x3840'];

function documentOf(model: string, settings: object = {}) {
  return capabilitiesOf('agent-responses', model, { ...SETTINGS, ...settings });
}

describe('capabilitiesOf', () => {
  it('returns exactly the capabilities of the default model', () => {
    const images = {
      support: 'native',
      max_count: 5,
      max_bytes_each: 33_554_432,
      max_bytes_total: 67_108_864,
    };

    expect(documentOf('gpt-image-2')).toEqual({
      provider: 'agent-responses',
      model: 'gpt-image-2',
      implementation_version: '1.0.0',
      experimental: false,
      generation: true,
      edits: true,
      count: { min: 1, max: 255 },
      batching: {
        mode: 'fan_out',
        native_count: { min: 1, max: 1 },
        max_parallel_outputs: 255,
      },
      sizes: { auto: true, allowed: ALL, arbitrary: false },
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
      reference_images: images,
      edit_images: images,
      masks: { support: 'unsupported', max_count: 0, max_bytes_each: 0, max_bytes_total: 0 },
      partial_images: { min: 0, max: 3 },
      persistent_sessions: false,
      explicit_threads: false,
      source_transport: 'conversation_attachment',
    });
  });

  it.each([
    ['gpt-image-2', ALL, 'emulated', []],
    ['gpt-image-1.5', ALL, 'native', ['low', 'high']],
    ['gpt-image-1', SMALL, 'native', ['low', 'high']],
    ['gpt-image-1-mini', SMALL, 'native', ['low', 'high']],
  ])(
    'returns the sizes, the alpha support and the fidelities of %s',
    (model, sizes, alpha, fidelities) => {
      const document = v.parse(CapabilityDocument, documentOf(model));

      expect(document.model).toBe(model);
      expect(document.sizes.allowed).toEqual(sizes);
      expect(document.transparent_background).toBe(alpha);
      expect(document.backgrounds.includes('transparent')).toBe(alpha === 'native');
      expect(document.input_fidelities).toEqual(fidelities);
    },
  );

  it.each([
    ['a dated snapshot', 'gpt-image-1.5-2026-03-01', 'gpt-image-2', 'gpt-image-1.5'],
    ['an unknown model', 'image-maker-9', 'gpt-image-2', 'gpt-image-2'],
    ['an unknown model with another default', 'image-maker-9', 'gpt-image-1', 'gpt-image-1'],
    ['an unknown default model', 'image-maker-9', 'image-maker-9', 'gpt-image-2'],
    ['a name that objects inherit', 'constructor', 'gpt-image-2', 'gpt-image-2'],
  ])(
    "gives an operator's model the capabilities of a known model: %s",
    (_name, model, defaultModel, like) => {
      const document = documentOf(model, { image_model: defaultModel });

      expect(document).toEqual({ ...documentOf(like), model });
    },
  );

  it("applies the operator's limits", () => {
    const document = documentOf('gpt-image-2', { max_outputs: 12, max_parallel_outputs: 3 });

    expect(document.count).toEqual({ min: 1, max: 12 });
    expect(document.batching).toEqual({
      mode: 'fan_out',
      native_count: { min: 1, max: 1 },
      max_parallel_outputs: 3,
    });
  });
});
