import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import OpenAI, { APIError, toFile } from 'openai';
import type {
  ImageEditParamsNonStreaming,
  ImageGenerateParamsNonStreaming,
  ImagesResponse,
} from 'openai/resources/images';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createImagesUpstream,
  type ImagesUpstream,
} from '../../support/images-upstream/images-upstream.ts';
import { cleanUp } from '../../support/start-bridge.ts';
import { type ImagesBridge, startImagesBridge } from './openai-images-rig.ts';

const photo = (name: string) =>
  fileURLToPath(new URL(`../../data/photos/${name}`, import.meta.url));
const IMAGES = { imageBytes: 60_000 };

// Three emulators of the same server. Each draws the nth image of a prompt in the same way.
let server: ImagesUpstream;
let rig: ImagesBridge;
/** Requests all outputs of a request at once. There are no partial images then. */
let batching: ImagesBridge;

beforeAll(async () => {
  server = await createImagesUpstream(IMAGES);
  const once = { max_transient_attempts: 1 };
  // The images are compared byte for byte.
  const set = ['provenance.mark=never'];
  rig = await startImagesBridge({ ...IMAGES, set, provider: once });
  batching = await startImagesBridge({ ...IMAGES, set, provider: { ...once, native_count: 10 } });
});
afterAll(async () => {
  await cleanUp();
  await Promise.all([server, rig, batching].map((one) => one.close()));
});

function clientOf(baseURL: string, apiKey: string): OpenAI['images'] {
  return new OpenAI({ baseURL, apiKey, maxRetries: 0 }).images;
}

/** Connects the client to the server itself and to the bridge. */
function both({ bridge } = rig) {
  return {
    direct: clientOf(server.baseUrl, server.key() ?? ''),
    bridged: clientOf(`${bridge.address}/v1`, 'no-key-at-all'),
  };
}

type Members = Readonly<Record<string, unknown>>;

/**
 * Removes the time and the additions of the bridge, and replaces an image by its checksum, which makes a difference readable.
 */
function comparable(reply: Members): Members {
  const { created: _, created_at: __, bridge_ext: ___, ...others } = reply;
  const text = JSON.stringify(others, (name, value) =>
    name === 'b64_json' ? checksum(Buffer.from(value, 'base64')) : value,
  );
  return JSON.parse(text);
}

function checksum(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/**
 * Sets the members of an event that the bridge does not know before the end to `auto`, because the types of the clients
 * require a value.
 */
function known(events: readonly Members[], expected: readonly Members[]): readonly Members[] {
  return events.map((event, index) =>
    Object.fromEntries(
      Object.entries(event).map(([name, value]) => {
        const isUnknown = value === 'auto' && event['partial_image_index'] !== undefined;
        return [name, isUnknown ? expected[index]?.[name] : value];
      }),
    ),
  );
}

const AUTOMATIC = ['size', 'quality', 'background'] as const;

/** Removes the values that the server chose itself, which the bridge does not know and omits. */
function requested(reply: Members, request: Members): Members {
  const unknown = AUTOMATIC.filter((name) => (request[name] ?? 'auto') === 'auto');
  return Object.fromEntries(
    Object.entries(comparable(reply)).filter(([name]) => !unknown.some((one) => one === name)),
  );
}

async function expectEqual(
  work: (images: OpenAI['images']) => Promise<ImagesResponse>,
  request: { readonly prompt: string; readonly n?: number | null },
): Promise<void> {
  const { direct, bridged } = both((request.n ?? 1) > 1 ? batching : rig);

  const expected = await work(direct);
  const received = await work(bridged);

  const ours = requested({ ...received }, { ...request });
  expect(ours).toEqual(requested({ ...expected }, { ...request }));
  expect(received.created).toBeGreaterThanOrEqual(expected.created);
}

const GENERATIONS: readonly ImageGenerateParamsNonStreaming[] = [
  { prompt: 'a fox' },
  { prompt: 'a fox', model: 'gpt-image-2', size: '1536x1024', quality: 'low' },
  { prompt: 'a fox', size: '2048x1152', quality: 'medium', background: 'opaque' },
  { prompt: 'three foxes', n: 3, size: '1024x1024' },
  { prompt: 'ten foxes', n: 10, output_format: 'jpeg', output_compression: 70 },
  { prompt: 'a soft fox', output_format: 'webp', output_compression: 40, quality: 'high' },
  { prompt: 'a fine fox', model: 'gpt-image-2.5-sunburst', quality: 'max', moderation: 'low' },
  { prompt: 'a cut-out fox', model: 'gpt-image-2.6-flare', background: 'transparent' },
  {
    prompt: 'a cut-out fox in WebP',
    model: 'gpt-image-2.5-flare',
    background: 'transparent',
    output_format: 'webp',
  },
  { prompt: 'an older fox', model: 'gpt-image-1.5', size: '1024x1536', user: 'someone' },
  { prompt: 'a lucky fox', size: null, quality: null, n: null, stream: false },
];

const EDITS: readonly Omit<ImageEditParamsNonStreaming, 'image'>[] = [
  { prompt: 'night' },
  { prompt: 'a rainy night', size: '1024x1024', quality: 'high' },
  { prompt: 'two nights', n: 2, output_format: 'webp' },
  { prompt: 'an older night', model: 'gpt-image-1.5', input_fidelity: 'high', size: '1536x1024' },
  { prompt: 'a cut-out', model: 'gpt-image-2.5-sunburst', background: 'transparent' },
];

async function photoFile(name: string) {
  const type = name.endsWith('.png') ? 'image/png' : 'image/jpeg';
  return toFile(await readFile(photo(name)), name, { type });
}

describe('the official client through the bridge', () => {
  it.each(GENERATIONS)(
    'receives the same as directly from the server for $prompt',
    async (request) => {
      await expectEqual((images) => images.generate(request), request);
    },
  );

  it.each(EDITS)(
    'receives the same as directly from the server for an edit: $prompt',
    async (request) => {
      const image = () => photoFile('rocket.jpg');

      await expectEqual(
        async (images) => images.edit({ ...request, image: await image() }),
        request,
      );
    },
  );

  it('receives the same as directly from the server for an edit of several images', async () => {
    const image = () => Promise.all(['chelsea.png', 'coffee.png', 'rocket.jpg'].map(photoFile));
    const request = { prompt: 'a collage', size: '1024x1024' } as const;

    await expectEqual(async (images) => images.edit({ ...request, image: await image() }), request);

    const [directly] = server.accepted.slice(-1);
    const [bridged] = rig.upstream.accepted.slice(-1);
    expect(bridged?.images.map(({ bytes }) => checksum(bytes))).toEqual(
      directly?.images.map(({ bytes }) => checksum(bytes)),
    );
    expect(bridged?.prompt).toBe(directly?.prompt);
  });

  it('receives the pixels of the server where a mask is open, and its own pixels elsewhere', async () => {
    const { width, height } = { width: 1536, height: 1024 };
    const source = await sharp(photo('rocket.jpg')).resize(width, height).png().toBuffer();
    const mask = await halfOpenMask(width, height);
    const edit = async (images: OpenAI['images']) => {
      const image = await toFile(source, 'source.png', { type: 'image/png' });
      const file = await toFile(mask, 'mask.png', { type: 'image/png' });
      const request = { prompt: 'a masked night', size: '1536x1024', quality: 'high' } as const;
      return images.edit({ ...request, image, mask: file });
    };
    const { direct, bridged } = both();

    const expected = await edit(direct);
    const received = await edit(bridged);

    const left = { left: 0, top: 0, width: width / 2, height };
    const right = { ...left, left: width / 2 };
    const pixels = async (image: Buffer, part: typeof left) =>
      checksum(await sharp(image).extract(part).removeAlpha().raw().toBuffer());
    const decoded = (reply: ImagesResponse) =>
      Buffer.from(reply.data?.[0]?.b64_json ?? '', 'base64');
    expect(await pixels(decoded(received), left)).toEqual(await pixels(decoded(expected), left));
    expect(await pixels(decoded(received), right)).toEqual(await pixels(source, right));
  });

  const CHOSEN = { size: '1024x1024', quality: 'high', background: 'opaque' } as const;

  it.each([0, 1, 3])('receives the events of the server with %i partial images', async (count) => {
    const request = { ...CHOSEN, prompt: `${count} steps to a fox`, partial_images: count };
    const eventsOf = async (images: OpenAI['images']) => {
      const events: Members[] = [];
      for await (const event of await images.generate({ ...request, stream: true })) {
        events.push(comparable({ ...event }));
      }
      return events;
    };
    const { direct, bridged } = both();

    const expected = await eventsOf(direct);

    expect(known(await eventsOf(bridged), expected)).toEqual(expected);
    expect(expected).toHaveLength(count + 1);
  });

  it('receives the events of the server for an edit', async () => {
    const eventsOf = async (images: OpenAI['images']) => {
      const image = await photoFile('rocket.jpg');
      const request = { ...CHOSEN, prompt: 'steps to a night', image, partial_images: 2 } as const;
      const events: Members[] = [];
      for await (const event of await images.edit({ ...request, stream: true })) {
        events.push(comparable({ ...event }));
      }
      return events;
    };
    const { direct, bridged } = both();

    const expected = await eventsOf(direct);

    expect(known(await eventsOf(bridged), expected)).toEqual(expected);
  });
});

/** A mask that permits changes in the left half. */
async function halfOpenMask(width: number, height: number): Promise<Buffer> {
  const alpha = Buffer.alloc(width * height, 255);
  for (let row = 0; row < height; row += 1) alpha.fill(0, row * width, row * width + width / 2);
  return sharp({ create: { width, height, channels: 3, background: '#000' } })
    .joinChannel(alpha, { raw: { width, height, channels: 1 } })
    .png()
    .toBuffer();
}

interface Thrown {
  readonly name: string;
  readonly status: number | undefined;
  readonly code: string | null | undefined;
}

async function thrownBy(work: Promise<unknown>): Promise<Thrown> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof APIError)) throw new Error('no error of the API', { cause: error });
  return { name: error.constructor.name, status: error.status, code: error.code };
}

const faulty = (behaviour: string) => ({ prompt: `a fox [[fail:${behaviour}]]` });

describe('an error that the official client throws', () => {
  it.each([
    ['moderation', faulty('status=400,moderation_blocked')],
    ['a rate limit', faulty('status=429')],
  ])('is the same through the bridge: %s', async (_what, request) => {
    const { direct, bridged } = both();

    const expected = await thrownBy(direct.generate(request));

    expect(await thrownBy(bridged.generate(request))).toEqual(expected);
  });

  // The expected status and code distinguish faults of the caller from faults of the account.
  it.each<[string, ImageGenerateParamsNonStreaming, string, Thrown]>([
    [
      'a quota that is used up',
      faulty('status=429,insufficient_quota'),
      'RateLimitError',
      { name: 'RateLimitError', status: 429, code: 'rate_limit_exceeded' },
    ],
    [
      'a permission',
      faulty('status=403'),
      'PermissionDeniedError',
      { name: 'PermissionDeniedError', status: 403, code: 'permission_denied' },
    ],
    [
      'an image that cannot be read',
      faulty('status=400,invalid_image_file'),
      'BadRequestError',
      { name: 'BadRequestError', status: 400, code: 'invalid_image_input' },
    ],
    [
      'a failure of the server',
      faulty('status=500'),
      'InternalServerError',
      { name: 'InternalServerError', status: 502, code: 'upstream_error' },
    ],
    [
      'the key of the bridge',
      faulty('status=401'),
      'AuthenticationError',
      { name: 'InternalServerError', status: 503, code: 'provider_authentication' },
    ],
    [
      'a model that the server has not',
      { prompt: 'a fox', model: 'dall-e-3' },
      'NotFoundError',
      { name: 'BadRequestError', status: 400, code: 'unsupported_capability' },
    ],
    [
      'a request without a prompt',
      { prompt: '' },
      'BadRequestError',
      { name: 'UnprocessableEntityError', status: 422, code: 'invalid_request' },
    ],
  ])('has the documented status and code: %s', async (_what, request, directly, expected) => {
    const { direct, bridged } = both();

    expect((await thrownBy(direct.generate(request))).name).toBe(directly);
    expect(await thrownBy(bridged.generate(request))).toEqual(expected);
  });

  it.each(['body=error-and-data', 'status=502', 'cut=body'])(
    'causes no second charge for a client that retries: %s',
    async (behaviour) => {
      const { images } = new OpenAI({
        baseURL: `${rig.bridge.address}/v1`,
        apiKey: 'no-key-at-all',
        maxRetries: 2,
      });
      const before = rig.upstream.counters().calls;

      await thrownBy(images.generate(faulty(behaviour)));

      expect(rig.upstream.counters().calls - before).toBe(1);
    },
  );

  it('is sent in the stream after a partial image, as from the server itself', async () => {
    const request = {
      ...faulty('stream=error:rate_limit_exceeded'),
      size: '1024x1024',
      partial_images: 1,
      stream: true,
    } as const;
    const run = async (images: OpenAI['images']) => {
      const types: string[] = [];
      const events = await images.generate(request);
      const error = await thrownBy(
        (async () => {
          for await (const { type } of events) types.push(type);
        })(),
      );
      return { types, code: error.code };
    };
    const { direct, bridged } = both();

    expect(await run(bridged)).toEqual(await run(direct));
  });
});
