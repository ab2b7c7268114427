import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { afterAll, describe, expect, it } from 'vitest';
import { inParts } from '../../../lib/images/image.ts';
import { createImageEngine } from '../../../lib/images/image-engine.ts';
import { systemClock } from '../../../lib/platform/clock.ts';
import { slices } from '../../support/slices.ts';
import { frame, insertAfterSoi, multiImage, scan, segment } from './container/jpeg-bytes.ts';
import {
  chunk,
  compressed,
  END,
  header,
  insertAfterHeader,
  PIXELS,
  png,
} from './container/png-bytes.ts';
import { chunksOf, lossless, webp } from './container/webp-bytes.ts';
import { joined } from './joined.ts';
import { readPhoto } from './photos.ts';
import { fromPixels, plain, textured, turned } from './sample-images.ts';

const limits = {
  max_encoded_bytes: 32 * 1024 * 1024,
  max_edge: 16_384,
  max_pixels: 64 * 1024 * 1024,
  max_decode_ms: 10_000,
};

const signal = new AbortController().signal;
const engine = createImageEngine({ limits, clock: systemClock, slices });
const inspect = (bytes: Buffer) => engine.inspect(bytes, signal);
const coffee = readPhoto('coffee.png');
const rocket = readPhoto('rocket.jpg');
const rocketWebp = await sharp(rocket).webp().toBuffer();

afterAll(() => engine.close());

describe('createImageEngine: inspect', () => {
  it.each([
    ['png', coffee, 600, 400],
    ['jpeg', rocket, 640, 427],
    ['webp', rocketWebp, 640, 427],
  ])('verifies a %s', async (format, bytes, width, height) => {
    const inspection = await inspect(bytes);

    const sha256 = createHash('sha256').update(bytes).digest('hex');
    expect(inspection).toEqual({
      ok: true,
      image: { bytes, format, width, height, orientation: 1, alpha: 'none', sha256 },
    });
  });

  it.each([
    ['a valid image', coffee],
    ['an image that is cut off', coffee.subarray(0, -1)],
    ['another kind of file', Buffer.from('<svg/>')],
  ])('checks %s without its checksum, which can be added', async (_name, bytes) => {
    const inspection = await inspect(bytes);

    const checked = await engine.check(bytes, signal);

    if (checked.ok) {
      expect(checked.image).not.toHaveProperty('sha256');
      const image = await engine.withChecksum(inParts(checked.image), signal);
      expect({ ok: true, image: joined(image) }).toEqual(inspection);
    } else expect(checked).toEqual(inspection);
  });

  it.each([
    ['a valid image', coffee],
    ['an image that is cut off', coffee.subarray(0, -1)],
    ['an image without all of its pixels', png(header({ height: 100 }), PIXELS, END)],
  ])('marks %s, or returns the fault of an invalid image', async (_name, bytes) => {
    const sourceType = 'http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia';
    const checked = await engine.check(bytes, signal);

    const inspection = await engine.checkAndMark(bytes, sourceType, signal);

    if (!checked.ok) expect(inspection).toEqual(checked);
    else {
      const written = await engine.writeXmp(inParts(checked.image), { sourceType }, signal);
      const image = typeof written === 'string' ? expect.fail(written) : written;
      const marked = await engine.withChecksum(image, signal);
      expect(inspection).toEqual({ ...checked, marked });
    }
  });

  it('accepts an image that has a mark without another mark', async () => {
    const first = await engine.checkAndMark(coffee, 'a source', signal);
    const { bytes } = first.ok && first.marked ? joined(first.marked) : expect.fail('not marked');

    const second = await engine.checkAndMark(bytes, 'another source', signal);

    expect(second).toMatchObject({ ok: true, image: { bytes }, marked: undefined });
  });

  it('accepts an image whose marked copy would be longer than the limit', async () => {
    const exact = { ...limits, max_encoded_bytes: coffee.length };
    const limited = createImageEngine({ limits: exact, clock: systemClock, slices });

    const inspection = await limited.checkAndMark(coffee, 'a source', signal);

    expect(inspection).toMatchObject({ ok: true, image: { bytes: coffee }, marked: undefined });
    await limited.close();
  });

  it.each([
    ['a palette PNG', fromPixels(textured(40, 30)).png({ palette: true, colours: 16 })],
    [
      'a palette PNG of one bit',
      fromPixels(plain(40, 30, [9, 9, 9])).png({ palette: true, colours: 2 }),
    ],
    ['an interlaced PNG', fromPixels(textured(40, 30)).png({ progressive: true })],
    ['a grey PNG', fromPixels(textured(40, 30)).toColourspace('b-w').png()],
    ['a 16-bit PNG', fromPixels(textured(40, 30)).toColourspace('rgb16').png()],
    ['a 16-bit grey PNG', fromPixels(textured(40, 30)).toColourspace('grey16').png()],
    ['a PNG with a profile', fromPixels(textured(40, 30)).withIccProfile('p3').png()],
    ['a progressive JPEG', fromPixels(textured(40, 30)).jpeg({ progressive: true })],
    ['a grey JPEG', fromPixels(textured(40, 30)).toColourspace('b-w').jpeg()],
    ['a CMYK JPEG', fromPixels(textured(40, 30)).toColourspace('cmyk').jpeg()],
    ['a JPEG with a profile', fromPixels(textured(40, 30)).withIccProfile('p3').jpeg()],
    ['a lossless WebP', fromPixels(textured(40, 30)).webp({ lossless: true })],
    ['a WebP with a profile', fromPixels(textured(40, 30)).withIccProfile('p3').webp()],
  ])('accepts %s', async (_name, image) => {
    const inspection = await inspect(await image.toBuffer());

    expect(inspection).toMatchObject({ ok: true, image: { width: 40, height: 30, alpha: 'none' } });
  });

  it.each([
    ['a profile that is junk', insertAfterHeader(coffee, compressed('iCCP', Buffer.alloc(900, 7)))],
    ['an EXIF block that is junk', insertAfterHeader(coffee, chunk('eXIf', Buffer.from('junk')))],
    [
      'a transparent colour that is junk',
      insertAfterHeader(coffee, chunk('tRNS', Buffer.alloc(1))),
    ],
    ['a gamma that is junk', insertAfterHeader(coffee, chunk('gAMA', Buffer.alloc(1)))],
    ['4 MiB of text', insertAfterHeader(coffee, compressed('zTXt', Buffer.alloc(4 * 1024 * 1024)))],
    [
      'a JPEG profile that is junk',
      insertAfterSoi(rocket, segment(0xe2, Buffer.from('ICC_PROFILE\0\x01\x01junk'))),
    ],
    ['a further image announced by MPF', multiImage(rocket, [readPhoto('hubble_deep_field.jpg')])],
  ])('accepts an image with %s', async (_name, bytes) => {
    expect(await inspect(bytes)).toMatchObject({ ok: true });
  });

  it.each(['png', 'jpeg', 'webp'] as const)(
    'returns the stored dimensions and the orientation of a rotated %s',
    async (format) => {
      const bytes = turned(
        await fromPixels(plain(48, 32, [9, 9, 9]))
          .toFormat(format)
          .toBuffer(),
        format,
        6,
      );

      const inspection = await inspect(bytes);

      expect(inspection).toMatchObject({
        ok: true,
        image: { width: 48, height: 32, orientation: 6 },
      });
    },
  );

  it.each([
    ['opaque', 'png', [1, 2, 3, 255]],
    ['some', 'png', [1, 2, 3, 254]],
    ['some', 'png', [1, 2, 3, 1]],
    ['empty', 'png', [1, 2, 3, 0]],
    ['some', 'webp', [1, 2, 3, 99]],
    ['empty', 'webp', [1, 2, 3, 0]],
    ['none', 'png', [1, 2, 3]],
    ['none', 'webp', [1, 2, 3]],
    ['none', 'jpeg', [1, 2, 3]],
  ] as const)('finds alpha %s in a %s of %j', async (alpha, format, colour) => {
    const bytes = await fromPixels(plain(40, 30, colour))
      .toFormat(format)
      .toBuffer();

    expect(await inspect(bytes)).toMatchObject({ ok: true, image: { alpha } });
  });

  it('checks the alpha of every pixel', async () => {
    const pixels = plain(40, 30, [1, 2, 3, 255]);
    pixels.data[pixels.data.length - 1] = 254;

    const inspection = await inspect(await fromPixels(pixels).png().toBuffer());

    expect(inspection).toMatchObject({ image: { alpha: 'some' } });
  });

  it.each([
    ['opaque', [255, 255]],
    ['some', [255, 0]],
    ['empty', [0, 0]],
  ])('returns alpha %s for a palette', async (alpha, values) => {
    const bytes = png(
      header({ width: 8, height: 1, bitDepth: 1, colourType: 3 }),
      chunk('PLTE', Buffer.alloc(6, 50)),
      chunk('tRNS', Buffer.from(values)),
      chunk('IDAT', deflateSync(Buffer.from([0, 0b0101_0101]))),
      END,
    );

    expect(await inspect(bytes)).toMatchObject({ ok: true, image: { alpha } });
  });

  it.each([
    ['opaque', 4, 8, [9, 255, 9, 255]],
    ['some', 4, 8, [9, 255, 9, 7]],
    ['empty', 4, 8, [9, 0, 9, 0]],
    ['opaque', 4, 16, [9, 9, 255, 255, 9, 9, 255, 255]],
    ['some', 4, 16, [9, 9, 255, 255, 9, 9, 254, 255]],
    ['opaque', 6, 16, [9, 9, 9, 9, 9, 9, 255, 255, 9, 9, 9, 9, 9, 9, 255, 255]],
    ['empty', 6, 16, [9, 9, 9, 9, 9, 9, 0, 0, 9, 9, 9, 9, 9, 9, 0, 0]],
  ])('returns alpha %s for colour type %i of %i bits', async (alpha, colourType, bitDepth, row) => {
    const bytes = png(
      header({ width: 2, height: 1, bitDepth, colourType }),
      chunk('IDAT', deflateSync(Buffer.from([0, ...row]))),
      END,
    );

    expect(await inspect(bytes)).toMatchObject({ ok: true, image: { alpha } });
  });

  it.each([
    ['one byte short', coffee.subarray(0, -1), rocket.subarray(0, -1), rocketWebp.subarray(0, -1)],
    ['half', halfOf(coffee), halfOf(rocket), halfOf(rocketWebp)],
  ])('returns truncated for an image that is %s', async (_name, ...cuts) => {
    const inspections = await Promise.all(cuts.map(inspect));

    expect(inspections).toEqual(cuts.map(() => ({ ok: false, fault: 'truncated' })));
  });

  it('rejects bytes after the end', async () => {
    const longer = [coffee, rocket, rocketWebp].map((each) =>
      Buffer.concat([each, Buffer.alloc(1)]),
    );

    const inspections = await Promise.all(longer.map(inspect));

    expect(inspections).toEqual(longer.map(() => ({ ok: false, fault: 'trailing_bytes' })));
  });

  it.each([
    ['a flipped bit in the signature', 0, 'unsupported_format'],
    ['a flipped bit in the header', 18, 'corrupt'],
    ['a flipped bit in the CRC of the header', 30, 'corrupt'],
    ['a flipped bit in the pixels', coffee.length / 2, 'corrupt'],
    ['a flipped bit in the type of the last chunk', coffee.length - 6, 'corrupt'],
    ['a flipped bit in the last CRC', coffee.length - 1, 'corrupt'],
  ])('rejects a PNG with %s', async (_name, at, fault) => {
    const flipped = Buffer.from(coffee);
    flipped.writeUInt8(flipped.readUInt8(at) ^ 1, at);

    expect(await inspect(flipped)).toEqual({ ok: false, fault });
  });

  it.each([
    ['a PNG of which rows are missing', pngOf(deflateSync(Buffer.alloc(7)))],
    ['a PNG whose pixels are no zlib', pngOf(Buffer.from('junkjunkjunk'))],
    ['a PNG with an unknown row filter', pngOf(deflateSync(Buffer.alloc(14, 9)))],
    ['a PNG whose text is no deflate', insertAfterHeader(coffee, brokenText())],
    [
      'a JPEG that ends in the middle of a row',
      Buffer.concat([halfOf(rocket), rocket.subarray(-2)]),
    ],
    [
      'a JPEG without tables',
      Buffer.concat([rocket.subarray(0, 2), frame(), scan(), rocket.subarray(-2)]),
    ],
    ['a WebP with an empty frame', webp(lossless(40, 30))],
    ['a WebP whose frame is junk', junkFrame()],
  ])('returns corrupt for %s', async (_name, bytes) => {
    expect(await inspect(bytes)).toEqual({ ok: false, fault: 'corrupt' });
  });

  it.each([
    [
      'chunk_too_large',
      insertAfterHeader(coffee, compressed('zTXt', Buffer.alloc(5 * 1024 * 1024))),
    ],
    [
      'chunk_too_large',
      insertAfterHeader(coffee, compressed('iCCP', Buffer.alloc(5 * 1024 * 1024))),
    ],
    ['animated', insertAfterHeader(coffee, chunk('acTL', Buffer.from([0, 0, 0, 1, 0, 0, 0, 0])))],
    ['edge_too_long', png(header({ width: 100_000, height: 100_000 }), chunk('IDAT'), END)],
    ['too_many_pixels', png(header({ width: 16_000, height: 16_000 }), chunk('IDAT'), END)],
    ['too_many_bytes', Buffer.alloc(limits.max_encoded_bytes + 1)],
  ])('returns %s', async (fault, bytes) => {
    expect(await inspect(bytes)).toEqual({ ok: false, fault });
  });

  it('rejects an animated WebP', async () => {
    const { data, width, height } = textured(8, 16, 4);
    const bytes = await sharp(data, { raw: { width, height, channels: 4, pageHeight: 8 } })
      .webp({ loop: 0, delay: [100, 100] })
      .toBuffer();

    expect(chunksOf(bytes).map((each) => each.type)).toContain('ANMF');
    expect(await inspect(bytes)).toEqual({ ok: false, fault: 'animated' });
  });

  it.each([
    ['a GIF', () => fromPixels(textured(8, 8)).gif().toBuffer()],
    ['a TIFF', () => fromPixels(textured(8, 8)).tiff().toBuffer()],
    ['an AVIF', () => fromPixels(textured(8, 8)).avif().toBuffer()],
    [
      'an SVG',
      async () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>'),
    ],
    [
      'a PDF',
      async () =>
        Buffer.from('%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF'),
    ],
    ['nothing', async () => Buffer.alloc(0)],
    ['a letter', async () => Buffer.from('a')],
  ])('rejects %s as an unsupported format', async (_name, make) => {
    expect(await inspect(await make())).toEqual({ ok: false, fault: 'unsupported_format' });
  });

  it.each(['gif', 'tiff', 'avif'] as const)('disables the loader of %s', async (format) => {
    const bytes = await fromPixels(textured(8, 8)).toFormat(format).toBuffer();
    await inspect(coffee);

    await expect(sharp(bytes).raw().toBuffer()).rejects.toThrow('unsupported image format');
  });

  it('disables the loader of SVG', async () => {
    const bytes = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>');
    await inspect(coffee);

    await expect(sharp(bytes).raw().toBuffer()).rejects.toThrow('unsupported image format');
  });

  it('abandons a decode that takes longer than the limit', async () => {
    const hasty = createImageEngine({
      limits,
      clock: {
        ...systemClock,
        after(_delayMs, run) {
          run();
          return () => {};
        },
      },
      slices,
    });

    const inspection = await hasty.inspect(coffee, signal);
    await hasty.close();

    expect(inspection).toEqual({ ok: false, fault: 'decode_timeout' });
  });
});

function halfOf(bytes: Buffer): Buffer {
  return bytes.subarray(0, bytes.length / 2);
}

/** A PNG whose header states two rows of two pixels, with any pixel stream. */
function pngOf(stream: Buffer): Buffer {
  return png(header(), chunk('IDAT', stream), END);
}

function brokenText(): Buffer {
  const stream = Buffer.concat([Buffer.from([0x78, 0x9c]), Buffer.alloc(20, 0xff)]);
  return chunk('zTXt', Buffer.concat([Buffer.from('key\0\0', 'latin1'), stream]));
}

/** A frame with a valid header and invalid data. */
function junkFrame(): Buffer {
  const bytes = Buffer.from(rocketWebp);
  return bytes.fill(0xff, 30);
}
