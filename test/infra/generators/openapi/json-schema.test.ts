import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import {
  REPLY_COMPONENTS,
  REQUEST_COMPONENTS,
} from '../../../../infra/generators/openapi/components.ts';
import { EXAMPLES } from '../../../../infra/generators/openapi/examples/examples.ts';
import {
  componentName,
  componentSchemas,
  jsonSchemaDocument,
  referencedComponents,
  schemaPart,
} from '../../../../infra/generators/openapi/json-schema.ts';
import { type JsonObject, plainSchema } from '../../../../lib/contract/json-schema.ts';
import { ImageRequest } from '../../../../lib/contract/request/image-request.ts';
import { Parameters, RequestParameters } from '../../../../lib/contract/request/parameters.ts';
import { Preset } from '../../../../lib/contract/resources/preset.ts';
import { closedObject } from '../../../../lib/contract/schema/closed-object.ts';
import { verdictOf } from '../../../lib/contract/verdict-of.ts';

const NAMES = [...Object.keys(REQUEST_COMPONENTS), ...Object.keys(REPLY_COMPONENTS)];

function newAjv(): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors: true,
    strict: true,
    strictTypes: false,
    strictRequired: false,
  });
  addFormats.default(ajv);
  ajv.addFormat('binary', true);
  return ajv;
}

function part(schema: JsonObject | undefined, ...path: string[]): JsonObject {
  return path.reduce<JsonObject>((inner, key) => inner[key] as JsonObject, schema ?? {});
}

describe('componentSchemas', () => {
  it('contains exactly the wanted schemas and the schemas that they refer to', () => {
    const names = Object.keys(componentSchemas(['ImageResponse']));

    expect(names).toEqual([
      'BridgeError',
      'ImageResponse',
      'ImageParameters',
      'GeneratedImage',
      'Provenance',
      'Normalization',
      'Attempt',
      'Usage',
      'SessionReport',
      'Timings',
      'Delivered',
    ]);
  });

  it('refers only to contained schemas', () => {
    const schemas = componentSchemas(NAMES);

    const missing = referencedComponents(schemas).filter((name) => !(name in schemas));

    expect(missing).toEqual([]);
    expect(Object.keys(schemas)).toHaveLength(NAMES.length);
  });

  it.each(NAMES)('writes %s as a valid schema', (name) => {
    const ajv = newAjv();
    ajv.addKeyword('components');
    ajv.addSchema({ components: { schemas: componentSchemas(NAMES) } }, 'document');

    expect(() => ajv.getSchema(`document#/components/schemas/${name}`)).not.toThrow();
  });

  it('closes the same objects as the schemas', () => {
    const { ImageOutput, ImageJob, OpenAiImageGeneration } = componentSchemas(NAMES);

    expect(ImageOutput?.['additionalProperties']).toBe(false);
    expect(ImageJob?.['additionalProperties']).toBe(false);
    expect(OpenAiImageGeneration).not.toHaveProperty('additionalProperties');
  });

  it('requires a field with a default only in a reply', () => {
    const { ImageRequestParameters, ImageParameters } = componentSchemas(NAMES);

    expect(ImageRequestParameters).not.toHaveProperty('required');
    expect(part(ImageRequestParameters, 'properties', 'n')['default']).toBe(1);
    expect(ImageParameters?.['required']).toEqual(
      Object.keys(RequestParameters.entries).filter((name) => name !== 'complexity'),
    );
    expect(part(ImageParameters, 'properties', 'n')).not.toHaveProperty('default');
  });

  it.each([
    ['ImageRequestParameters', 'size', 'pattern'],
    ['ImageRequestParameters', 'n', 'minimum'],
    ['ImageOutput', 'filename', 'pattern'],
    ['ImageOutput', 'directory', 'maxLength'],
    ['ImageTransparency', 'opaque_threshold', 'maximum'],
    ['ImageSession', 'key', 'pattern'],
    ['ImageSession', 'thread_id', 'maxLength'],
    ['ImageRouting', 'fallbacks', 'maxItems'],
    ['ImageRequest', 'prompt', 'minLength'],
    ['ImageRequest', 'metadata', 'propertyNames'],
    ['ImageRequest', 'metadata', 'maxProperties'],
    ['ImagePresetCreate', 'description', 'maxLength'],
    ['OpenAiImageEditForm', 'n', 'minimum'],
  ])('documents for %s.%s the keyword %s of a check', (name, field, keyword) => {
    const schema = componentSchemas([name])[name];

    expect(part(schema, 'properties', field)).toHaveProperty(keyword);
  });
});

describe('schemaPart', () => {
  it('refers to a schema that has a name', () => {
    expect(schemaPart(Preset, 'reply')).toEqual({ $ref: '#/components/schemas/ImagePreset' });
    expect(componentName(Parameters)).toBe('ImageParameters');
  });

  it('inlines a schema without a name and refers to named parts', () => {
    const schema = closedObject({ presets: v.array(Preset) });

    expect(schemaPart(schema, 'reply')).toEqual({
      type: 'object',
      properties: {
        presets: { type: 'array', items: { $ref: '#/components/schemas/ImagePreset' } },
      },
      additionalProperties: false,
      required: ['presets'],
    });
  });
});

describe('plainSchema', () => {
  it('rejects a schema that it cannot express', () => {
    expect(() => plainSchema(v.date())).toThrow();
  });
});

describe('jsonSchemaDocument', () => {
  const document = jsonSchemaDocument();

  it('contains every schema that it refers to', () => {
    const refs = JSON.stringify(document).match(/"\$ref":"[^"]+"/g) ?? [];

    expect(refs.every((ref) => ref.startsWith('"$ref":"#/$defs/'))).toBe(true);
    expect(() => newAjv().compile(document)).not.toThrow();
  });

  it('contains only ImageRequest and the schemas that it needs', () => {
    expect(document['title']).toBe('ImageRequest');
    expect(Object.keys(document['$defs'] as object)).toEqual([
      'ImageInput',
      'ImageRequestParameters',
      'ImageOutput',
      'ImageTransparency',
      'ImageRouting',
      'ImageRoute',
      'ImageSession',
      'ImagePolicies',
    ]);
  });

  it.each(Object.entries(EXAMPLES.ImageRequest ?? {}))(
    'takes the example %s',
    (_name, { value }) => {
      const validate = newAjv().compile(document);

      expect(validate(value), JSON.stringify(validate.errors)).toBe(true);
    },
  );

  it.each([
    [{}],
    [{ prompt: '' }],
    [{ prompt: 'x', version: '2' }],
    [{ prompt: 'x', seed: 1 }],
    [{ prompt: 'x', parameters: { n: 0 } }],
    [{ prompt: 'x', parameters: { size: 'large' } }],
    [{ prompt: 'x', parameters: { output_compression: 101 } }],
    [{ prompt: 'x', output: { directory: '/etc' } }],
    [{ prompt: 'x', output: { filename: '.a' } }],
    [{ prompt: 'x', output: { transparency: { key_color: 'red' } } }],
    [{ prompt: 'x', routing: { fallbacks: [{ model: 'm' }] } }],
    [{ prompt: 'x', metadata: { 'a b': 'c' } }],
    [{ prompt: 'x', metadata: { a: 1 } }],
    [{ prompt: 'x', images: [{ type: 'file' }] }],
  ])('rejects %j', (request) => {
    expect(newAjv().compile(document)(request)).toBe(false);
  });

  it('accepts every request that the bridge accepts', () => {
    const validate = newAjv().compile(document);
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('a.png', 'auto', '1x1', '16:9'),
    );
    const value = fc.oneof(text, fc.integer({ min: -2, max: 300 }), fc.boolean(), fc.constant(0.5));
    const some = (...names: string[]) =>
      fc.record(Object.fromEntries(names.map((name) => [name, value])), { requiredKeys: [] });
    const parameters = fc.record(
      {
        n: fc.integer({ min: 0, max: 9 }),
        size: fc.constantFrom('auto', '1x1', '16384x16384', '16385x1', 'x'),
        output_format: fc.constantFrom('png', 'jpeg', 'webp', 'gif'),
        output_compression: fc.integer({ min: -1, max: 101 }),
        partial_images: fc.integer({ min: -1, max: 4 }),
      },
      { requiredKeys: [] },
    );
    const output = fc.record(
      {
        response_format: fc.constantFrom('artifact', 'url', 'b64_json'),
        directory: fc.stringMatching(/^[a-z./]{1,12}$/),
        filename: fc.stringMatching(/^[a-z.]{1,8}(\.png)?$/),
      },
      { requiredKeys: [] },
    );
    const request = fc.record(
      {
        prompt: text,
        user: value,
        timeout_ms: value,
        idempotency_key: text,
        metadata: fc.dictionary(fc.stringMatching(/^[a-z._-]{1,8}$/), text),
        parameters: fc.oneof(parameters, some('aspect_ratio', 'quality')),
        output: fc.oneof(output, some('transparency')),
        session: some('mode', 'key'),
      },
      { requiredKeys: ['prompt'] },
    );

    fc.assert(
      fc.property(request, (candidate) => {
        const isTaken = verdictOf(ImageRequest, candidate).length === 0;

        expect(!isTaken || validate(candidate), JSON.stringify(validate.errors)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});
