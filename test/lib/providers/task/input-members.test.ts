import { describe, expect, it } from 'vitest';
import { readInputMembers } from '../../../../lib/providers/task/input-members.ts';

const INPUT = '/components/schemas/Input';

function documentOf(schemas: Readonly<Record<string, unknown>>): object {
  return { openapi: '3.0.2', components: { schemas } };
}

function membersOf(properties: object, others: object = {}) {
  return readInputMembers(documentOf({ Input: { type: 'object', properties }, ...others }), INPUT);
}

describe('readInputMembers', () => {
  it('reads the type, the bounds, the default and the necessity of a member', () => {
    const members = readInputMembers(
      documentOf({
        Input: {
          type: 'object',
          required: ['prompt'],
          properties: {
            prompt: { type: 'string', title: 'Prompt' },
            num_outputs: { type: 'integer', minimum: 1, maximum: 4, default: 1 },
            width: { type: 'integer', minimum: 256, maximum: 1440, multipleOf: 32 },
            input_images: { type: 'array', items: { type: 'string', format: 'uri' }, maxItems: 8 },
          },
        },
      }),
      INPUT,
    );

    expect(Object.fromEntries(members ?? [])).toEqual({
      prompt: { isRequired: true, texts: 'any', isNumber: false },
      num_outputs: {
        ...{ isRequired: false, texts: [], isNumber: true },
        ...{ minimum: 1, maximum: 4, default: 1 },
      },
      width: {
        ...{ isRequired: false, texts: [], isNumber: true },
        ...{ minimum: 256, maximum: 1440, multipleOf: 32 },
      },
      input_images: {
        ...{ isRequired: false, texts: [], isNumber: false },
        list: { minItems: 0, maxItems: 8 },
      },
    });
  });

  it("reads an enum behind a reference, as Replicate's schemas have them", () => {
    const members = membersOf(
      { aspect_ratio: { allOf: [{ $ref: '#/components/schemas/aspect_ratio' }], default: '1:1' } },
      { aspect_ratio: { title: 'aspect_ratio', type: 'string', enum: ['1:1', '16:9', 'custom'] } },
    );

    expect(members?.get('aspect_ratio')).toMatchObject({
      texts: ['1:1', '16:9', 'custom'],
      default: '1:1',
    });
  });

  it("reads an object or a preset, as fal's `image_size` has them", () => {
    const members = membersOf(
      {
        image_size: {
          anyOf: [
            { $ref: '#/components/schemas/ImageSize' },
            { enum: ['square_hd', 'portrait_4_3'], type: 'string' },
          ],
        },
      },
      {
        ImageSize: {
          type: 'object',
          properties: {
            width: { type: 'integer', maximum: 14142, exclusiveMinimum: 0 },
            height: { type: 'integer', maximum: 14142, exclusiveMinimum: 0 },
          },
        },
      },
    );

    expect(members?.get('image_size')?.texts).toEqual(['square_hd', 'portrait_4_3']);
    expect([...(members?.get('image_size')?.members?.keys() ?? [])]).toEqual(['width', 'height']);
  });

  it('reads a member that may be null, in the forms of OpenAPI 3.0 and 3.1', () => {
    const members = membersOf({
      seed: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
      negative_prompt: { type: ['string', 'null'] },
    });

    expect(members?.get('seed')?.isNumber).toBe(true);
    expect(members?.get('negative_prompt')?.texts).toBe('any');
  });

  it('follows a reference through a path of an OpenAPI document', () => {
    const body = { content: { 'application/json': { schema: { $ref: `#${INPUT}` } } } };
    const document = {
      ...documentOf({ Input: { type: 'object', properties: { prompt: { type: 'string' } } } }),
      paths: { '/fal-ai/flux/dev': { post: { requestBody: body } } },
    };
    const at = '/paths/~1fal-ai~1flux~1dev/post/requestBody/content/application~1json/schema';

    expect([...(readInputMembers(document, at)?.keys() ?? [])]).toEqual(['prompt']);
  });

  it.each<readonly [string, unknown]>([
    ['is no object', 'text'],
    ['is null', null],
    ['has no schema at the path', documentOf({})],
    ['has a schema without members', documentOf({ Input: { type: 'string' } })],
    ['has a list as schema', documentOf({ Input: [] })],
    ['refers to itself', documentOf({ Input: { $ref: `#${INPUT}` } })],
    ['refers to another document', documentOf({ Input: { $ref: 'https://other.test/#/Input' } })],
    ['refers to a prototype', documentOf({ Input: { $ref: '#/constructor/prototype' } })],
  ])('returns undefined for a document that %s', (_, document) => {
    expect(readInputMembers(document, INPUT)).toBeUndefined();
  });

  it('ends a cycle of references', () => {
    const members = membersOf(
      { prompt: { type: 'string' }, extra: { $ref: '#/components/schemas/A' } },
      {
        A: { type: 'object', properties: { b: { $ref: '#/components/schemas/B' } } },
        B: { type: 'object', properties: { a: { $ref: '#/components/schemas/A' } } },
      },
    );

    expect(members?.get('prompt')?.texts).toBe('any');
  });

  it('returns undefined if references multiply the schemas', () => {
    const multiplied = (next: string) => ({
      anyOf: Array.from({ length: 8 }, () => ({ $ref: `#/components/schemas/${next}` })),
    });
    const names = Array.from({ length: 40 }, (_, at) => `S${at}`);
    const others = Object.fromEntries(names.map((name, at) => [name, multiplied(`S${at + 1}`)]));
    const properties = Object.fromEntries(names.map((name) => [name, multiplied('S0')]));

    expect(membersOf(properties, others)).toBeUndefined();
  });

  it('returns undefined for more members than any documented schema has', () => {
    const names = Array.from({ length: 5000 }, (_, at) => [`m${at}`, { type: 'string' }]);

    expect(membersOf(Object.fromEntries(names))).toBeUndefined();
  });

  it('reads a member with the name of a prototype member like any other member', () => {
    const document = JSON.parse(
      '{"i": {"properties": {"__proto__": {"type": "string"}, "prompt": {"type": "string"}}}}',
    );

    expect([...(readInputMembers(document, '/i')?.keys() ?? [])]).toContain('prompt');
  });
});
