import sharp from 'sharp';
import { afterAll, describe, expect, it } from 'vitest';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import { createImageEngine } from '../../../lib/images/image-engine.ts';
import type { InlineSource, InputSet, InputSource } from '../../../lib/inputs/input-source.ts';
import { createInputVerifier } from '../../../lib/inputs/verify-inputs.ts';
import { openInputLoader } from '../../support/input-loader.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { slices } from '../../support/slices.ts';

const engine = createImageEngine({
  limits: {
    max_encoded_bytes: 1_000_000,
    max_edge: 500,
    max_pixels: 100_000,
    max_decode_ms: 10_000,
  },
  clock: createManualClock(),
  slices,
});
const limits = {
  max_bytes_each: 1_000_000,
  max_bytes_total: 2_000_000,
  max_pixels: 1e8,
  max_edge: 500,
  max_request_pixels: 1e9,
};
const verifier = createInputVerifier({ engine, loader: openInputLoader(), limits });
const context = { scope: 'anonymous', signal: new AbortController().signal };

afterAll(() => engine.close());

describe('createInputVerifier', () => {
  it('returns the images in the order of the request', async () => {
    const sources = {
      images: [await image('images[0]', 20, 10), await image('images[1]', 21, 11)],
      mask: await image('mask', 20, 10, { channels: 4 }),
      references: [await image('reference_images[0]', 22, 12)],
    };

    const verified = await verifier.verify(sources, context);

    expect(verified.images.map(({ width }) => width)).toEqual([20, 21]);
    expect(verified.mask?.alpha).toBe('some');
    expect(verified.references.map(({ width }) => width)).toEqual([22]);
    expect(verified.images[0]?.bytes).toBe(sources.images[0]?.bytes);
  });

  it('returns no images for a request without images', async () => {
    const verified = await verifier.verify({ images: [], references: [] }, context);

    expect(verified).toEqual({ images: [], references: [] });
  });

  it('accepts references without a source', async () => {
    const references = [await image('reference_images[0]', 22, 12)];

    const verified = await verifier.verify({ images: [], references }, context);

    expect(verified.references).toHaveLength(1);
  });

  it.each(['image/png', 'image/jpeg', 'image/webp'] as const)(
    'accepts an image with the declared type %s',
    async (declaredMediaType) => {
      const format = declaredMediaType.slice('image/'.length) as 'png' | 'jpeg' | 'webp';
      const source = await image('images[0]', 20, 10, { format });

      const verified = await verifier.verify(only({ ...source, declaredMediaType }), context);

      expect(verified.images[0]?.format).toBe(format);
    },
  );

  it('accepts image/jpg as image/jpeg', async () => {
    const source = await image('images[0]', 20, 10, { format: 'jpeg' });

    const verified = await verifier.verify(
      only({ ...source, declaredMediaType: 'image/jpg' }),
      context,
    );

    expect(verified.images[0]?.format).toBe('jpeg');
  });

  it.each(['image/jpeg', 'image/webp', 'text/plain', ''])(
    'rejects a PNG that is declared as "%s"',
    async (declaredMediaType) => {
      const source = await image('images[0]', 20, 10);

      const verified = verifier.verify(only({ ...source, declaredMediaType }), context);

      await expect(verified).rejects.toMatchObject({
        code: 'input',
        param: 'images[0]',
        details: { field: 'images[0]', reason: 'media_type_mismatch' },
      });
    },
  );

  it('names the invalid image and the reason', async () => {
    const valid = await image('images[0]', 20, 10);
    const cut = await image('images[1]', 20, 10);
    const sources = {
      images: [valid, { ...cut, bytes: cut.bytes.subarray(0, -1) }],
      references: [],
    };

    await expect(verifier.verify(sources, context)).rejects.toMatchObject({
      code: 'input',
      param: 'images[1]',
      details: { field: 'images[1]', reason: 'truncated' },
    });
  });

  it('names the first of several invalid images, even if another is verified first', async () => {
    const slow = await sharp({
      create: { width: 300, height: 300, channels: 3, background: '#888' },
    })
      .jpeg()
      .toBuffer();
    const damaged = Buffer.concat([slow.subarray(0, -2), Buffer.from([0, 0])]);
    const sources = {
      images: [inline('images[0]', damaged), inline('images[1]', Buffer.from('no image'))],
      references: [inline('reference_images[0]', Buffer.from('none either'))],
    };

    await expect(verifier.verify(sources, context)).rejects.toMatchObject({ param: 'images[0]' });
  });

  it('rejects an image above the limit for a single image, in each list', async () => {
    const small = await image('images[0]', 20, 10);
    const large = { ...small, field: 'reference_images[0]', bytes: Buffer.alloc(101) };
    const tight = createInputVerifier({
      engine,
      loader: openInputLoader(),
      limits: {
        max_bytes_each: 100,
        max_bytes_total: 10_000,
        max_pixels: 1e8,
        max_edge: 16_384,
        max_request_pixels: 1e9,
      },
    });

    await expect(
      tight.verify(
        { images: [{ ...small, bytes: Buffer.alloc(100) }], references: [large] },
        context,
      ),
    ).rejects.toMatchObject({
      code: 'input',
      param: 'reference_images[0]',
      details: { reason: 'too_many_bytes' },
    });
  });

  it('rejects the image that takes the total above the limit', async () => {
    const tight = createInputVerifier({
      engine,
      loader: openInputLoader(),
      limits: {
        max_bytes_each: 100,
        max_bytes_total: 250,
        max_pixels: 1e8,
        max_edge: 16_384,
        max_request_pixels: 1e9,
      },
    });
    const sources = {
      images: [inline('images[0]', Buffer.alloc(100)), inline('images[1]', Buffer.alloc(100))],
      mask: inline('mask', Buffer.alloc(51)),
      references: [],
    };

    await expect(tight.verify(sources, context)).rejects.toMatchObject({
      param: 'mask',
      details: { reason: 'too_many_bytes' },
    });
  });

  it('rejects the image whose header takes the pixels above the limit, before any image is decoded', async () => {
    const untouched = { inspect: () => Promise.reject(new Error('decoded')) };
    const tight = createInputVerifier({
      engine: { forScope: () => ({ ...engine, ...untouched }) },
      loader: openInputLoader(),
      limits: { ...limits, max_request_pixels: 599 },
    });
    const sources = {
      images: [await image('images[0]', 20, 10), await image('images[1]', 20, 10)],
      mask: await image('mask', 20, 10),
      references: [],
    };

    await expect(tight.verify(sources, context)).rejects.toMatchObject({
      code: 'input',
      param: 'mask',
      details: {
        field: 'mask',
        reason: 'too_many_pixels_in_request',
        limit: 'images.max_request_pixels',
        max_pixels: 599,
      },
    });
  });

  it('accepts as many pixels as the limit', async () => {
    const exact = createInputVerifier({
      engine,
      loader: openInputLoader(),
      limits: { ...limits, max_request_pixels: 400 },
    });
    const images = [await image('images[0]', 20, 10), await image('images[1]', 20, 10)];

    await expect(exact.verify({ images, references: [] }, context)).resolves.toMatchObject({
      images: [{ width: 20 }, { width: 20 }],
    });
  });

  it('loads one image after the other, each within the remaining limit', async () => {
    const { bytes } = await image('images[0]', 20, 10);
    const asked: unknown[] = [];
    let running = 0;
    const loader = openInputLoader({
      async fetchRemote(url, maxBytes) {
        running += 1;
        asked.push([url, maxBytes, running]);
        await new Promise(setImmediate);
        running -= 1;
        return { ok: true, bytes };
      },
    });
    const total = bytes.length * 2 + 50;
    const limited = {
      max_bytes_each: bytes.length + 20,
      max_bytes_total: total,
      max_pixels: 1e8,
      max_edge: 16_384,
      max_request_pixels: 1e9,
    };
    const sources = {
      images: [remote('images[0].url', 'a'), inline('images[1]', bytes)],
      references: [remote('reference_images[0].url', 'b')],
    };

    const verifying = createInputVerifier({ engine, loader, limits: limited }).verify(
      sources,
      context,
    );

    await expect(verifying).rejects.toMatchObject({ param: 'reference_images[0].url' });
    expect(asked).toEqual([
      ['a', bytes.length + 20, 1],
      ['b', 50, 1],
    ]);
  });

  it('fetches and decodes nothing after an image that cannot be loaded', async () => {
    const fetched: string[] = [];
    const loader = openInputLoader({
      async fetchRemote(url) {
        fetched.push(url);
        return { ok: false, fault: 'unreachable' };
      },
    });
    const untouched = { inspect: () => Promise.reject(new Error('decoded')) };
    const sources = {
      images: [inline('images[0]', Buffer.from('no image')), remote('images[1].url', 'a')],
      references: [remote('reference_images[0].url', 'b')],
    };

    const verifying = createInputVerifier({
      engine: { forScope: () => ({ ...engine, ...untouched }) },
      loader,
      limits,
    }).verify(sources, context);

    await expect(verifying).rejects.toMatchObject({
      param: 'images[1].url',
      details: { reason: 'unreachable' },
    });
    expect(fetched).toEqual(['a']);
  });

  it('verifies a remote image by its bytes, and names the field of its URL', async () => {
    const loader = openInputLoader({
      fetchRemote: async () => ({ ok: true, bytes: Buffer.from('<html>') }),
    });
    const verifying = createInputVerifier({ engine, loader, limits }).verify(
      only(remote('images[0].url', 'a')),
      context,
    );

    await expect(verifying).rejects.toMatchObject({
      code: 'input',
      param: 'images[0].url',
      details: { field: 'images[0].url', reason: 'unsupported_format' },
    });
  });

  it('rejects with the reason of the abort', async () => {
    const reason = new BridgeError('cancelled', 'the client disconnected');
    const source = await image('images[0]', 20, 10);

    await expect(
      verifier.verify(only(source), { ...context, signal: AbortSignal.abort(reason) }),
    ).rejects.toBe(reason);
  });
});

describe('createInputVerifier: masks', () => {
  it.each([
    ['no alpha channel', { channels: 3, width: 20, height: 10 }, 'no_alpha_channel'],
    ['another width', { channels: 4, width: 21, height: 10 }, 'dimensions_differ'],
    ['another height', { channels: 4, width: 20, height: 11 }, 'dimensions_differ'],
    [
      'the edges of an image that lies',
      { channels: 4, width: 10, height: 20 },
      'dimensions_differ',
    ],
  ] as const)('refuses one with %s', async (_, mask, reason) => {
    const sources = {
      images: [await image('images[0]', 20, 10)],
      mask: await image('mask', mask.width, mask.height, mask),
      references: [],
    };

    await expect(verifier.verify(sources, context)).rejects.toMatchObject({
      code: 'input',
      param: 'mask',
      details: { field: 'mask', reason },
    });
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'compares the mask with a source of orientation %i after its rotation',
    async (orientation) => {
      const isTurned = orientation >= 5;
      const source = await image('images[0]', 20, 10, { format: 'jpeg', orientation });
      const upright = await image('mask', isTurned ? 10 : 20, isTurned ? 20 : 10, {
        channels: 4,
      });
      const asStored = await image('mask', isTurned ? 20 : 10, isTurned ? 10 : 20, {
        channels: 4,
      });

      const verified = await verifier.verify({ ...only(source), mask: upright }, context);
      const refused = verifier.verify({ ...only(source), mask: asStored }, context);

      expect(verified.mask?.width).toBe(isTurned ? 10 : 20);
      await expect(refused).rejects.toMatchObject({ details: { reason: 'dimensions_differ' } });
    },
  );

  it('rotates the mask before the comparison', async () => {
    const source = await image('images[0]', 10, 20);
    const mask = await image('mask', 20, 10, { channels: 4, format: 'webp', orientation: 6 });

    const verified = await verifier.verify({ ...only(source), mask }, context);

    expect(verified.mask?.orientation).toBe(6);
  });

  it('compares the mask with the first source only', async () => {
    const sources = {
      images: [await image('images[0]', 20, 10), await image('images[1]', 30, 30)],
      mask: await image('mask', 30, 30, { channels: 4 }),
      references: [],
    };

    await expect(verifier.verify(sources, context)).rejects.toMatchObject({
      details: { reason: 'dimensions_differ' },
    });
  });

  it('accepts an opaque mask because it has an alpha channel', async () => {
    const mask = await image('mask', 20, 10, { channels: 4, alpha: 1 });

    const verified = await verifier.verify(
      { ...only(await image('images[0]', 20, 10)), mask },
      context,
    );

    expect(verified.mask?.alpha).toBe('opaque');
  });

  it('crops the first image to its canvas', async () => {
    const canvas = { x: 5, y: 2, width: 10, height: 4 };
    const source = { ...(await image('images[0]', 20, 10)), canvas };

    const verified = await verifier.verify(only(source), context);

    expect(verified.images).toMatchObject([{ format: 'png', width: 10, height: 4 }]);
    expect(verified).not.toHaveProperty('mask');
  });

  it('extends the first image, and makes the new part the mask', async () => {
    const canvas = { x: -4, y: 0, width: 24, height: 10 };
    const source = { ...(await image('images[0]', 20, 10)), canvas };

    const verified = await verifier.verify(only(source), context);

    expect(verified.images).toMatchObject([{ width: 24, height: 10 }]);
    expect(verified.mask).toMatchObject({ width: 24, height: 10, alpha: 'some' });
  });

  it('compares a mask with the canvas, and keeps it', async () => {
    const canvas = { x: -4, y: 0, width: 24, height: 10 };
    const source = { ...(await image('images[0]', 20, 10)), canvas };
    const mask = await image('mask', 24, 10, { channels: 4 });

    const verified = await verifier.verify({ ...only(source), mask }, context);
    const wrong = verifier.verify(
      { ...only(source), mask: await image('mask', 20, 10, { channels: 4 }) },
      context,
    );

    expect(verified.mask?.bytes).toBe(mask.bytes);
    await expect(wrong).rejects.toMatchObject({ details: { reason: 'dimensions_differ' } });
  });

  it.each([
    [{ x: 20, y: 0, width: 9, height: 9 }, { reason: 'canvas_outside_image' }],
    [{ x: 0, y: -9, width: 9, height: 9 }, { reason: 'canvas_outside_image' }],
    [
      { x: 0, y: 0, width: 20_000, height: 20_000 },
      { reason: 'too_many_pixels', limit: 'images.max_pixels', max_pixels: 1e8 },
    ],
    [
      { x: 0, y: 0, width: 501, height: 9 },
      { reason: 'edge_too_long', limit: 'images.max_edge', max_edge: 500 },
    ],
  ])('rejects the canvas %j', async (canvas, details) => {
    const source = { ...(await image('images[0]', 20, 10)), canvas };

    await expect(verifier.verify(only(source), context)).rejects.toMatchObject({
      code: 'input',
      param: 'images[0]',
      details: { field: 'images[0].canvas', ...details },
    });
  });
});

interface Looks {
  readonly format?: 'png' | 'jpeg' | 'webp';
  readonly channels?: 3 | 4;
  readonly alpha?: number;
  readonly orientation?: number;
}

async function image(
  field: string,
  width: number,
  height: number,
  { format = 'png', channels = 3, alpha = 0.5, orientation = 1 }: Looks = {},
): Promise<InlineSource> {
  const background = { r: 200, g: 100, b: 50, alpha };
  const bytes = await sharp({ create: { width, height, channels, background } })
    .withMetadata({ orientation })
    .toFormat(format)
    .toBuffer();
  return inline(field, bytes);
}

function inline(field: string, bytes: Buffer): InlineSource {
  return { kind: 'inline', field, bytes };
}

function remote(field: string, url: string): InputSource {
  return { kind: 'remote', field, url };
}

function only(source: InputSource): InputSet<InputSource> {
  return { images: [source], references: [] };
}
