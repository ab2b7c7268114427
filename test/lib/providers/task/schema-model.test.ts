import { describe, expect, it } from 'vitest';
import { mapInputs } from '../../../../lib/providers/task/input-mapping.ts';
import { readInputMembers } from '../../../../lib/providers/task/input-members.ts';
import { toTaskModel } from '../../../../lib/providers/task/schema-model.ts';
import type { ImageTexts } from '../../../../lib/providers/task/task-service.ts';
import { agentRequest, inputOf, type RequestParts } from '../agent-responses/requests.ts';

type Properties = Readonly<Record<string, object>>;

const TEXT = { type: 'string' };
const URL = { type: 'string', format: 'uri' };
const URLS = { type: 'array', items: URL };
const COUNT = { type: 'integer', minimum: 1, maximum: 4 };
const listOf = (...values: readonly string[]) => ({ type: 'string', enum: values });
const edge = (bounds: object = {}) => ({ type: 'integer', ...bounds });

const IMAGE_SIZE = {
  anyOf: [
    { type: 'object', properties: { width: edge({ maximum: 14142 }), height: edge() } },
    listOf('square_hd', 'square', 'portrait_4_3', 'portrait_16_9', 'landscape_4_3'),
  ],
};

const SOURCE = inputOf(Buffer.from('source'));
const REFERENCE = inputOf(Buffer.from('reference'));
const MASK = inputOf(Buffer.from('mask'));
const TEXTS: ImageTexts = { base64: () => '', url: ({ bytes }) => `https://in.test/${bytes}` };

function mapped(properties: Properties, required: readonly string[] = [], constants = {}) {
  const input = { properties: { prompt: TEXT, ...properties }, required: ['prompt', ...required] };
  const members = readInputMembers({ input }, '/input');
  const inputs = members && mapInputs(members, constants);
  if (!inputs) throw new Error('the schema has no prompt');
  return inputs;
}

/** Returns the model of one endpoint, which also edits if it has images. */
function modelOf(properties: Properties, required: readonly string[] = []) {
  const { mapping } = mapped(properties, required);
  return toTaskModel(
    {
      ...((mapping.images?.min ?? 0) === 0 ? { generate: mapping } : {}),
      ...(mapping.images ? { edit: { mapping } } : {}),
    },
    { maxTotalBytes: 7_000_000 },
  );
}

function inputsOf(model: ReturnType<typeof modelOf>, parts: RequestParts = {}) {
  const request = agentRequest({ prompt: 'A gull', ...parts });
  return model.inputs({ request, model, constants: {}, seed: 2 ** 30 }, TEXTS);
}

function refusalOf(model: ReturnType<typeof modelOf>, parts: RequestParts) {
  try {
    model.refuse?.(agentRequest(parts), {});
  } catch (error) {
    return error;
  }
  return undefined;
}

describe('mapInputs', () => {
  it('lists a required member that the bridge does not know', () => {
    expect(mapped({ lora_url: URL }, ['lora_url']).unfilled).toEqual(['lora_url']);
  });

  it('does not list a required member that has a constant', () => {
    const constants = { lora_url: 'https://weights.test/1' };

    expect(mapped({ lora_url: URL }, ['lora_url'], constants).unfilled).toEqual([]);
  });

  it('does not map a member that has a constant', () => {
    expect(mapped({ num_images: COUNT }, [], { num_images: 1 }).mapping.count).toBeUndefined();
  });

  it.each(['svg', 'SVG'])('returns undefined for a model that makes only %s', (format) => {
    const properties = { prompt: TEXT, output_format: listOf(format) };
    const members = readInputMembers({ input: { properties } }, '/input');

    expect(members && mapInputs(members)).toBeUndefined();
    expect(mapped({ output_format: listOf(format, 'png') }).mapping.formats).toBeDefined();
  });

  it('returns undefined for a model without a prompt', () => {
    const members = readInputMembers({ input: { properties: { image_url: URL } } }, '/input');

    expect(members && mapInputs(members)).toBeUndefined();
  });
});

describe('toTaskModel', () => {
  it('describes the enums and bounds of a schema', () => {
    const { capabilities, maxImagesPerTask, hasAnyFormat } = modelOf({
      negative_prompt: TEXT,
      num_outputs: COUNT,
      aspect_ratio: listOf('1:1', '16:9', 'custom'),
      width: edge({ minimum: 256, maximum: 1440, multipleOf: 32 }),
      height: edge({ minimum: 256, maximum: 1440, multipleOf: 32 }),
      output_format: listOf('webp', 'jpg', 'png', 'svg'),
      quality: listOf('low', 'high', 'ultra'),
    });

    expect(maxImagesPerTask).toBe(4);
    expect(hasAnyFormat).toBeUndefined();
    expect(capabilities).toMatchObject({
      generation: true,
      edits: false,
      negative_prompt: 'native',
      aspect_ratio: 'native',
      aspect_ratios: ['1:1', '16:9'],
      sizes: { auto: true, arbitrary: true, min_edge: 256, max_edge: 1440, edge_multiple: 32 },
      output_formats: ['webp', 'jpeg', 'png'],
      qualities: ['auto', 'low', 'high'],
    });
    expect(capabilities.sizes.allowed).not.toContain('2048x2048');
  });

  it('offers nothing that the schema does not have', () => {
    const model = modelOf({});

    expect(model).toMatchObject({ maxImagesPerTask: 1, hasAnyFormat: true });
    expect(model.capabilities).toMatchObject({
      edits: false,
      negative_prompt: 'emulated',
      sizes: { auto: true, allowed: [], arbitrary: false },
      aspect_ratio: 'unsupported',
      resolution: 'unsupported',
      qualities: ['auto'],
      output_formats: ['png'],
    });
    expect(inputsOf(model)).toEqual({ prompt: 'A gull' });
  });

  it('ignores the bounds of a type that all models share', () => {
    const { sizes } = modelOf({ image_size: IMAGE_SIZE }).capabilities;

    expect(sizes).toMatchObject({ min_edge: 256, max_edge: 2048, edge_multiple: 16 });
  });

  it.each<readonly [string, Properties, RequestParts['parameters'], object]>([
    [
      'an object with edges',
      { image_size: IMAGE_SIZE },
      { size: '1024x768' },
      { image_size: { width: 1024, height: 768 } },
    ],
    [
      'a preset',
      { image_size: listOf('square_hd', 'square', 'portrait_4_3', 'landscape_16_9') },
      { aspect_ratio: '3:4' },
      { image_size: 'portrait_4_3' },
    ],
    [
      'two edges',
      { width: edge(), height: edge() },
      { size: '1024x768' },
      { width: 1024, height: 768 },
    ],
    [
      'two edges and the ratio `custom`',
      { aspect_ratio: listOf('1:1', 'custom'), width: edge(), height: edge() },
      { size: '1024x768' },
      { aspect_ratio: 'custom', width: 1024, height: 768 },
    ],
    [
      'a text with an asterisk',
      { size: { ...TEXT, default: '1024*1024' } },
      { size: '1024x768' },
      { size: '1024*768' },
    ],
    [
      'a listed text',
      { size: listOf('1024x1024', '1536x1024') },
      { size: '1536x1024' },
      { size: '1536x1024' },
    ],
    ['a free ratio', { aspect_ratio: TEXT }, { aspect_ratio: '7:5' }, { aspect_ratio: '7:5' }],
    [
      'a ratio of the same value',
      { aspect_ratio: listOf('2:1', '1:1') },
      { aspect_ratio: '8:4' },
      { aspect_ratio: '2:1' },
    ],
    [
      'a resolution with a capital letter',
      { resolution: listOf('0.5K', '1K', '2K') },
      { resolution: '2k' },
      { resolution: '2K' },
    ],
    [
      'a resolution in the member of the size',
      { size: listOf('1K', '2K', '4K', 'custom'), width: edge(), height: edge() },
      { resolution: '4k' },
      { size: '4K' },
    ],
  ])('sends a shape as %s', (_, properties, parameters = {}, expected) => {
    const model = modelOf(properties);

    expect(refusalOf(model, { parameters })).toBeUndefined();
    expect(inputsOf(model, { parameters })).toEqual({ prompt: 'A gull', ...expected });
  });

  it('sends the negative prompt, the number, the seed, the format and the compression', () => {
    const model = modelOf({
      negative_prompt: TEXT,
      num_images: COUNT,
      seed: { type: 'integer', maximum: 1_000_000 },
      output_format: listOf('jpg', 'png'),
      output_quality: { type: 'integer', minimum: 0, maximum: 100 },
    });

    const parameters = { output_format: 'jpeg', output_compression: 80 } as const;
    expect(inputsOf(model, { negativePrompt: 'fog', indices: [0, 1], parameters })).toEqual({
      prompt: 'A gull',
      negative_prompt: 'fog',
      num_images: 2,
      seed: 2 ** 30 % 1_000_001,
      output_format: 'jpg',
      output_quality: 80,
    });
  });

  it('fills a required member that the request leaves to the model', () => {
    const model = modelOf({ aspect_ratio: listOf('16:9', '1:1') }, ['aspect_ratio']);

    expect(inputsOf(model)).toMatchObject({ aspect_ratio: '1:1' });
    expect(inputsOf(model, { parameters: { aspect_ratio: '16:9' } })).toMatchObject({
      aspect_ratio: '16:9',
    });
  });

  it('needs a size if the schema requires both edges', () => {
    const { sizes } = modelOf({ width: edge(), height: edge() }, ['width', 'height']).capabilities;

    expect(sizes.auto).toBe(false);
    expect(sizes.allowed).toContain('1024x1024');
  });

  it('sends sources and then references in a list', () => {
    const model = modelOf({ image_urls: { ...URLS, maxItems: 6 } });

    expect(model.capabilities).toMatchObject({
      generation: true,
      edits: true,
      edit_images: { max_count: 6, max_bytes_total: 7_000_000 },
      masks: { support: 'emulated' },
    });
    expect(model.maskForm).toBeUndefined();
    expect(inputsOf(model, { images: [SOURCE], references: [REFERENCE] })).toMatchObject({
      image_urls: ['https://in.test/source', 'https://in.test/reference'],
    });
  });

  it('sends each image in its own numbered member', () => {
    const model = modelOf({ input_image: URL, input_image_2: URL, input_image_3: URL });

    expect(inputsOf(model, { images: [SOURCE, REFERENCE] })).toMatchObject({
      input_image: 'https://in.test/source',
      input_image_2: 'https://in.test/reference',
    });
  });

  it('sends the source in a required member and references in a list', () => {
    const properties = { image_url: URL, reference_image_urls: URLS };
    const model = modelOf(properties, ['image_url', 'reference_image_urls']);

    expect(inputsOf(model, { images: [SOURCE], references: [REFERENCE] })).toMatchObject({
      image_url: 'https://in.test/source',
      reference_image_urls: ['https://in.test/reference'],
    });
    expect(refusalOf(model, { images: [SOURCE] })).toMatchObject({
      code: 'unsupported_capability',
      details: { field: 'images', min_count: 2 },
    });
  });

  it('sends a mask whose white part changes', () => {
    const model = modelOf({ image_url: URL, mask_url: URL }, ['image_url', 'mask_url']);

    expect(model.maskForm).toBe('white');
    expect(model.capabilities).toMatchObject({ generation: false, edits: true });
    expect(inputsOf(model, { images: [SOURCE], mask: MASK })).toMatchObject({
      image_url: 'https://in.test/source',
      mask_url: 'https://in.test/mask',
    });
    expect(refusalOf(model, { images: [SOURCE] })).toMatchObject({ details: { field: 'mask' } });
  });

  it('offers no masks for a model with one image and no mask', () => {
    expect(modelOf({ image_url: URL }).capabilities.masks).toMatchObject({
      support: 'unsupported',
    });
  });

  it('joins an endpoint that generates and an endpoint that edits', () => {
    const generate = mapped({ image_size: IMAGE_SIZE, num_images: COUNT, negative_prompt: TEXT });
    const edit = mapped({ image_url: URL, num_images: { ...COUNT, maximum: 2 } }, ['image_url']);
    const model = toTaskModel(
      { generate: generate.mapping, edit: { mapping: edit.mapping, name: 'flux/dev/edit' } },
      { maxTotalBytes: 1e8 },
    );

    expect(model).toMatchObject({ editName: 'flux/dev/edit', maxImagesPerTask: 2 });
    expect(model.capabilities).toMatchObject({
      generation: true,
      edits: true,
      negative_prompt: 'emulated',
      sizes: { arbitrary: true },
    });
    expect(inputsOf(model, { images: [SOURCE] })).toEqual({
      ...{ prompt: 'A gull', num_images: 1 },
      image_url: 'https://in.test/source',
    });
    const sized = { parameters: { size: '1024x768' } };
    expect(refusalOf(model, sized)).toBeUndefined();
    expect(refusalOf(model, { images: [SOURCE], ...sized })).toMatchObject({
      code: 'unsupported_capability',
      details: { field: 'size' },
    });
  });
});
