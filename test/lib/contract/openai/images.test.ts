import { describe, expect, it } from 'vitest';
import { EDIT_FILES, EditsFormFields } from '../../../../lib/contract/openai/form.ts';
import { EditsBody, GenerationsBody } from '../../../../lib/contract/openai/images.ts';
import { LIMITS, outputOf, verdictOf } from '../verdict-of.ts';

const base = { prompt: 'a cat' };
const images = [{ image_url: 'data:image/png;base64,AAAA' }];

describe('GenerationsBody', () => {
  it('keeps which fields were named, and lists the unknown fields', () => {
    const body = {
      ...base,
      model: 'sandbox/sandbox-image',
      n: 2,
      quality: 'hd',
      style: 'vivid',
      frame_count: null,
      seed: 5,
    };

    expect(outputOf(GenerationsBody, body)).toEqual({
      fields: {
        prompt: 'a cat',
        model: 'sandbox/sandbox-image',
        n: 2,
        quality: 'hd',
        style: 'vivid',
      },
      unknown: ['seed'],
    });
  });

  it('accepts null for every field except the prompt', () => {
    const body = {
      ...base,
      ...Object.fromEntries(
        ['model', 'n', 'size', 'quality', 'user', 'stream', 'bridge_ext', 'markup'].map((name) => [
          name,
          null,
        ]),
      ),
    };

    expect(outputOf(GenerationsBody, body)).toEqual({ fields: base, unknown: [] });
  });

  it('accepts every field of bridge_ext', () => {
    const bridge_ext = {
      provider: 'sandbox',
      negative_prompt: 'text',
      negative_prompt_mode: 'merge',
      compatibility: 'strict',
      revised_prompt: 'omit',
      aspect_ratio: '16:9',
      resolution: '2k',
      input_fidelity: 'high',
      action: 'auto',
      session: { mode: 'persistent', key: 'k' },
      reference_images: [{ type: 'base64', data: 'AAAA' }],
      filename_prefix: 'cat',
      fallbacks: [{ provider: 'b' }],
      fallback_policy: 'on_error',
      timeout_ms: 1000,
      metadata: { a: 'b' },
    };

    expect(outputOf(GenerationsBody, { ...base, bridge_ext })).toEqual({
      fields: { ...base, bridge_ext },
      unknown: [],
    });
  });

  it.each([
    [{}, 'prompt: required'],
    [{ prompt: '' }, 'prompt: blank'],
    [{ ...base, model: '' }, 'model: invalid_length'],
    [{ ...base, n: 0 }, 'n: out_of_range'],
    [{ ...base, n: 9 }, 'n: out_of_range'],
    [{ ...base, n: '1' }, 'n: invalid_type'],
    [{ ...base, size: 'large' }, 'size: invalid_value'],
    [{ ...base, quality: 'best' }, 'quality: invalid_value'],
    [{ ...base, output_format: 'gif' }, 'output_format: invalid_value'],
    [{ ...base, output_compression: 101 }, 'output_compression: out_of_range'],
    [{ ...base, background: 'blue' }, 'background: invalid_value'],
    [{ ...base, moderation: 'off' }, 'moderation: invalid_value'],
    [{ ...base, response_format: 'artifact' }, 'response_format: invalid_value'],
    [{ ...base, user: 'u'.repeat(257) }, 'user: invalid_length'],
    [{ ...base, safety_identifier: '\n' }, 'safety_identifier: invalid_text'],
    [{ ...base, stream: 'true' }, 'stream: invalid_type'],
    [{ ...base, partial_images: 4 }, 'partial_images: out_of_range'],
    [{ ...base, input_fidelity: 'max' }, 'input_fidelity: invalid_value'],
    [{ ...base, markup: '<svg>' }, 'markup: unsupported_field'],
    [{ ...base, mask: { image_url: 'data:' } }, 'mask: unsupported_field'],
    [{ ...base, mask: [] }, 'mask: unsupported_field'],
    [{ ...base, bridge_ext: 'x' }, 'bridge_ext: invalid_type'],
    [{ ...base, bridge_ext: { seed: 1 } }, 'bridge_ext.seed: unknown_field'],
    [{ ...base, bridge_ext: { aspect_ratio: 'wide' } }, 'bridge_ext.aspect_ratio: invalid_value'],
    [
      { ...base, bridge_ext: { reference_images: [{ type: 'base64' }] } },
      'bridge_ext.reference_images[0].data: required',
    ],
    [
      { ...base, bridge_ext: { fallbacks: Array.from({ length: 5 }, () => ({ provider: 'a' })) } },
      'bridge_ext.fallbacks: too_many',
    ],
    [
      { ...base, bridge_ext: { timeout_ms: LIMITS.maxTimeoutMs + 1 } },
      'bridge_ext.timeout_ms: out_of_range',
    ],
  ])('rejects %j', (body, verdict) => {
    expect(verdictOf(GenerationsBody, body)).toEqual([verdict]);
  });

  it('accepts an empty safety_identifier', () => {
    expect(verdictOf(GenerationsBody, { ...base, safety_identifier: '' })).toEqual([]);
  });
});

describe('EditsBody', () => {
  it('accepts images as data URLs', () => {
    const body = { ...base, images, mask: images[0], session_key: 'k', compatibility: 'strict' };

    expect(outputOf(EditsBody, body)).toEqual({ fields: body, unknown: [] });
  });

  it.each([
    [base, 'images: required'],
    [{ ...base, images: [{}] }, 'images[0].image_url: required'],
    [{ ...base, images: [{ file_id: 'f', image_url: 'x' }] }, 'images[0].file_id: unknown_field'],
    [{ ...base, images: Array.from({ length: 5 }, () => images[0]) }, 'images: too_many'],
    [{ ...base, images, mask: {} }, 'mask.image_url: required'],
    [{ ...base, images, session_key: 'a b' }, 'session_key: invalid_value'],
    [{ ...base, images, provider: '' }, 'provider: invalid_length'],
  ])('rejects %j', (body, verdict) => {
    expect(verdictOf(EditsBody, body)).toEqual([verdict]);
  });
});

describe('EditsFormFields', () => {
  it('reads numbers, flags and JSON from their text', () => {
    const parts = {
      ...base,
      n: '2',
      output_format: 'webp',
      output_compression: '80',
      partial_images: '0',
      stream: 'true',
      bridge_ext: '{"timeout_ms":1000}',
      style: 'vivid',
      seed: '7',
    };

    expect(outputOf(EditsFormFields, parts)).toEqual({
      fields: {
        ...base,
        n: 2,
        output_format: 'webp',
        output_compression: 80,
        partial_images: 0,
        stream: true,
        bridge_ext: { timeout_ms: 1000 },
        style: 'vivid',
      },
      unknown: ['seed'],
    });
  });

  it.each([
    [{}, 'prompt: required'],
    [{ prompt: '' }, 'prompt: blank'],
    [{ ...base, n: 'two' }, 'n: invalid_type'],
    [{ ...base, n: '0' }, 'n: out_of_range'],
    [{ ...base, n: '9' }, 'n: out_of_range'],
    [{ ...base, n: '1.5' }, 'n: invalid_type'],
    [{ ...base, n: '1e2' }, 'n: invalid_type'],
    [{ ...base, output_compression: '101' }, 'output_compression: out_of_range'],
    [{ ...base, partial_images: '-1' }, 'partial_images: out_of_range'],
    [{ ...base, stream: '1' }, 'stream: invalid_value'],
    [{ ...base, bridge_ext: '{' }, 'bridge_ext: invalid_json'],
    [{ ...base, bridge_ext: '[]' }, 'bridge_ext: invalid_type'],
    [{ ...base, bridge_ext: '{"seed":1}' }, 'bridge_ext.seed: unknown_field'],
    [{ ...base, bridge_ext: '{"__proto__":1}' }, 'bridge_ext.__proto__: unknown_field'],
    [{ ...base, markup: 'x' }, 'markup: unsupported_field'],
    [{ ...base, size: '1024' }, 'size: invalid_value'],
  ])('rejects %j', (parts, verdict) => {
    expect(verdictOf(EditsFormFields, parts)).toEqual([verdict]);
  });
});

describe('EDIT_FILES', () => {
  it('allows repeated files for every role except the mask', () => {
    const once = Object.entries(EDIT_FILES).filter(([, { isRepeatable }]) => !isRepeatable);

    expect(once.map(([name]) => name)).toEqual(['mask']);
  });
});
