import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import * as openai7 from 'openai';
import * as openai6 from 'openai-6';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { cleanUp, type StartedBridge, startBridge } from '../../support/start-bridge.ts';

const photo = (name: string) =>
  fileURLToPath(new URL(`../../data/photos/${name}`, import.meta.url));
const TOKEN = 'a-token-of-the-tests';

/**
 * The newest major version of the official client and the previous version. The calls of these tests have the same form in
 * both.
 */
const CLIENTS: readonly [string, typeof openai6][] = [
  ['openai 6', openai6],
  // TypeScript treats two versions of one class as different types.
  ['openai 7', openai7 as unknown as typeof openai6],
];

// One bridge for most tests, one that requires a token, and one whose clients time out.
let bridge: StartedBridge;
let guarded: StartedBridge;
let slow: StartedBridge;

beforeAll(async () => {
  [bridge, guarded, slow] = await Promise.all([
    startBridge({ set: ['server.compat.model_aliases={"dall-e-3" = "sandbox/sandbox-basic"}'] }),
    startBridge({ set: ['server.bearer_token_env=TOKEN'], env: { TOKEN } }),
    startBridge({ set: ['providers.sandbox.latency_ms=1500'] }),
  ]);
});
afterAll(cleanUp);

async function decoded(b64: string | undefined) {
  const { width, height, format } = await sharp(Buffer.from(b64 ?? '', 'base64')).metadata();
  return { width, height, format };
}

/** A mask of the size of the image. Only the left half may change. */
async function maskFor(name: string): Promise<Buffer> {
  const { width, height } = await sharp(photo(name)).metadata();
  const alpha = Buffer.alloc(width * height, 255);
  for (let row = 0; row < height; row += 1) {
    alpha.fill(0, row * width, row * width + Math.floor(width / 2));
  }
  const solid = { width, height, channels: 3, background: '#000' } as const;
  return sharp({ create: solid })
    .joinChannel(alpha, { raw: { width, height, channels: 1 } })
    .png()
    .toBuffer();
}

describe.each(CLIENTS)('the client %s', (_, openai) => {
  const { default: OpenAI, toFile } = openai;

  /** Creates a client with default options that counts its requests. */
  function connect({ address } = bridge, options: object = {}) {
    let calls = 0;
    const client = new OpenAI({
      baseURL: `${address}/v1`,
      apiKey: TOKEN,
      fetch: (input, init) => {
        calls += 1;
        return fetch(input, init);
      },
      ...options,
    });
    return { client, images: client.images, calls: () => calls };
  }

  it('generates an image', async () => {
    const { images } = connect();

    const reply = await images.generate({ prompt: 'a fox', size: '1024x1024', quality: 'high' });

    expect(reply).toMatchObject({ size: '1024x1024', quality: 'high', output_format: 'png' });
    expect(reply.usage?.total_tokens).toBeGreaterThan(0);
    expect(await decoded(reply.data?.[0]?.b64_json)).toEqual({
      width: 1024,
      height: 1024,
      format: 'png',
    });
  });

  it('generates an image that is delivered as a URL', async () => {
    const { images } = connect();

    const { data } = await images.generate({ prompt: 'a fox', response_format: 'url' });

    const found = await fetch(data?.[0]?.url ?? '');
    expect(found.headers.get('content-type')).toBe('image/png');
    expect(data?.[0]).not.toHaveProperty('b64_json');
  });

  it('generates four different images', async () => {
    const { images } = connect();

    const { data } = await images.generate({ prompt: 'a fox', n: 4, output_format: 'webp' });

    expect(new Set(data?.map(({ b64_json }) => b64_json)).size).toBe(4);
    expect(await decoded(data?.[3]?.b64_json)).toMatchObject({ format: 'webp' });
  });

  it('accepts old names of models and qualities, and parameters that no provider supports', async () => {
    const { images } = connect();
    const request = { prompt: 'a fox', model: 'dall-e-3', quality: 'hd', style: 'vivid' } as const;

    const reply = await images.generate(request);

    expect(reply).toMatchObject({
      bridge_ext: { model: 'sandbox-basic', ignored_parameters: ['style'] },
    });
  });

  it('streams a generation with partial images', async () => {
    const { images } = connect();
    const request = { prompt: 'a fox', stream: true, partial_images: 2 } as const;

    const events = [];
    for await (const event of await images.generate(request)) events.push(event);

    expect(events.map(({ type }) => type)).toEqual([
      ...Array(2).fill('image_generation.partial_image'),
      'image_generation.completed',
    ]);
    expect(events.at(-1)).toMatchObject({ usage: { input_tokens: expect.any(Number) } });
    for (const event of events) expect(await decoded(event.b64_json)).toBeDefined();
  });

  it('edits one image from bytes', async () => {
    const { images } = connect();
    const image = await toFile(await readFile(photo('chelsea.png')), 'cat.png');

    const { data, size } = await images.edit({ prompt: 'night', image, size: '1024x1024' });

    expect(size).toBe('1024x1024');
    expect(await decoded(data?.[0]?.b64_json)).toMatchObject({ width: 1024, height: 1024 });
  });

  it('edits three images from files that are streamed', async () => {
    const { images } = connect();
    const image = ['chelsea.png', 'coffee.png', 'rocket.jpg'].map((name) =>
      createReadStream(photo(name)),
    );

    const { data } = await images.edit({ prompt: 'a collage', image, input_fidelity: 'high' });

    expect(data).toHaveLength(1);
  });

  it('edits only inside the mask', async () => {
    const { images } = connect();
    const image = () => createReadStream(photo('chelsea.png'));
    const mask = () => maskFor('chelsea.png').then((bytes) => toFile(bytes, 'mask.png'));
    const edit = async (model: string) =>
      images.edit({ model, prompt: 'night', image: image(), mask: await mask() });

    const { data } = await edit('sandbox-image');
    const refused = edit('sandbox-basic');

    await expect(refused).rejects.toMatchObject({
      status: 400,
      param: 'mask',
      code: 'unsupported_capability',
    });
    const { width, height } = await sharp(photo('chelsea.png')).metadata();
    expect(await decoded(data?.[0]?.b64_json)).toMatchObject({ width, height });
  });

  it('streams an edit with partial images', async () => {
    const { images } = connect();
    const image = createReadStream(photo('rocket.jpg'));

    const events = [];
    const edit = { prompt: 'night', image, stream: true, partial_images: 1 } as const;
    for await (const event of await images.edit(edit)) events.push(event.type);

    expect(events).toEqual(['image_edit.partial_image', 'image_edit.completed']);
  });

  it('lists the models, and reads each of them', async () => {
    const { client } = connect();

    const listed = [];
    for await (const model of client.models.list()) listed.push(model);

    expect(listed.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['sandbox-image', 'gpt-image-2', 'dall-e-3']),
    );
    const alias = await client.models.retrieve('dall-e-3');
    expect(alias).toMatchObject({ object: 'model', owned_by: 'sandbox' });
    const named = await client.models.retrieve('sandbox/sandbox-basic');
    expect(named).toMatchObject({ owned_by: 'sandbox' });
  });

  it.each<[string, keyof typeof openai6, object]>([
    ['safety_rejected', 'BadRequestError', { code: 'moderation_blocked' }],
    ['unsupported_capability', 'BadRequestError', { code: 'unsupported_capability' }],
    ['permission_denied', 'PermissionDeniedError', { status: 403 }],
    ['rate_limited', 'RateLimitError', { type: 'rate_limit_error' }],
    ['authentication', 'InternalServerError', { status: 503, code: 'provider_authentication' }],
    ['overloaded', 'InternalServerError', { status: 503, code: 'overloaded' }],
    ['upstream', 'InternalServerError', { status: 502, code: 'upstream_error' }],
    ['protocol', 'InternalServerError', { status: 502, code: 'protocol_error' }],
    ['timeout', 'InternalServerError', { status: 504, code: 'timeout' }],
  ])('throws for the failure %s a %s', async (failure, name, facts) => {
    const { images } = connect(bridge, { maxRetries: 0 });

    const work = images.generate({ prompt: 'a fox', model: `sandbox-fail-${failure}` });

    const error = await work.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(openai[name]);
    expect(error).toMatchObject({ ...facts, requestID: expect.any(String) });
  });

  it('throws its own error classes for invalid requests', async () => {
    const { client, images } = connect(bridge, { maxRetries: 0 });
    const under = { headers: { 'idempotency-key': `k-${OpenAI.name}-${openai === openai6}` } };
    await images.generate({ prompt: 'a fox' }, under);

    await expect(images.generate({ prompt: 'a fox', n: 0 })).rejects.toMatchObject({
      status: 422,
      param: 'n',
      constructor: openai.UnprocessableEntityError,
    });
    await expect(images.generate({ prompt: 'a cat' }, under)).rejects.toBeInstanceOf(
      openai.ConflictError,
    );
    await expect(client.models.retrieve('unknown')).rejects.toBeInstanceOf(openai.NotFoundError);
    await expect(connect(guarded, { apiKey: 'wrong' }).client.models.list()).rejects.toBeInstanceOf(
      openai.AuthenticationError,
    );
    await expect(connect(guarded).client.models.list()).resolves.toBeDefined();
  });

  it('throws the same error for a rejected stream as for any other request', async () => {
    const { images } = connect(bridge, { maxRetries: 0 });
    const sent = { prompt: 'a fox', model: 'sandbox-fail-safety_rejected', stream: true } as const;

    await expect(images.generate(sent)).rejects.toBeInstanceOf(openai.BadRequestError);
  });

  it('throws for a failure inside a stream', async () => {
    // The first unfinished image comes after a quarter of the time. The signal aborts in the rest.
    const set = ['providers.sandbox.latency_ms=16000', 'runtime.shutdown_grace_ms=1'];
    const ending = await startBridge({ set });
    const { images } = connect(ending);
    const request = { prompt: 'a fox', stream: true, partial_images: 3 } as const;

    const events = await images.generate(request);
    const work = (async () => {
      for await (const _ of events) void ending.end('SIGTERM');
    })();

    const error = await work.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(openai.APIError);
    expect(error).toMatchObject({ code: 'cancelled', type: 'request_timeout_error' });
  });

  it('ends the run if its reader stops', async () => {
    const cancelled = () => slow.stderr().split('"error_code":"cancelled"').length - 1;
    const before = cancelled();
    const { images } = connect(slow);
    const request = { prompt: 'a fox', stream: true, partial_images: 3 } as const;

    for await (const _ of await images.generate(request)) break;

    await vi.waitUntil(() => cancelled() > before, { timeout: 10_000 });
  });

  it('does not retry a request that would fail again or be charged twice', async () => {
    const { images, calls } = connect(bridge, { maxRetries: 3 });

    const work = images.generate({ prompt: 'a fox', model: 'sandbox-fail-upstream' });

    await expect(work).rejects.toBeInstanceOf(openai.InternalServerError);
    expect(calls()).toBe(1);
  });

  it('retries if the reply asks for it', async () => {
    const { images, calls } = connect(bridge, { maxRetries: 1 });

    const work = images.generate({ prompt: 'a fox', model: 'sandbox-fail-overloaded' });

    await expect(work).rejects.toBeInstanceOf(openai.InternalServerError);
    expect(calls()).toBe(2);
  });

  it('gets the image after its first request has timed out, from a single generation', async () => {
    const generated = () => slow.stderr().split('"image_operation_started"').length - 1;
    const before = generated();
    const { images, calls } = connect(slow, { timeout: 500, maxRetries: 8 });

    const { data } = await images.generate({ prompt: 'a fox' });

    expect(data).toHaveLength(1);
    expect(calls()).toBeGreaterThan(1);
    await expect.poll(() => generated() - before).toBe(1);
  });

  it('rejects when its timeout expires and when the request is aborted', async () => {
    const { images } = connect(bridge, { maxRetries: 0 });
    const hang = { prompt: 'a fox', model: 'sandbox-hang' };

    await expect(images.generate(hang, { timeout: 200 })).rejects.toBeInstanceOf(
      openai.APIConnectionTimeoutError,
    );
    const client = new AbortController();
    const work = images.generate(hang, { signal: client.signal });
    client.abort();
    await expect(work).rejects.toBeInstanceOf(openai.APIUserAbortError);
  });
});
