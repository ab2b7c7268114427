import { describe, expect, it } from 'vitest';
import {
  makesImages,
  openrouterCapabilities,
  parseOpenrouterModels,
} from '../../../../lib/providers/openai-images/dialects/openrouter-models.ts';

const LIMITS = {
  provider: 'router',
  model: 'maker/model',
  native_count: 1,
  max_outputs: 4,
  max_parallel_outputs: 'auto',
} as const;

function listed(...values: unknown[]) {
  return { type: 'enum', values };
}

function documentOf(
  supported_parameters: Readonly<Record<string, unknown>>,
  { streams = false, ...limits }: { streams?: boolean; native_count?: number } = {},
) {
  const descriptor = { supported_parameters, supports_streaming: streams };
  return openrouterCapabilities(descriptor, { ...LIMITS, ...limits });
}

describe('openrouterCapabilities', () => {
  it('offers only a prompt if the descriptor lists no parameters', () => {
    expect(documentOf({})).toMatchObject({
      generation: true,
      edits: false,
      sizes: { auto: true, allowed: [], arbitrary: false },
      aspect_ratio: 'emulated',
      resolution: 'emulated',
      qualities: ['auto'],
      output_formats: ['png'],
      backgrounds: ['auto'],
      reference_images: { support: 'unsupported' },
      masks: { support: 'unsupported' },
      partial_images: { min: 0, max: 0 },
    });
  });

  it.each([
    ['a fractional number', { n: { type: 'range', min: 1, max: 2.5 } }],
    [
      'an infinite number',
      { input_references: { type: 'range', min: 0, max: Number.POSITIVE_INFINITY } },
    ],
    ['a value that is no text', { size: listed({ toString: 1 }) }],
    ['too many values', { size: listed(...Array.from({ length: 257 }, (_, at) => `${at + 1}x9`)) }],
  ])('ignores a parameter with %s', (_, parameters) => {
    expect(documentOf(parameters, { native_count: 4 })).toEqual(
      documentOf({}, { native_count: 4 }),
    );
  });

  it('offers the listed values that the contract can name', () => {
    const document = documentOf({
      aspect_ratio: listed('auto', '1:1', '9:19.5', '16:9'),
      resolution: listed('512', '1K', '4K', '1024x768'),
      size: listed('2K', '2048x2048'),
      quality: listed('auto', 'high', 'ultra', 'low'),
      output_format: listed('svg', 'webp', 'png'),
      background: listed('auto', 'opaque', 'transparent'),
    });

    expect(document).toMatchObject({
      aspect_ratio: 'native',
      aspect_ratios: ['1:1', '16:9'],
      resolution: 'native',
      resolutions: ['1k', '4k'],
      sizes: { auto: true, allowed: ['2048x2048', '1024x768'], arbitrary: false },
      qualities: ['auto', 'low', 'high'],
      output_formats: ['png', 'webp'],
      backgrounds: ['auto', 'opaque', 'transparent'],
      transparent_background: 'native',
    });
  });

  it.each([
    [
      { type: 'range', min: 0, max: 8 },
      { generation: true, edits: true },
    ],
    [
      { type: 'range', min: 1, max: 8 },
      { generation: false, edits: true },
    ],
    [
      { type: 'range', min: 0, max: 0 },
      { generation: true, edits: false },
    ],
    [{ type: 'boolean' }, { generation: true, edits: false }],
  ])('derives the operations from the number of references %j', (references, operations) => {
    expect(documentOf({ input_references: references })).toMatchObject(operations);
  });

  it('offers partial images for a model with streams and one output per call', () => {
    const n = { type: 'range', min: 1, max: 10 };

    expect(documentOf({ n }, { streams: true }).partial_images.max).toBe(3);
    expect(documentOf({ n }).partial_images.max).toBe(0);
  });

  it('limits the outputs of one call to the setting and to the model', () => {
    const four = { type: 'range', min: 1, max: 4 };
    const perCall = (n: unknown, native_count: number) =>
      openrouterCapabilities(
        { supported_parameters: { n }, supports_streaming: true },
        { ...LIMITS, native_count, max_outputs: 255 },
      ).batching.native_count.max;

    expect([perCall(four, 10), perCall(four, 2), perCall(undefined, 10)]).toEqual([4, 2, 1]);
  });
});

describe('makesImages', () => {
  it.each([
    ['only markup', { output_format: listed('svg') }, false],
    ['markup and images', { output_format: listed('svg', 'webp') }, true],
    ['a format under another name', { output_format: listed('PNG') }, true],
    ['no formats', {}, true],
    ['a malformed list of formats', { output_format: { type: 'boolean' } }, true],
  ])('returns for a model with %s: %s', (_, supported_parameters, expected) => {
    expect(makesImages({ supported_parameters, supports_streaming: false })).toBe(expected);
  });
});

describe('parseOpenrouterModels', () => {
  it('omits malformed models', () => {
    const model = { id: 'maker/model', supported_parameters: {}, supports_streaming: true };

    const malformed = [{ ...model, id: 'a\nname' }, { ...model, id: '' }, { id: 7 }, null];
    const data = [model, ...malformed, { id: 'maker/other' }];
    const models = parseOpenrouterModels({ data });

    expect(models).toEqual([model]);
  });

  it.each([undefined, null, [], { data: {} }, '<html>'])('rejects %j', (reply) => {
    expect(parseOpenrouterModels(reply)).toBeUndefined();
  });
});
