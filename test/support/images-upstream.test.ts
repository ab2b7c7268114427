import OpenAI, { AzureOpenAI, toFile } from 'openai';
import sharp from 'sharp';
import { afterEach, describe, expect, it } from 'vitest';
import { DIALECTS, type DialectName } from './images-upstream/dialects/dialects.ts';
import {
  createImagesUpstream,
  type ImagesUpstream,
  type ImagesUpstreamOptions,
} from './images-upstream/images-upstream.ts';
import { sendPlain } from './upstream/plain-client.ts';

let upstream: ImagesUpstream;

afterEach(() => upstream.close());

async function start(options: ImagesUpstreamOptions = {}) {
  upstream = await createImagesUpstream({ imageBytes: 40_000, ...options });
  return upstream;
}

function clientOf({ baseUrl, key }: ImagesUpstream) {
  return new OpenAI({ baseURL: baseUrl, apiKey: key() ?? 'none', maxRetries: 0 });
}

type Headers = Readonly<Record<string, string | undefined>>;

/** Sends JSON with the key. Resolves with the status and the parsed reply. */
async function post(path: string, body: object, headers: Headers = {}) {
  const authorization = { authorization: `Bearer ${upstream.key()}` };
  const sent = { 'content-type': 'application/json', ...authorization, ...headers };
  const reply = await sendPlain({
    url: `${upstream.origin}${path}`,
    headers: Object.fromEntries(
      Object.entries(sent).flatMap(([name, value]) => (value ? [[name, value]] : [])),
    ),
    body: JSON.stringify(body),
  });
  const text = reply?.bytes.toString() ?? '';
  return { status: reply?.status, json: text.startsWith('{') ? JSON.parse(text) : undefined };
}

async function sourceImage(width = 64, height = 64, channels: 3 | 4 = 3) {
  const background = { r: 10, g: 90, b: 60, alpha: 1 };
  const bytes = await sharp({ create: { width, height, channels, background } }).png().toBuffer();
  return toFile(bytes, 'source.png', { type: 'image/png' });
}

async function decoded(base64: string | undefined) {
  const { width, height, format, hasAlpha } = await sharp(
    Buffer.from(base64 ?? '', 'base64'),
  ).metadata();
  return { width, height, format, hasAlpha };
}

/** The path of a call, if it is not the path of OpenAI. */
const PATHS: Readonly<Record<string, string>> = {
  azure: '/openai/v1/images/generations',
  openrouter: '/api/v1/images',
};

/** The members that request a base64 image of 1024x1024 pixels, if they are not those of OpenAI. */
const SHAPES: Readonly<Record<string, object>> = {
  xai: { aspect_ratio: '1:1', resolution: '1k', response_format: 'b64_json' },
  together: { width: 1024, height: 1024, response_format: 'base64' },
};

describe('createImagesUpstream', () => {
  it('replies to the official client with the requested number of real images', async () => {
    const { images } = clientOf(await start());

    const reply = await images.generate({
      model: 'gpt-image-2',
      prompt: 'A cup',
      n: 3,
      size: '1536x1024',
      output_format: 'webp',
    });

    expect(reply).toMatchObject({ size: '1536x1024', quality: 'high', output_format: 'webp' });
    expect(reply.usage?.total_tokens).toBe(60 + 3 * 1056);
    const shapes = await Promise.all((reply.data ?? []).map((one) => decoded(one.b64_json)));
    const shape = { width: 1536, height: 1024, format: 'webp', hasAlpha: false };
    expect(shapes).toEqual([shape, shape, shape]);
    expect(new Set(reply.data?.map((one) => one.b64_json)).size).toBe(3);
    expect(upstream.counters()).toMatchObject({ calls: 1, replied: 1, drawn: 3 });
  });

  it('streams partial images and the finished image to the official client', async () => {
    const { images } = clientOf(await start());
    const request = { prompt: 'A cup', stream: true, partial_images: 2 } as const;

    const events = [];
    for await (const event of await images.generate(request)) events.push(event);

    expect(events.map(({ type }) => type)).toEqual([
      'image_generation.partial_image',
      'image_generation.partial_image',
      'image_generation.completed',
    ]);
    expect(new Set(events.map(({ b64_json }) => b64_json)).size).toBe(3);
    expect(upstream.counters().drawn).toBe(1);
  });

  it('accepts an edit of the official client with several images and a mask', async () => {
    const { images } = clientOf(await start());

    const reply = await images.edit({
      model: 'gpt-image-1.5',
      prompt: 'A cup',
      image: [await sourceImage(90, 60), await sourceImage()],
      mask: await sourceImage(90, 60, 4),
      background: 'transparent',
      input_fidelity: 'high',
    });

    expect(await decoded(reply.data?.[0]?.b64_json)).toMatchObject({ width: 1536, hasAlpha: true });
    expect(upstream.accepted[0]?.images.map(({ width }) => width)).toEqual([90, 64]);
    expect(upstream.accepted[0]?.mask).toMatchObject({ width: 90, height: 60 });
  });

  it('accepts calls of the official client in the dialect of Azure', async () => {
    const { origin, key } = await start({ dialect: 'azure' });
    const { images } = new AzureOpenAI({
      endpoint: origin,
      apiKey: key() ?? '',
      apiVersion: '2025-04-01-preview',
      deployment: 'our-images',
    });

    const reply = await images.generate({ prompt: 'A cup' });

    expect(await decoded(reply.data?.[0]?.b64_json)).toMatchObject({ width: 1024 });
    expect(upstream.calls[0]?.path).toContain('/openai/deployments/our-images/images/generations?');
  });

  it('accepts a token of the official client in the dialect of Azure', async () => {
    const { origin, key } = await start({ dialect: 'azure' });
    const { images } = new AzureOpenAI({
      endpoint: origin,
      azureADTokenProvider: async () => key() ?? '',
      apiVersion: '2025-04-01-preview',
      deployment: 'our-images',
    });

    const reply = await images.generate({ prompt: 'A cup' });

    expect(await decoded(reply.data?.[0]?.b64_json)).toMatchObject({ width: 1024 });
  });

  it('rejects a key and a token at the same time in the dialect of Azure', async () => {
    const { origin, key } = await start({ dialect: 'azure' });
    const headers = { 'api-key': key() ?? '', authorization: `Bearer ${key()}` };

    const reply = await fetch(`${origin}/openai/v1/images/generations`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'our-images', prompt: 'A cup' }),
    });

    expect(reply.status).toBe(401);
  });

  it.each<[object, number, string, string | null]>([
    [{ model: 'dall-e-3' }, 404, 'model_not_found', null],
    [{ response_format: 'b64_json' }, 400, 'unknown_parameter', 'response_format'],
    [{ input_fidelity: 'high' }, 400, 'unknown_parameter', 'input_fidelity'],
    [{ prompt: undefined }, 400, 'missing_required_parameter', 'prompt'],
    [{ n: 11 }, 400, 'invalid_value', 'n'],
    [{ size: '1000x1000' }, 400, 'invalid_value', 'size'],
    [{ size: '4096x1024' }, 400, 'invalid_value', 'size'],
    [{ size: '512x512' }, 400, 'invalid_value', 'size'],
    [{ model: 'gpt-image-1.5', size: '2048x2048' }, 400, 'invalid_value', 'size'],
    [{ quality: 'max' }, 400, 'invalid_value', 'quality'],
    [{ background: 'transparent' }, 400, 'invalid_value', 'background'],
    [{ output_compression: 50 }, 400, 'invalid_value', 'output_compression'],
    [{ partial_images: 1 }, 400, 'invalid_value', 'partial_images'],
  ])('rejects %j', async (changes, status, code, param) => {
    await start();

    const { status: replied, json } = await post('/v1/images/generations', {
      prompt: 'A cup',
      model: 'gpt-image-2',
      ...changes,
    });

    expect([replied, json.error.code, json.error.param]).toEqual([status, code, param]);
    expect(upstream.counters()).toMatchObject({ refused: 1, drawn: 0 });
  });

  it('accepts every free size that the reference allows', async () => {
    await start();

    for (const size of ['1024x640', '3840x2160', '1152x2048', '2880x2880']) {
      const { status } = await post('/v1/images/generations', {
        prompt: '[[fail:empty=204]]',
        size,
      });
      expect([size, status]).toEqual([size, 204]);
    }
  });

  it.each<[DialectName, object, string, number, unknown]>([
    ['openai', {}, '/v1/images/generations', 401, { error: { code: 'invalid_api_key' } }],
    ['litellm', {}, '/images/generations', 401, { error: { code: '401', param: 'None' } }],
    ['azure', {}, '/openai/v1/images/generations', 401, { error: { code: '401' } }],
  ])('rejects a wrong key in the dialect %s', async (dialect, body, path, status, error) => {
    await start({ dialect });

    const reply = await post(path, { prompt: 'A cup', ...body }, { authorization: 'Bearer wrong' });

    expect(reply.status).toBe(status);
    expect(reply.json).toMatchObject(error as object);
  });

  it('rejects a replaced key, another organization and another project', async () => {
    const { key } = await start({ organization: 'org-1', project: 'proj-1' });
    const first = key();
    upstream.renewKey();
    const account = { 'openai-organization': 'org-1', 'openai-project': 'proj-1' };
    const body = { prompt: 'A cup', model: 'gpt-image-2' };
    const path = '/v1/images/generations';

    const replies = [
      await post(path, body, { ...account, authorization: `Bearer ${first}` }),
      await post(path, body, { 'openai-project': 'proj-1' }),
      await post(path, body, { 'openai-organization': 'org-1' }),
      await post(path, body, account),
    ];

    expect(replies.map(({ status, json }) => [status, json.error?.code])).toEqual([
      [401, 'invalid_api_key'],
      [401, 'invalid_organization'],
      [401, 'invalid_project'],
      [200, undefined],
    ]);
  });

  it.each<[string, (form: FormData, image: Blob) => void, string, string]>([
    ['no image', () => undefined, 'missing_required_parameter', 'image'],
    [
      'two single images',
      (form, image) => {
        form.append('image', image, 'a.png');
        form.append('image', image, 'b.png');
      },
      'duplicate_parameter',
      'image',
    ],
    [
      'an image of no type',
      (form, image) => form.append('image[]', new Blob([image]), 'a.png'),
      'unsupported_file_mimetype',
      'image',
    ],
    [
      'an image that is none',
      (form) => form.append('image[]', new Blob(['no'], { type: 'image/png' }), 'a.png'),
      'invalid_image_file',
      'image',
    ],
    [
      'a mask without alpha',
      (form, image) => {
        form.append('image[]', image, 'a.png');
        form.append('mask', image, 'm.png');
      },
      'invalid_image_file',
      'mask',
    ],
    [
      'input fidelity for gpt-image-2',
      (form, image) => {
        form.append('image[]', image, 'a.png');
        form.append('input_fidelity', 'high');
      },
      'invalid_input_fidelity_model',
      'input_fidelity',
    ],
    [
      'a text given twice',
      (form, image) => {
        form.append('image[]', image, 'a.png');
        form.append('prompt', 'A glass');
      },
      'duplicate_parameter',
      'prompt',
    ],
  ])('rejects an edit with %s', async (_what, fill, code, param) => {
    const { baseUrl, key } = await start();
    const form = new FormData();
    form.append('prompt', 'A cup');
    form.append('model', 'gpt-image-2');
    fill(form, new Blob([await (await sourceImage()).arrayBuffer()], { type: 'image/png' }));

    const response = await fetch(`${baseUrl}/images/edits`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key()}` },
      body: form,
    });

    expect(await response.json()).toMatchObject({ error: { code, param } });
  });

  it.each<[DialectName, object, number, unknown]>([
    ['vllm-omni', { size: 'auto' }, 422, { detail: [{ loc: ['body', 'size'] }] }],
    ['vllm-omni', { response_format: 'url' }, 422, { detail: [{}] }],
    ['sdcpp', { prompt: '' }, 400, { error: 'prompt required' }],
    ['sdcpp', { output_format: 'gif' }, 400, { error: 'unsupported output_format' }],
    ['localai', { model: 'other' }, 404, { error: { code: 404, type: '' } }],
    ['generic', { model: 'other' }, 404, { error: { code: 'model_not_found' } }],
    ['litellm', { size: '1x1' }, 400, { error: { code: '400', param: 'size' } }],
  ])('%s rejects %j in its own form', async (dialect, changes, status, body) => {
    await start({ dialect });

    const reply = await post('/v1/images/generations', { prompt: 'A cup', ...changes });

    expect(reply.status).toBe(status);
    expect(reply.json).toMatchObject(body as object);
  });

  it.each<[DialectName, object, object]>([
    ['localai', { prompt: 'a cup|a saucer', size: 'auto', quality: 'max' }, { width: 512 }],
    ['localai', { prompt: 'a cup|a saucer' }, { prompt: 'a cup', negativePrompt: 'a saucer' }],
    ['sdcpp', { prompt: 'a cup', seed: 7, negative_prompt: 'x' }, { seed: 42 }],
    [
      'sdcpp',
      { prompt: 'a cup<sd_cpp_extra_args>{"seed": 7, "negative_prompt": "x"}</sd_cpp_extra_args>' },
      { prompt: 'a cup', seed: 7, negativePrompt: 'x' },
    ],
    ['vllm-omni', { prompt: 'a cup', model: 'any', seed: 7 }, { seed: 7, width: 1024 }],
    ['sglang', { prompt: 'a cup' }, { seed: 1024, format: 'jpeg', responseFormat: 'url' }],
    ['generic', { prompt: 'a cup', quality: 'max' }, { responseFormat: 'url', format: 'png' }],
  ])('%s understands %j as %j', async (dialect, body, understood) => {
    await start({ dialect });

    const { status } = await post('/v1/images/generations', body);

    expect(status).toBe(200);
    expect(upstream.accepted[0]).toMatchObject(understood);
  });

  it.each(['sdcpp', 'sglang'] as const)(
    '%s draws the same image for the same seed',
    async (dialect) => {
      await start({ dialect });
      const body = { prompt: 'a cup', response_format: 'b64_json' };

      const first = await post('/v1/images/generations', body);
      const second = await post('/v1/images/generations', body);

      expect(first.json.data[0].b64_json).toBe(second.json.data[0].b64_json);
    },
  );

  it('serves an image by its URL', async () => {
    await start({ dialect: 'generic' });
    const { json } = await post('/v1/images/generations', { prompt: 'a cup', size: '256x256' });

    const bytes = Buffer.from(await (await fetch(json.data[0].url)).arrayBuffer());

    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'png', width: 256 });
    expect(upstream.fetched).toMatchObject([{ status: 200 }]);
  });

  it.each(Object.keys(DIALECTS))('%s draws a real image', async (dialect) => {
    // The keys of a record lose their type in the table.
    await start({ dialect: dialect as DialectName });
    const path = PATHS[dialect] ?? '/v1/images/generations';
    const shape = SHAPES[dialect] ?? { size: '1024x1024' };
    const own = { 'api-key': upstream.key() ?? '' };
    const headers = dialect === 'azure' ? { ...own, authorization: undefined } : {};

    const { status, json } = await post(
      path,
      {
        model: upstream.models[0],
        prompt: 'A cup',
        ...shape,
        ...(upstream.key() === undefined ? { response_format: 'b64_json' } : {}),
      },
      headers,
    );

    expect(status).toBe(200);
    expect(await decoded(json.data[0].b64_json)).toMatchObject({ width: 1024, height: 1024 });
    expect(upstream.unrouted).toEqual([]);
  });
});
