import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { ImagesResponse } from '../../../lib/contract/openai/response.ts';
import { toImagesResponse } from '../../../lib/openai/to-response.ts';
import { ByteParts } from '../../../lib/platform/byte-parts.ts';
import { generationOf, imageOf, responseOf, translated } from './sent.ts';

const plain = translated(generationOf());
const { effective } = responseOf();

describe('toImagesResponse', () => {
  it('omits unknown values, and reports the size of the image', () => {
    const response = toImagesResponse(responseOf(), plain);

    expect(response).toEqual({
      created: 7,
      data: [{ b64_json: new ByteParts([Buffer.from([0])]) }],
      output_format: 'png',
      size: '64x32',
      bridge_ext: {
        id: 'r1',
        provider: 'near',
        model: 'small',
        effective,
        normalizations: [],
        timings: responseOf().timings,
        delivered: [],
        warnings: [],
      },
    });
  });

  it('reports the effective values', () => {
    const changed = { quality: 'high', background: 'opaque', size: '9x9', output_format: 'webp' };
    const response = responseOf({ effective: { ...effective, ...changed } as typeof effective });

    expect(toImagesResponse(response, plain)).toMatchObject(changed);
  });

  it('omits the size if the images differ in size', () => {
    const data = [imageOf(0), imageOf(1, { width: 65 })];

    expect(toImagesResponse(responseOf({ data }), plain)).not.toHaveProperty('size');
  });

  it('returns URLs and revised prompts', () => {
    const url = { type: 'url' as const, url: 'http://here/1', id: 'b'.repeat(32) };
    const { b64_json: _, ...image } = imageOf(0, { revised_prompt: 'a red fox' });

    const { data } = toImagesResponse(responseOf({ data: [{ ...image, ...url }] }), plain);

    expect(data).toEqual([{ url: 'http://here/1', revised_prompt: 'a red fox' }]);
  });

  it.each([
    [undefined, undefined],
    [{ provider: { calls: 1 } }, undefined],
    [
      { input_tokens: 1, total_tokens: 3, provider: { calls: 1 } },
      {
        input_tokens: 1,
        total_tokens: 3,
        input_tokens_details: { text_tokens: 1, image_tokens: 0 },
      },
    ],
    [
      { input_tokens: 9, input_image_tokens: 7 },
      { input_tokens: 9, input_tokens_details: { text_tokens: 2, image_tokens: 7 } },
    ],
    [
      { output_tokens: 2 },
      { output_tokens: 2, input_tokens_details: { text_tokens: 0, image_tokens: 0 } },
    ],
  ])('converts the usage %j to tokens, with the details that clients require', (usage, tokens) => {
    const response = responseOf(usage ? { usage } : {});

    expect(toImagesResponse(response, plain).usage).toEqual(tokens);
  });

  it('lists ignored fields, and sorts the warnings in the order of the contract', () => {
    const warnings = ['output_size_differs' as const, 'sandbox_output' as const];

    const { bridge_ext } = toImagesResponse(
      responseOf({ warnings }),
      translated(generationOf({ style: 'vivid' })),
    );

    expect(bridge_ext).toMatchObject({
      ignored_parameters: ['style'],
      warnings: ['output_size_differs', 'ignored_parameters', 'sandbox_output'],
    });
  });

  it('reports changes under the caller’s own names, aliases first', () => {
    const reason = 'normalized_to_provider_default' as const;
    const row = { field: 'parameters.quality', requested: 'high', effective: 'auto', reason };

    const { bridge_ext } = toImagesResponse(
      responseOf({ normalizations: [row] }),
      translated(generationOf({ quality: 'hd' })),
    );

    expect(bridge_ext.normalizations).toEqual([
      { field: 'quality', requested: 'hd', effective: 'high', reason: 'compatibility_alias' },
      { ...row, field: 'quality' },
    ]);
  });

  it('passes on the attempts and the session', () => {
    const attempts = [{ provider: 'near', outcome: 'succeeded' as const, duration_ms: 1 }];
    const session = { key: 'k', reused: true };

    const { bridge_ext } = toImagesResponse(responseOf({ attempts, session }), plain);

    expect(bridge_ext).toMatchObject({ attempts, session });
  });

  it('matches the schema once its bytes are written as base64', () => {
    const response = toImagesResponse(responseOf({ usage: { input_tokens: 1 } }), plain);

    expect(v.is(ImagesResponse, { ...response, data: [{ b64_json: 'AA==' }] })).toBe(true);
  });
});
