import { describe, expect, it } from 'vitest';
import { capabilitiesOf } from '../../../../lib/providers/openai-images/capabilities.ts';
import type { ImagesSettings } from '../../../../lib/providers/openai-images/dialects/dialect.ts';
import { settingsOf } from './images-rig.ts';

function documentOf(model: string, settings: Partial<ImagesSettings> = {}) {
  return capabilitiesOf('images', model, settingsOf(settings));
}

const FREE = { arbitrary: true, edge_multiple: 16, max_edge: 3840, max_aspect_ratio: 3 };
const STANDARD = { arbitrary: false, allowed: ['1024x1024', '1536x1024', '1024x1536'] };
const THREE = ['auto', 'low', 'medium', 'high'];
const FIVE = [...THREE, 'xhigh', 'max'];
const LOCAL = ['localai', 'sdcpp', 'vllm-omni', 'sglang'] as const;

describe('capabilitiesOf', () => {
  it.each([
    ['gpt-image-2', FREE, THREE, 'emulated', []],
    ['gpt-image-2-2026-04-21', FREE, THREE, 'emulated', []],
    ['gpt-image-2.5-sunburst', FREE, FIVE, 'native', []],
    ['gpt-image-2.5-flare', FREE, FIVE, 'native', []],
    ['gpt-image-2.6-sunburst', FREE, FIVE, 'native', []],
    ['gpt-image-2.6-flare', FREE, FIVE, 'native', []],
    ['gpt-image-1.5', STANDARD, THREE, 'native', ['low', 'high']],
    ['chatgpt-image-latest', STANDARD, THREE, 'native', ['low', 'high']],
    ['gpt-image-1-mini', STANDARD, THREE, 'native', ['low']],
  ])('returns the sizes and options of %s', (model, sizes, qualities, alpha, fidelities) => {
    expect(documentOf(model)).toMatchObject({
      provider: 'images',
      model,
      sizes,
      qualities,
      transparent_background: alpha,
      input_fidelities: fidelities,
      backgrounds: ['auto', 'opaque', ...(alpha === 'native' ? ['transparent'] : [])],
      output_formats: ['png', 'jpeg', 'webp'],
      moderation: ['auto', 'low'],
      partial_images: { min: 0, max: 3 },
      edit_images: { support: 'native', max_count: 16 },
      masks: { support: 'emulated', max_count: 1 },
      negative_prompt: 'emulated',
    });
  });

  it('allows one source and several references for localai', () => {
    const document = documentOf('flux', { dialect: 'localai', models: ['flux'] });

    expect(document.edit_images.max_count).toBe(1);
    expect(document.reference_images.max_count).toBe(16);
  });

  it('gives an unknown model the family of the default model', () => {
    const document = documentOf('new', { image_model: 'gpt-image-1.5' });

    expect(document).toMatchObject({ model: 'new', sizes: STANDARD });
  });

  it('gives an unknown model the family in the profile of the default model', () => {
    const model_profiles = { default: 'gpt-image-1.5' } as const;

    const document = documentOf('new', { image_model: 'default', model_profiles });

    expect(document).toMatchObject({ model: 'new', sizes: STANDARD });
  });

  it('gives a model the family in its own profile', () => {
    const model_profiles = {
      mine: 'gpt-image-2.6-flare',
      own: { qualities: ['auto'], partial_images: { min: 0, max: 0 } },
    } satisfies ImagesSettings['model_profiles'];

    expect(documentOf('mine', { model_profiles }).qualities).toEqual(FIVE);
    expect(documentOf('own', { model_profiles })).toMatchObject({
      qualities: ['auto'],
      partial_images: { min: 0, max: 0 },
      sizes: FREE,
    });
  });

  it('lists sizes within the bounds of the model', () => {
    const { sizes } = documentOf('gpt-image-2');

    for (const size of sizes.allowed) {
      const [width = 0, height = 0] = size.split('x').map(Number);
      expect([width % 16, height % 16]).toEqual([0, 0]);
      expect(width * height).toBeGreaterThanOrEqual(655_360);
      expect(width * height).toBeLessThanOrEqual(8_294_400);
    }
  });

  it('supports no partial images if a call has several outputs or is never streamed', () => {
    expect(documentOf('gpt-image-2', { native_count: 4 })).toMatchObject({
      batching: { mode: 'fan_out', native_count: { min: 1, max: 4 } },
      partial_images: { min: 0, max: 0 },
    });
    expect(documentOf('gpt-image-2', { stream: 'never' }).partial_images.max).toBe(0);
  });

  it('uses native batching if one call makes the maximum number of outputs', () => {
    const batching = documentOf('gpt-image-2', { native_count: 4, max_outputs: 3 }).batching;

    expect(batching).toMatchObject({ mode: 'native', native_count: { min: 1, max: 3 } });
  });

  it('runs all outputs in parallel, but a single one on a graphics card', () => {
    const parallelOf = (settings: Partial<ImagesSettings>) =>
      documentOf('m', { max_outputs: 9, ...settings }).batching.max_parallel_outputs;

    expect(parallelOf({})).toBe(9);
    expect(parallelOf({ max_parallel_outputs: 3 })).toBe(3);
    expect(parallelOf({ dialect: 'generic' })).toBe(9);
    expect(LOCAL.map((dialect) => parallelOf({ dialect }))).toEqual([1, 1, 1, 1]);
    expect(parallelOf({ dialect: 'sdcpp', max_parallel_outputs: 2 })).toBe(2);
  });

  it('offers complexities only for the models that have them, and not through LiteLLM', () => {
    const complexitiesOf = (model: string, dialect: 'openai' | 'azure' | 'litellm') =>
      documentOf(model, { dialect }).complexities;

    expect(complexitiesOf('gpt-image-2.6-flare', 'openai')).toEqual(['low', 'medium', 'high']);
    expect(complexitiesOf('gpt-image-2.6-flare', 'azure')).toEqual(['low', 'medium', 'high']);
    expect(complexitiesOf('gpt-image-2.6-flare', 'litellm')).toBeUndefined();
    expect(complexitiesOf('gpt-image-2.5-flare', 'openai')).toBeUndefined();
  });

  it.each(LOCAL)('offers for %s only the parameters that are sent', (dialect) => {
    expect(documentOf('sd', { dialect })).toMatchObject({
      qualities: ['auto'],
      backgrounds: ['auto'],
      moderation: ['auto'],
      input_fidelities: [],
      transparent_background: 'emulated',
      negative_prompt: 'native',
      revised_prompt: 'unsupported',
      partial_images: { min: 0, max: 0 },
      edits: true,
      masks: { support: 'emulated' },
    });
  });

  it('supports edits with a generic server only if the profile of the model allows them', () => {
    const model_profiles = { editor: { edits: true } };

    const plain = documentOf('sd', { dialect: 'generic' });
    const editor = documentOf('editor', { dialect: 'generic', model_profiles });

    const none = { support: 'unsupported', max_count: 0 };
    expect(plain).toMatchObject({ edits: false, edit_images: none, masks: none });
    expect(plain.reference_images.support).toBe('unsupported');
    expect(editor).toMatchObject({ edits: true, edit_images: { support: 'native' } });
  });
});
