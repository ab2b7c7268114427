import { afterEach, describe, expect, it } from 'vitest';
import { BridgeError } from '../../../../lib/errors/bridge-error.ts';
import { createEndpoint } from '../../../../lib/providers/openai-images/client.ts';
import { DIALECTS } from '../../../../lib/providers/openai-images/dialects/dialects.ts';
import { inputOf } from '../agent-responses/requests.ts';
import { formOf } from './form-of.ts';
import {
  events,
  type ImageServer,
  images,
  json,
  openImageServer,
  type Reply,
} from './image-server.ts';
import { type ImagesRig, openImagesRig, settingsOf, shown } from './images-rig.ts';

const IMAGE = Buffer.alloc(40_000, 'image');
const OTHER = Buffer.alloc(30_000, 'other');

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const it of opened.splice(0).reverse()) await it.close();
});

type RigOptions = Parameters<typeof openImagesRig>[0];

async function open(
  replies: readonly Reply[],
  { settings, ...options }: NonNullable<RigOptions> = {},
): Promise<ImagesRig & { server: ImageServer }> {
  const server = await openImageServer(...replies);
  const rig = openImagesRig({
    settings: { base_url: `${server.url}/v1`, ...settings },
    ...options,
  });
  opened.push(server, rig);
  return { ...rig, server };
}

async function failureOf(work: Promise<unknown>): Promise<BridgeError> {
  const thrown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (thrown instanceof BridgeError) return thrown;
  throw new Error('no BridgeError', { cause: thrown });
}

describe('createOpenaiImagesProvider', () => {
  it('posts a generation as JSON with the key and returns the image and the usage', async () => {
    const usage = { input_tokens: 3, output_tokens: 4, total_tokens: 7 };
    const { call, server, reported } = await open([json({ ...images(IMAGE), usage })], {
      keys: ['k-1'],
      settings: { organization: 'org', project: 'proj' },
    });

    const result = await call({ parameters: { size: '1024x1024', quality: 'high' } });

    expect(result).toEqual({ outputs: [{ bytes: IMAGE }], usage });
    expect(reported).toEqual([{ type: 'progress', stage: 'dispatched' }]);
    const [{ method, path, headers, body }] = server.received as [ImageServer['received'][number]];
    expect([method, path]).toEqual(['POST', '/v1/images/generations']);
    expect(headers).toMatchObject({
      authorization: 'Bearer k-1',
      'openai-organization': 'org',
      'openai-project': 'proj',
      'content-type': 'application/json',
      'content-length': String(body.length),
    });
    expect(JSON.parse(body.toString())).toEqual({
      model: 'gpt-image-2',
      prompt: 'A lighthouse in a storm',
      size: '1024x1024',
      quality: 'high',
      output_format: 'png',
    });
  });

  it('omits unreported members of the usage', async () => {
    const { call } = await open([
      json({ ...images(IMAGE), usage: { total_tokens: 7 } }),
      json({ ...images(IMAGE), usage: { input_tokens: 3, output_tokens: 0 } }),
    ]);

    expect((await call()).usage).toEqual({ total_tokens: 7 });
    expect((await call()).usage).toEqual({ input_tokens: 3, output_tokens: 0 });
  });

  it('omits a number of tokens that no call can need', async () => {
    const usage = { input_tokens: 3, output_tokens: 1e300, total_tokens: 1_000_000_001 };
    const { call } = await open([json({ ...images(IMAGE), usage })]);

    expect((await call()).usage).toEqual({ input_tokens: 3 });
  });

  it('posts an edit as a form with sources, then references, then the mask', async () => {
    const { call, server } = await open([json(images(IMAGE))]);

    await call({
      images: [inputOf(Buffer.from('source'))],
      references: [inputOf(Buffer.from('reference'), 'image/webp')],
      mask: inputOf(Buffer.from('mask')),
    });

    const [{ path, headers, body }] = server.received as [ImageServer['received'][number]];
    expect(path).toBe('/v1/images/edits');
    expect(headers['content-length']).toBe(String(body.length));
    const form = await formOf(headers['content-type'], body);
    expect(form).toEqual([
      ['model', 'gpt-image-2'],
      [
        'prompt',
        'A lighthouse in a storm\n\nImage 1 is to be edited. Image 2 is for reference only.',
      ],
      ['output_format', 'png'],
      ['image[]', 'image-1.png', 'image/png', 'source'],
      ['image[]', 'image-2.webp', 'image/webp', 'reference'],
      ['mask', 'mask.png', 'image/png', 'mask'],
    ]);
  });

  it('reports partial images as they arrive and returns the completed image', async () => {
    const partial = {
      type: 'image_generation.partial_image',
      partial_image_index: 0,
      b64_json: OTHER.toString('base64'),
    };
    const completed = {
      type: 'image_generation.completed',
      b64_json: IMAGE.toString('base64'),
      usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
    };
    const { call, reported, server } = await open([
      events([partial, { type: 'other' }, completed]),
    ]);

    const result = await call({ indices: [4], parameters: { partial_images: 1 } });

    expect(result.outputs).toEqual([{ bytes: IMAGE }]);
    expect(reported).toEqual([
      { type: 'progress', stage: 'dispatched' },
      { type: 'partial_image', index: 4, partialIndex: 0, bytes: OTHER },
    ]);
    expect(JSON.parse(String(server.received[0]?.body))).toMatchObject({
      stream: true,
      partial_images: 1,
    });
  });

  it('returns the completed image although a partial image is malformed', async () => {
    const type = 'image_generation';
    const { call } = await open([
      events([
        { type: `${type}.partial_image` },
        { type: `${type}.partial_image`, partial_image_index: 'first', b64_json: null },
        { type: `${type}.completed`, b64_json: IMAGE.toString('base64') },
      ]),
    ]);

    const result = await call({ parameters: { partial_images: 2 } });

    expect(result.outputs).toEqual([{ bytes: IMAGE }]);
  });

  it('accepts a whole reply to a call that requested a stream', async () => {
    const { call } = await open([json(images(IMAGE))]);

    const result = await call({ parameters: { partial_images: 2 } });

    expect(result.outputs).toEqual([{ bytes: IMAGE }]);
  });

  it('returns as many images as the call has outputs', async () => {
    const { call, server } = await open([json(images(IMAGE, OTHER))]);

    const result = await call({ indices: [1, 5] });

    expect(result.outputs).toEqual([{ bytes: IMAGE }, { bytes: OTHER }]);
    expect(JSON.parse(String(server.received[0]?.body))).toMatchObject({ n: 2 });
  });

  it.each<[name: string, reply: Reply, error: object]>([
    [
      'a page',
      page(200),
      { code: 'protocol', details: { outcome: 'unknown', reason: 'not_json' } },
    ],
    ['a missing page', page(404), { code: 'upstream', details: {} }],
    [
      'no images',
      json({ data: [] }),
      { code: 'upstream', retryable: false, transient: false, details: {} },
    ],
    [
      'too many images',
      json(images(IMAGE, OTHER)),
      { code: 'protocol', details: { reason: 'wrong_count' } },
    ],
    [
      'an image that is not base64',
      json({ data: [{ b64_json: '!!' }] }),
      { code: 'protocol', details: { reason: 'unusable_image' } },
    ],
    [
      'an error in place of a reply',
      json({ error: { code: 'rate_limit_exceeded', message: 'slow down' } }),
      { code: 'rate_limited', retryable: true, transient: true },
    ],
    [
      'something else',
      json({ status: 'ok' }),
      { code: 'protocol', details: { outcome: 'unknown', reason: 'ended_early' } },
    ],
    [
      'half a reply',
      (_received, response) => response.end('{"data": [{"b64_json": "AAAA'),
      { code: 'protocol', details: { outcome: 'unknown', reason: 'not_json' } },
    ],
    [
      'a stream that ends early',
      events([{ type: 'image_generation.started' }]),
      { code: 'protocol', details: { outcome: 'unknown', reason: 'ended_early' } },
    ],
    [
      'a reply that never ends well',
      (_received, response) => {
        response.writeHead(200, { 'content-length': '100' });
        response.write('{"data": [');
        response.destroy();
      },
      { code: 'protocol', details: { outcome: 'unknown' } },
    ],
    [
      'more than images can have',
      json({ data: [{ b64_json: 'A'.repeat(4_000_000) }] }),
      { code: 'protocol', details: { outcome: 'unknown', reason: 'stream_too_long' } },
    ],
  ])('rejects if the server returns %s', async (_name, reply, error) => {
    const { call, server } = await open([reply]);

    const failure = await failureOf(call());

    expect(shown(failure)).toMatchObject({ retryable: false, transient: false, ...error });
    expect(server.received).toHaveLength(1);
  });

  it('reports an unknown outcome if the stream fails after a partial image', async () => {
    const partial = {
      type: 'image_edit.partial_image',
      partial_image_index: 0,
      b64_json: OTHER.toString('base64'),
    };
    const error = { type: 'error', error: { code: 'rate_limit_exceeded' } };
    const { call } = await open([events([partial, error])]);

    const failure = await failureOf(call({ parameters: { partial_images: 1 } }));

    expect(shown(failure)).toMatchObject({
      code: 'rate_limited',
      transient: false,
      retryable: false,
      details: { outcome: 'unknown' },
    });
  });

  it('reports an unknown outcome if the reply contains an error beside an image', async () => {
    const data = [{ b64_json: OTHER.toString('base64') }];
    const { call } = await open([json({ data, error: { code: 'server_error' } })]);

    const failure = await failureOf(call());

    expect(shown(failure)).toMatchObject({
      code: 'upstream',
      transient: false,
      retryable: false,
      details: { outcome: 'unknown' },
    });
  });

  it('repeats a call with the new key if the file of a rejected key has changed', async () => {
    const { call, server } = await open([json({}, 401), json(images(IMAGE))], {
      keys: ['old', 'new'],
    });

    const result = await call();

    expect(result.outputs).toEqual([{ bytes: IMAGE }]);
    expect(server.received.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer old',
      'Bearer new',
    ]);
  });

  it('does not repeat a call if the rejected key is unchanged', async () => {
    const { call, server } = await open([json({ error: { code: 'invalid_api_key' } }, 401)], {
      keys: ['only'],
    });

    const failure = await failureOf(call());

    expect(shown(failure)).toMatchObject({ code: 'provider_authentication', transient: false });
    expect(server.received).toHaveLength(1);
  });

  it('does not repeat a call whose successful reply later reports a rejected key', async () => {
    const error = { type: 'error', error: { code: 'invalid_api_key' } };
    const { call, server } = await open([events([error])], { keys: ['old', 'new'] });

    const failure = await failureOf(call());

    expect(shown(failure)).toMatchObject({ code: 'provider_authentication', transient: false });
    expect(server.received).toHaveLength(1);
  });

  it('reports the request id of the upstream and the wait', async () => {
    const headers = { 'x-litellm-call-id': 'call-7', 'retry-after': '3' };
    const { call } = await open([json({ error: {} }, 429, headers)]);

    const failure = await failureOf(call());

    expect(failure.upstreamRequestId).toBe('call-7');
    expect(failure.details).toEqual({ retry_after_ms: 3000 });
  });

  it('calls a deployment of Azure with its key and version', async () => {
    const { call, server } = await open([json(images(IMAGE))], {
      keys: ['k'],
      settings: {
        dialect: 'azure',
        api_version: '2025-04-01-preview',
        deployments: { 'gpt-image-2': 'my images' },
      },
    });

    await call();

    const [{ path, headers, body }] = server.received as [ImageServer['received'][number]];
    expect(path).toBe(
      '/v1/openai/deployments/my%20images/images/generations?api-version=2025-04-01-preview',
    );
    expect(headers).toMatchObject({ 'api-key': 'k' });
    expect(headers.authorization).toBeUndefined();
    expect(JSON.parse(body.toString())).toMatchObject({ model: 'my images' });
  });

  it('sends a token of Microsoft Entra ID to Azure as a bearer token', async () => {
    const { call, server } = await open([json(images(IMAGE))], {
      keys: ['token'],
      settings: { dialect: 'azure', key_kind: 'bearer' },
    });

    await call();

    expect(server.received[0]?.headers).toMatchObject({ authorization: 'Bearer token' });
    expect(server.received[0]?.headers).not.toHaveProperty('api-key');
  });

  it('calls the newer API of Azure without a version', async () => {
    const { call, server } = await open([json(images(IMAGE))], { settings: { dialect: 'azure' } });

    await call();

    expect(server.received[0]?.path).toBe('/v1/openai/v1/images/generations');
  });

  it.each([
    ['https://own.example', undefined, 'openai/v1'],
    ['https://own.example/', undefined, 'openai/v1'],
    ['https://own.example/openai', undefined, 'openai/v1'],
    ['https://own.example/openai/v1', undefined, 'openai/v1'],
    ['https://own.example/openai/v1/', undefined, 'openai/v1'],
    ['https://own.example/openai/v1', '2025-04-01-preview', 'openai/deployments/m'],
  ])('calls the resource of Azure at %s with the version %s once', (base_url, version, path) => {
    const settings = settingsOf({ dialect: 'azure', base_url, api_version: version });

    const url = createEndpoint(settings, DIALECTS.azure).url('m', 'edits');

    expect(url.split('?')[0]).toBe(`https://own.example/${path}/images/edits`);
  });

  it('keeps the path of another server unchanged', () => {
    const base_url = 'https://proxy.example/openai/v1';

    const url = createEndpoint(settingsOf({ base_url }), DIALECTS.openai).url('m', 'edits');

    expect(url).toBe(`${base_url}/images/edits`);
  });

  it('fetches an image from the server itself with the key', async () => {
    const file: Reply = (_received, response) => response.end(IMAGE);
    const { call, server } = await open(
      [json({ data: [{ url: '/files/1.png', revised_prompt: 'p' }] }), file],
      { keys: ['k'] },
    );

    const result = await call();

    expect(result.outputs).toEqual([{ bytes: IMAGE, revisedPrompt: 'p' }]);
    expect(server.received[1]).toMatchObject({
      method: 'GET',
      path: '/files/1.png',
      headers: { authorization: 'Bearer k' },
    });
  });

  it.each([
    ['another server', 'http://127.0.0.1:9/1.png', 'not_an_https_url'],
    ['a host that is not listed', 'https://files.example/1.png', 'host_not_allowed'],
    ['nowhere', 'http://', 'not_an_https_url'],
  ])('does not fetch an image from %s', async (_name, url, reason) => {
    const { call, server } = await open([json({ data: [{ url }] })]);

    const failure = await failureOf(call());

    expect(shown(failure)).toMatchObject({
      code: 'protocol',
      retryable: false,
      transient: false,
      details: { reason },
    });
    expect(server.received).toHaveLength(1);
  });

  it.each([
    ['openai', 'alpha'],
    ['generic', 'alpha'],
    ['sdcpp', 'white'],
    ['vllm-omni', 'white'],
    ['sglang', undefined],
    ['localai', undefined],
  ] as const)('reports that a mask for %s has the form %s', async (dialect, form) => {
    const { provider } = await open([json(images(IMAGE))], { settings: { dialect } });

    expect(provider.maskForm?.('gpt-image-2')).toBe(form);
  });

  it('accepts any format from a server whose format cannot be chosen', async () => {
    const { call } = await open([json(images(IMAGE))], { settings: { dialect: 'generic' } });

    const result = await call();

    expect(result.outputs).toEqual([{ bytes: IMAGE, anyFormat: true }]);
  });

  it('rejects with the reason of the signal that aborts a call', async () => {
    const reason = new Error('stopped by the test');
    const controller = new AbortController();
    const { call } = await open([() => controller.abort(reason)]);

    const ended = call({}, controller.signal);

    await expect(ended).rejects.toBe(reason);
  });

  it('rejects more images than the API accepts', async () => {
    const { call, server } = await open([json(images(IMAGE))]);

    const failure = await failureOf(
      call({ images: Array.from({ length: 17 }, () => inputOf(IMAGE)) }),
    );

    expect(shown(failure)).toMatchObject({ code: 'unsupported_capability', param: 'images' });
    expect(server.received).toEqual([]);
  });
});

function page(status: number): Reply {
  return (_received, response) => {
    response.writeHead(status, { 'content-type': 'text/html' });
    response.end('\n<!doctype html><title>Welcome</title>');
  };
}
