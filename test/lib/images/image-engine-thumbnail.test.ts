import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import type { Sharp } from 'sharp';
import sharp from 'sharp';
import { afterAll, describe, expect, it } from 'vitest';
import { OUTPUT_FORMATS } from '../../../lib/contract/request/parameters.ts';
import type { VerifiedImage } from '../../../lib/images/image.ts';
import { createImageEngine } from '../../../lib/images/image-engine.ts';
import { systemClock } from '../../../lib/platform/clock.ts';
import { slices } from '../../support/slices.ts';
import { chunk, END, header, PIXELS, png } from './container/png-bytes.ts';
import { readPhoto } from './photos.ts';
import { blocksOf, fourBlocks, fromPixels, plain, textured, turned } from './sample-images.ts';

const limits = {
  max_encoded_bytes: 4 * 1024 * 1024,
  max_edge: 4096,
  max_pixels: 4 * 1024 * 1024,
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

async function thumbnail(bytes: Buffer, edgePx: number): Promise<VerifiedImage> {
  const outcome = await engine.thumbnail(bytes, edgePx, signal);
  if (!outcome.ok) throw new Error(outcome.fault);
  return outcome.image;
}

const pixels = ({ bytes }: { readonly bytes: Buffer }) => sharp(bytes).raw().toBuffer();

/** Returns the distance of the first pixel from a colour. */
const distance = (data: Buffer, colour: readonly number[]) =>
  Math.max(...colour.map((value, at) => Math.abs(value - (data[at] ?? 0))));

async function farthest(one: Promise<Buffer>, two: Promise<Buffer>): Promise<number> {
  const [first, second] = await Promise.all([one, two]);
  expect(first.length).toBe(second.length);
  return first.reduce((most, value, at) => Math.max(most, Math.abs(value - (second[at] ?? 0))), 0);
}

describe('createImageEngine: thumbnail', () => {
  it.each([
    [600, 400, 320, 320, 213],
    [400, 600, 320, 213, 320],
    [600, 600, 32, 32, 32],
    [2000, 1, 32, 32, 1],
    [1, 2000, 32, 1, 32],
  ])(
    'scales %i by %i into a square of %i to %i by %i',
    async (width, height, edge, toWidth, toHeight) => {
      const bytes = await fromPixels(textured(width, height)).png().toBuffer();

      const image = await thumbnail(bytes, edge);

      expect(image).toMatchObject({ format: 'png', width: toWidth, height: toHeight });
    },
  );

  it.each(OUTPUT_FORMATS)('never enlarges a %s, and converts it to PNG', async (format) => {
    const bytes = await fromPixels(textured(40, 30)).toFormat(format).toBuffer();

    const image = await thumbnail(bytes, 320);

    expect(image).toMatchObject({ format: 'png', width: 40, height: 30 });
  });

  it('returns the checksums of the image and of the thumbnail', async () => {
    const bytes = readPhoto('rocket.jpg');

    const outcome = await engine.thumbnail(bytes, 100, signal);

    const sha256 = (of: Buffer) => createHash('sha256').update(of).digest('hex');
    expect(outcome).toMatchObject({ ok: true, sha256: sha256(bytes) });
    expect(outcome.ok && outcome.image.sha256 === sha256(outcome.image.bytes)).toBe(true);
  });

  it('returns the same bytes every time', async () => {
    const bytes = readPhoto('rocket.jpg');

    const [one, two] = await Promise.all([thumbnail(bytes, 100), thumbnail(bytes, 100)]);

    expect(one.bytes.equals(two.bytes)).toBe(true);
  });

  it.each(OUTPUT_FORMATS.flatMap((format) => TURNED.map((row) => [format, ...row] as const)))(
    'rotates a %s of orientation %i to %s',
    async (format, orientation, blocks) => {
      const stored = await fromPixels(fourBlocks()).toFormat(format).toBuffer();

      const image = await thumbnail(turned(stored, format, orientation), 32);

      const { data, info } = await sharp(image.bytes).raw().toBuffer({ resolveWithObject: true });
      expect(blocksOf({ ...info, data, channels: 3 })).toBe(blocks);
      expect([info.width, info.height]).toEqual(orientation >= 5 ? [21, 32] : [32, 21]);
      expect(image.orientation).toBe(1);
    },
  );

  it.each(['astronaut.png', 'rocket.jpg'] as const)(
    'scales %s in the same way as sharp scales all of its pixels',
    async (name) => {
      const { data, info } = await sharp(readPhoto(name))
        .raw()
        .toBuffer({ resolveWithObject: true });
      const scaled = sharp(data, { raw: info }).resize(128, 128, { fit: 'inside' });

      const image = await thumbnail(readPhoto(name), 128);

      expect(await farthest(pixels(image), scaled.raw().toBuffer())).toBeLessThanOrEqual(1);
    },
  );

  // Each image contains, in its own colour space, the colours that `smooth` has in sRGB.
  const coloured: readonly (readonly [string, (source: Sharp) => Sharp, number])[] = [
    ['a PNG in Display P3', (source) => source.withIccProfile('p3').png(), 2],
    ['a JPEG in Display P3', (source) => source.withIccProfile('p3').jpeg({ quality: 100 }), 8],
    ['a WebP in Display P3', (source) => source.withIccProfile('p3').webp({ lossless: true }), 2],
    ['a PNG of 16 bits', (source) => source.toColourspace('rgb16').png(), 2],
    [
      'a PNG of 16 bits in Display P3',
      (source) => source.toColourspace('rgb16').withIccProfile('p3').png(),
      2,
    ],
  ];

  it.each(coloured)('converts %s to sRGB', async (_, store, rounding) => {
    const source = smooth();
    const stored = await store(fromPixels(source)).toBuffer();

    const image = await thumbnail(stored, 64);

    const { icc, space, depth } = await sharp(image.bytes).metadata();
    expect([icc, space, depth]).toEqual([undefined, 'srgb', 'uchar']);
    const expected = fromPixels(source).resize(64, 64, { fit: 'inside' }).raw().toBuffer();
    expect(await farthest(pixels(image), expected)).toBeLessThanOrEqual(rounding);
  });

  it('applies the colour profile, which changes the colours', async () => {
    const stored = await fromPixels(smooth()).withIccProfile('p3').png().toBuffer();
    const asStored = sharp(stored, { ignoreIcc: true }).resize(64, 64, { fit: 'inside' });

    const image = await thumbnail(stored, 64);

    expect(await farthest(pixels(image), asStored.raw().toBuffer())).toBeGreaterThan(10);
  });

  it('keeps the alpha of a PNG of 16 bits with a profile', async () => {
    const source = fromPixels(plain(40, 40, [200, 100, 50, 128]));
    const stored = source.toColourspace('rgb16').withIccProfile('p3').png();

    const image = await thumbnail(await stored.toBuffer(), 32);

    expect(image.alpha).toBe('some');
    expect(distance(await pixels(image), [200, 100, 50, 128])).toBeLessThanOrEqual(3);
  });

  it.each(['png', 'webp'] as const)('keeps the alpha of a %s', async (format) => {
    const stored = await fromPixels(plain(64, 64, [200, 100, 50, 128]))
      .toFormat(format, { lossless: true })
      .toBuffer();

    const image = await thumbnail(stored, 32);

    expect(image.alpha).toBe('some');
    expect(distance(await pixels(image), [200, 100, 50, 128])).toBeLessThanOrEqual(1);
  });

  it('removes all metadata', async () => {
    const stored = await fromPixels(textured(64, 64))
      .withExif({ IFD0: { ImageDescription: 'a secret' } })
      .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/"/>')
      .png()
      .toBuffer();

    const { exif, xmp } = await sharp((await thumbnail(stored, 32)).bytes).metadata();

    expect([exif, xmp]).toEqual([undefined, undefined]);
  });

  it('may be longer than the limit for received images', async () => {
    const bytes = await fromPixels(textured(256, 256)).jpeg({ quality: 10 }).toBuffer();
    const strict = createImageEngine({
      limits: { ...limits, max_encoded_bytes: bytes.length },
      clock: systemClock,
      slices,
    });

    const outcome = await strict.thumbnail(bytes, 256, signal);

    expect(outcome.ok && outcome.image.bytes.length > bytes.length).toBe(true);
    await strict.close();
  });

  it.each([
    ['no image', Buffer.from('no image'), 'unsupported_format'],
    ['a PNG without its end', png(header(), PIXELS), 'truncated'],
    ['more after its end', png(header(), PIXELS, END, Buffer.from('more')), 'trailing_bytes'],
    ['pixels that are not there', png(header({ height: 100 }), PIXELS, END), 'corrupt'],
    ['an animation', png(header(), chunk('acTL', Buffer.alloc(8)), PIXELS, END), 'animated'],
    [
      'a header of far more pixels',
      png(header({ width: 4096, height: 4096 }), PIXELS, END),
      'too_many_pixels',
    ],
  ])('rejects %s', async (_, bytes, fault) => {
    expect(await engine.thumbnail(bytes, 320, signal)).toEqual({ ok: false, fault });
  });

  const MISSING = Array.from({ length: 16 }, (_, index) => 2 ** index);

  it.each(MISSING)(
    'detects that the last %i bytes of the pixels of a PNG are missing',
    async (count) => {
      const [width, height] = [150, 201];
      const rows = Buffer.alloc(height * (1 + width * 3));
      const stored = deflateSync(rows.subarray(0, rows.length - count), { level: 0 });
      const bytes = png(header({ width, height }), chunk('IDAT', stored), END);

      const outcome = await engine.thumbnail(bytes, 32, signal);

      expect(outcome).toEqual({ ok: false, fault: 'corrupt' });
    },
  );

  it.each(MISSING)(
    'detects that the last %i bytes of the pixels of a JPEG are missing',
    async (count) => {
      const whole = await fromPixels(textured(803, 611)).jpeg({ quality: 95 }).toBuffer();
      const end = whole.subarray(-2);
      const bytes = Buffer.concat([whole.subarray(0, -2 - 16 - count), end]);

      const outcome = await engine.thumbnail(bytes, 32, signal);

      expect(outcome).toEqual({ ok: false, fault: 'corrupt' });
    },
  );

  it('rejects with the reason of the signal', async () => {
    const client = new AbortController();

    const making = engine.thumbnail(readPhoto('rocket.jpg'), 320, client.signal);
    client.abort(new Error('the client disconnected'));

    await expect(making).rejects.toThrow('the client disconnected');
  });
});

/** A smooth gradient of colours that both colour spaces contain. */
function smooth() {
  const image = textured(128, 96);
  for (let at = 0; at < image.data.length; at += 1) {
    const pixel = Math.floor(at / 3);
    const part = at % 3 === 0 ? (pixel % 128) / 128 : Math.floor(pixel / 128) / 96;
    image.data[at] = 40 + part * 180;
  }
  return image;
}
