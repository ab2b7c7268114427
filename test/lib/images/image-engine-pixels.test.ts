import sharp from 'sharp';
import { afterAll, describe, expect, it } from 'vitest';
import { OUTPUT_FORMATS } from '../../../lib/contract/request/parameters.ts';
import type { Pixels, VerifiedImage } from '../../../lib/images/image.ts';
import { createImageEngine } from '../../../lib/images/image-engine.ts';
import { systemClock } from '../../../lib/platform/clock.ts';
import { slices } from '../../support/slices.ts';
import { readPhoto } from './photos.ts';
import { blocksOf, fourBlocks, fromPixels, plain, textured, turned } from './sample-images.ts';

const limits = {
  max_encoded_bytes: 32 * 1024 * 1024,
  max_edge: 16_384,
  max_pixels: 64 * 1024 * 1024,
  max_decode_ms: 10_000,
};

/** The result of each orientation for the blocks `ab` above `cd` (Exif 2.32, 4.6.4 A, tag 274). */
const TURNED = [
  [1, 'abcd'],
  [2, 'badc'],
  [3, 'dcba'],
  [4, 'cdab'],
  [5, 'acbd'],
  [6, 'cadb'],
  [7, 'dbca'],
  [8, 'bdac'],
] as const;

const signal = new AbortController().signal;
const engine = createImageEngine({ limits, clock: systemClock, slices });

afterAll(() => engine.close());

async function verified(bytes: Buffer): Promise<VerifiedImage> {
  const inspection = await engine.inspect(bytes, signal);
  if (!inspection.ok) throw new Error(inspection.fault);
  return inspection.image;
}

const firstPixel = ({ data, channels }: Pixels) => [...data.subarray(0, channels)];
const distance = (one: readonly number[], two: readonly number[]) =>
  Math.max(...one.map((value, index) => Math.abs(value - (two[index] ?? 0))));

describe('createImageEngine: decode', () => {
  it.each([3, 4] as const)('decodes the stored pixels to %i channels', async (channels) => {
    const pixels = textured(40, 30);
    const image = await verified(await fromPixels(pixels).png().toBuffer());

    const decoded = await engine.decode(image, { channels }, signal);

    const expected = channels === 3 ? fromPixels(pixels) : fromPixels(pixels).ensureAlpha();
    const data = await expected.raw().toBuffer();
    expect(decoded).toEqual({ data, width: 40, height: 30, channels });
  });

  it('converts an image of 16 bits with a colour profile to sRGB, for pixels and for every format', async () => {
    const colour = [200, 60, 40];
    const source = fromPixels(plain(16, 16, colour)).toColourspace('rgb16');
    const image = await verified(await source.withIccProfile('p3').png().toBuffer());

    const decoded = await engine.decode(image, { channels: 3 }, signal);
    const converted = OUTPUT_FORMATS.map(async (format) =>
      verified(await engine.convert(image, { format }, signal)),
    );

    expect(distance(firstPixel(decoded), colour)).toBeLessThanOrEqual(2);
    for (const one of await Promise.all(converted)) {
      const pixels = await engine.decode(one, { channels: 3 }, signal);
      expect(distance(firstPixel(pixels), colour)).toBeLessThanOrEqual(4);
    }
  });

  it.each(OUTPUT_FORMATS.flatMap((format) => TURNED.map((row) => [format, ...row] as const)))(
    'rotates a %s of orientation %i to %s',
    async (format, orientation, blocks) => {
      const stored = await fromPixels(fourBlocks()).toFormat(format).toBuffer();
      const image = await verified(turned(stored, format, orientation));

      const decoded = await engine.decode(image, { channels: 3 }, signal);

      const isSideways = orientation >= 5;
      expect(blocksOf(decoded)).toBe(blocks);
      expect([decoded.width, decoded.height]).toEqual(isSideways ? [32, 48] : [48, 32]);
    },
  );

  it.each(TURNED)('rotates orientation %i before it scales', async (orientation, blocks) => {
    const stored = await fromPixels(fourBlocks()).png().toBuffer();
    const image = await verified(turned(stored, 'png', orientation));
    const resize = { width: 20, height: 10, fit: 'fill' } as const;

    const decoded = await engine.decode(image, { channels: 3, resize }, signal);

    expect(blocksOf(decoded)).toBe(blocks);
    expect([decoded.width, decoded.height]).toEqual([20, 10]);
  });

  it.each([
    ['cover', 64, 64],
    ['cover', 5, 300],
    ['fill', 64, 64],
    ['fill', 300, 5],
  ] as const)('scales to %s exactly %i by %i', async (fit, width, height) => {
    const image = await verified(readPhoto('rocket.jpg'));

    const decoded = await engine.decode(
      image,
      { channels: 4, resize: { width, height, fit } },
      signal,
    );

    expect([decoded.width, decoded.height, decoded.data.length]).toEqual([
      width,
      height,
      width * height * 4,
    ]);
  });

  it('keeps the colours under a low alpha when it scales', async () => {
    const image = await verified(
      await fromPixels(plain(40, 30, [200, 100, 50, 128]))
        .png()
        .toBuffer(),
    );
    const resize = { width: 10, height: 10, fit: 'cover' } as const;

    const decoded = await engine.decode(image, { channels: 4, resize }, signal);

    expect(distance(firstPixel(decoded), [200, 100, 50, 128])).toBeLessThanOrEqual(1);
  });

  it('blends transparent pixels with white if three channels are requested', async () => {
    const image = await verified(
      await fromPixels(plain(4, 4, [200, 100, 50, 0]))
        .png()
        .toBuffer(),
    );

    const decoded = await engine.decode(image, { channels: 3 }, signal);

    expect(firstPixel(decoded)).toEqual([255, 255, 255]);
  });

  it.each([
    [
      'a grey PNG',
      fromPixels(plain(8, 8, [90, 90, 90]))
        .toColourspace('b-w')
        .png(),
    ],
    [
      'a 16-bit PNG',
      fromPixels(plain(8, 8, [90, 90, 90]))
        .toColourspace('rgb16')
        .png(),
    ],
    ['a palette PNG', fromPixels(plain(8, 8, [90, 90, 90])).png({ palette: true })],
    [
      'a CMYK JPEG',
      fromPixels(plain(8, 8, [90, 90, 90]))
        .toColourspace('cmyk')
        .jpeg({ quality: 100 }),
    ],
    [
      'a PNG with a wide profile',
      fromPixels(plain(8, 8, [90, 90, 90]))
        .withIccProfile('p3')
        .png(),
    ],
  ])('converts %s to 8-bit sRGB', async (_name, drawn) => {
    const image = await verified(await drawn.toBuffer());

    const decoded = await engine.decode(image, { channels: 3 }, signal);

    expect(decoded.data).toHaveLength(8 * 8 * 3);
    expect(distance(firstPixel(decoded), [90, 90, 90])).toBeLessThanOrEqual(16);
  });
});

describe('createImageEngine: encode', () => {
  it.each(OUTPUT_FORMATS)('encodes a valid %s with the same bytes every time', async (format) => {
    const pixels = textured(64, 48, 4);

    const [one, two] = await Promise.all([
      engine.encode(pixels, { format }, signal),
      engine.encode(pixels, { format }, signal),
    ]);

    expect(one.equals(two)).toBe(true);
    expect(await verified(one)).toMatchObject({ format, width: 64, height: 48 });
  });

  it('keeps every pixel in a PNG', async () => {
    const pixels = textured(64, 48, 4);

    const image = await verified(await engine.encode(pixels, { format: 'png' }, signal));

    expect(await engine.decode(image, { channels: 4 }, signal)).toEqual(pixels);
  });

  it('encodes a textured megapixel to between 1 and 3 MB', async () => {
    const { length } = await engine.encode(textured(1024, 1024), { format: 'png' }, signal);

    expect(length).toBeGreaterThan(1_000_000);
    expect(length).toBeLessThan(3_000_000);
  });

  it.each(['jpeg', 'webp'] as const)(
    'applies the compression from 0 to 100 to a %s',
    async (format) => {
      const pixels = textured(64, 48);
      const sizeAt = async (compression: number) =>
        (await engine.encode(pixels, { format, compression }, signal)).length;

      const sizes = await Promise.all([0, 50, 100].map(sizeAt));

      expect(sizes).toEqual(sizes.toSorted((one, two) => one - two));
      expect(new Set(sizes).size).toBe(3);
    },
  );

  it('blends transparent pixels with white in a JPEG', async () => {
    const bytes = await engine.encode(plain(8, 8, [0, 0, 0, 0]), { format: 'jpeg' }, signal);

    const decoded = await engine.decode(await verified(bytes), { channels: 3 }, signal);
    expect(firstPixel(decoded)).toEqual([255, 255, 255]);
  });

  it('fails with internal if the number of pixels does not match the dimensions', async () => {
    const pixels = { ...textured(8, 8), width: 9 };

    const encoding = engine.encode(pixels, { format: 'png' }, signal);

    await expect(encoding).rejects.toMatchObject({ code: 'internal' });
  });
});

describe('createImageEngine: convert', () => {
  it.each(OUTPUT_FORMATS.flatMap((from) => OUTPUT_FORMATS.map((to) => [from, to] as const)))(
    'converts a %s to a %s',
    async (from, to) => {
      const image = await verified(await fromPixels(fourBlocks()).toFormat(from).toBuffer());

      const converted = await verified(await engine.convert(image, { format: to }, signal));

      const decoded = await engine.decode(converted, { channels: 3 }, signal);
      expect(converted).toMatchObject({ format: to, width: 48, height: 32, orientation: 1 });
      expect(blocksOf(decoded)).toBe('abcd');
    },
  );

  it('rotates the pixels, because EXIF is removed', async () => {
    const stored = await fromPixels(fourBlocks()).jpeg().toBuffer();
    const image = await verified(turned(stored, 'jpeg', 6));

    const converted = await verified(await engine.convert(image, { format: 'png' }, signal));

    const decoded = await engine.decode(converted, { channels: 3 }, signal);
    expect(converted).toMatchObject({ width: 32, height: 48, orientation: 1 });
    expect(blocksOf(decoded)).toBe('cadb');
  });

  it('keeps alpha in WebP and blends transparent pixels with white in JPEG', async () => {
    const image = await verified(
      await fromPixels(plain(8, 8, [9, 9, 9, 0]))
        .png()
        .toBuffer(),
    );

    const inWebp = await verified(await engine.convert(image, { format: 'webp' }, signal));
    const inJpeg = await verified(await engine.convert(image, { format: 'jpeg' }, signal));

    const decoded = await engine.decode(inJpeg, { channels: 3 }, signal);
    expect([inWebp.alpha, inJpeg.alpha]).toEqual(['empty', 'none']);
    expect(firstPixel(decoded)).toEqual([255, 255, 255]);
  });

  it.each([
    ['a CMYK JPEG', fromPixels(textured(8, 8)).toColourspace('cmyk').jpeg()],
    ['a 16-bit PNG', fromPixels(textured(8, 8)).toColourspace('rgb16').png()],
  ])('converts to an 8-bit sRGB PNG %s', async (_name, drawn) => {
    const image = await verified(await drawn.toBuffer());

    const converted = await engine.convert(image, { format: 'png' }, signal);

    expect(await sharp(converted).metadata()).toMatchObject({ space: 'srgb', depth: 'uchar' });
  });
});
