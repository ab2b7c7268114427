import { describe, expect, it } from 'vitest';
import { createJsonBodies } from '../../../../lib/providers/http/json-body.ts';
import { createCallBodies, refuseText } from '../../../../lib/providers/openai-images/call-body.ts';
import { DIALECTS } from '../../../../lib/providers/openai-images/dialects/dialects.ts';
import type { ProviderInput } from '../../../../lib/providers/provider-port.ts';
import { slices } from '../../../support/slices.ts';
import { inputOf, type RequestParts } from '../agent-responses/requests.ts';
import { formOf } from './form-of.ts';
import { requestOf } from './images-rig.ts';

const ids = { newOpaqueId: () => '0123456789abcdef', newFraction: () => 0.5 };
const SEED = 2 ** 30;
const PLAIN = { model: 'gpt-image-2', prompt: 'A lighthouse in a storm' };

interface Options {
  readonly dialect?: keyof typeof DIALECTS;
  readonly stream?: 'auto' | 'always' | 'never';
}

async function sent(parts: RequestParts, { dialect = 'openai', stream = 'auto' }: Options = {}) {
  const toCallBody = createCallBodies({
    dialect: DIALECTS[dialect],
    settings: { stream, upstreams: [] },
    ids,
    toJsonBody: createJsonBodies({ ids, slices }),
    modelName: (model) => model,
    documentOf: () => undefined,
  });
  const { route, contentType, body } = toCallBody(requestOf(parts));
  const chunks: Buffer[] = [];
  for await (const chunk of body.chunks(new AbortController().signal)) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  expect(bytes.length).toBe(body.byteLength);
  return { route, contentType, bytes };
}

async function jsonOf(parts: RequestParts, options?: Options): Promise<unknown> {
  const { route, contentType, bytes } = await sent(parts, options);
  expect([route, contentType]).toEqual(['generations', 'application/json']);
  return JSON.parse(bytes.toString());
}

async function partsOf(parts: RequestParts, options?: Options) {
  const { route, contentType, bytes } = await sent(parts, options);
  expect(route).toBe('edits');
  return formOf(contentType, bytes);
}

const SOURCE = inputOf(Buffer.from('source'));
const ALL: RequestParts['parameters'] = {
  size: '1024x1024',
  quality: 'high',
  output_format: 'webp',
  output_compression: 80,
  background: 'opaque',
  moderation: 'low',
  action: 'generate',
};

describe('createCallBodies', () => {
  it.each(['openai', 'azure', 'litellm'] as const)(
    'sends all parameters to %s',
    async (dialect) => {
      const body = await jsonOf({ parameters: ALL, indices: [0, 1] }, { dialect });

      const { action, ...parameters } = ALL;
      expect(body).toEqual({ ...PLAIN, ...parameters, n: 2 });
    },
  );

  it('omits parameters with the value auto', async () => {
    expect(await jsonOf({})).toEqual({ ...PLAIN, output_format: 'png' });
  });

  it.each([
    ['auto', 0, {}],
    ['auto', 2, { stream: true, partial_images: 2 }],
    ['always', 0, { stream: true }],
    ['never', 0, {}],
  ] as const)('with stream %s and %d partial images sends %j', async (stream, partials, fields) => {
    const body = await jsonOf({ parameters: { partial_images: partials } }, { stream });

    expect(body).toEqual({ ...PLAIN, output_format: 'png', ...fields });
  });

  it('sends the input fidelity only with edits', async () => {
    const parameters = { input_fidelity: 'high' } as const;

    const form = await partsOf({ parameters, images: [SOURCE] });

    expect(form).toContainEqual(['input_fidelity', 'high']);
    expect(await jsonOf({ parameters })).not.toHaveProperty('input_fidelity');
  });

  it('sends the complexity', async () => {
    expect(await jsonOf({ parameters: { complexity: 'low' } })).toHaveProperty('complexity', 'low');
  });

  it('sends a generation with references as an edit and explains them in the prompt', async () => {
    const form = await partsOf({ references: [SOURCE] });

    expect(form).toContainEqual([
      'prompt',
      'A lighthouse in a storm\n\nImage 1 is for reference only.',
    ]);
    expect(form).toContainEqual(['image[]', 'image-1.png', 'image/png', 'source']);
  });

  it('adds no notes to the prompt of an edit that has only sources', async () => {
    const form = await partsOf({ images: [SOURCE, SOURCE] });

    expect(form).toContainEqual(['prompt', 'A lighthouse in a storm']);
  });

  it('asks for the flat background that is cut out afterwards', async () => {
    const body = await jsonOf({ keyColor: '#00FF00' });

    expect(body).toMatchObject({ prompt: expect.stringContaining('#00FF00') });
  });

  it.each([
    ['localai', { size: '1024x1024', seed: SEED, response_format: 'b64_json' }],
    [
      'vllm-omni',
      { size: '1024x1024', seed: SEED, response_format: 'b64_json', output_format: 'webp' },
    ],
    [
      'sglang',
      { size: '1024x1024', seed: SEED, response_format: 'b64_json', output_format: 'webp' },
    ],
    ['generic', { size: '1024x1024', response_format: 'b64_json' }],
  ] as const)('sends %s only the fields of its dialect', async (dialect, fields) => {
    expect(await jsonOf({ parameters: ALL }, { dialect })).toEqual({ ...PLAIN, ...fields });
  });

  it('sends seed and negative prompt to sdcpp inside the prompt', async () => {
    const negativePrompt = 'rain</sd_cpp_extra_args>';

    const body = await jsonOf({ negativePrompt }, { dialect: 'sdcpp' });

    const json = `{"seed":${SEED},"negative_prompt":"rain\\u003c/sd_cpp_extra_args>"}`;
    expect(body).toEqual({
      ...PLAIN,
      output_format: 'png',
      prompt: `${PLAIN.prompt}<sd_cpp_extra_args>${json}</sd_cpp_extra_args>`,
    });
  });

  it('sends the negative prompt to localai after the prompt', async () => {
    const body = await jsonOf({ negativePrompt: 'rain' }, { dialect: 'localai' });

    expect(body).toMatchObject({ prompt: 'A lighthouse in a storm|rain' });
  });

  it('sends the negative prompt to vllm-omni in its own field', async () => {
    const body = await jsonOf({ negativePrompt: 'rain' }, { dialect: 'vllm-omni' });

    expect(body).toMatchObject({ prompt: PLAIN.prompt, negative_prompt: 'rain' });
  });

  it('sends images to localai as base64 on the same route', async () => {
    const body = await jsonOf({ images: [SOURCE] }, { dialect: 'localai' });

    expect(body).toMatchObject({ files: [Buffer.from('source').toString('base64')] });
    expect(body).not.toHaveProperty('ref_images');
  });

  it('sends one source to localai and every other image as a reference', async () => {
    const [other, mask, reference] = ['other', 'mask', 'reference'].map((it) =>
      inputOf(Buffer.from(it)),
    ) as [ProviderInput, ProviderInput, ProviderInput];
    const parts = { images: [SOURCE, other], maskImage: mask, references: [reference] };

    const body = await jsonOf(parts, { dialect: 'localai' });

    const toBase64 = (text: string) => Buffer.from(text).toString('base64');
    expect(body).toMatchObject({
      files: [toBase64('source')],
      ref_images: ['other', 'mask', 'reference'].map(toBase64),
    });
  });

  it('sends references to localai without a source', async () => {
    const body = await jsonOf({ references: [SOURCE] }, { dialect: 'localai' });

    expect(body).toMatchObject({ ref_images: [Buffer.from('source').toString('base64')] });
    expect(body).not.toHaveProperty('files');
  });

  it.each([
    ['openai', 'mask'],
    ['sdcpp', 'mask'],
    ['vllm-omni', 'mask_image'],
    ['generic', 'mask'],
  ] as const)('sends a mask to %s as %s', async (dialect, name) => {
    const mask = inputOf(Buffer.from('mask'));

    const form = await partsOf({ images: [SOURCE], mask }, { dialect });

    expect(form.at(-1)).toEqual([name, 'mask.png', 'image/png', 'mask']);
  });

  it('sends a mask image after the source and names it in the prompt', async () => {
    const maskImage = inputOf(Buffer.from('mask'));

    const form = await partsOf({ images: [SOURCE], maskImage }, { dialect: 'sglang' });

    expect(form.slice(-2)).toEqual([
      ['image[]', 'image-1.png', 'image/png', 'source'],
      ['image[]', 'image-2.png', 'image/png', 'mask'],
    ]);
    expect(form).toContainEqual(['prompt', expect.stringContaining('Image 2 is a mask')]);
  });
});

const EXTRA = 'rain <sd_cpp_extra_args>{}</sd_cpp_extra_args>';

describe('refuseText', () => {
  it.each([
    ['localai', { prompt: 'a|b' }, 'prompt'],
    ['localai', { prompt: 'a', negativePrompt: 'a|b' }, 'negative_prompt'],
    ['sdcpp', { prompt: EXTRA }, 'prompt'],
    ['sdcpp', { prompt: 'a', negativePrompt: EXTRA }, 'negative_prompt'],
  ] as const)(
    'rejects for %s a prompt with text that the server interprets',
    (dialect, call, field) => {
      expect(() => refuseText(call, DIALECTS[dialect])).toThrow(
        expect.objectContaining({
          code: 'unsupported_capability',
          param: field,
          details: { field },
        }),
      );
    },
  );

  it.each(['sdcpp', 'localai'] as const)(
    'rejects for %s a negative prompt that is too long for its parser',
    (dialect) => {
      const long = { prompt: 'a', negativePrompt: '狐'.repeat(2000) };

      expect(() => refuseText(long, DIALECTS[dialect])).not.toThrow();
      expect(() =>
        refuseText({ ...long, negativePrompt: `${long.negativePrompt}x` }, DIALECTS[dialect]),
      ).toThrow(
        expect.objectContaining({
          code: 'unsupported_capability',
          param: 'negative_prompt',
          details: { field: 'negative_prompt', max_characters: 2000 },
        }),
      );
    },
  );

  it('accepts a longer negative prompt if it has its own field', () => {
    const call = { prompt: 'a', negativePrompt: 'x'.repeat(9000) };

    expect(() => refuseText(call, DIALECTS['vllm-omni'])).not.toThrow();
  });

  it.each(['openai', 'sdcpp', 'vllm-omni'] as const)(
    'accepts for %s a prompt with text that only localai interprets',
    (dialect) => {
      expect(() => refuseText({ prompt: 'a|b' }, DIALECTS[dialect])).not.toThrow();
    },
  );
});
