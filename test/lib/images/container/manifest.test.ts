import { describe, expect, test } from 'vitest';
import type { OutputFormat } from '../../../../lib/contract/request/parameters.ts';
import { CONTAINERS } from '../../../../lib/images/container/containers.ts';
import { slices } from '../../../support/slices.ts';
import { fiftyImages } from '../fifty-images.ts';
import { frame, jpeg, scan, segment } from './jpeg-bytes.ts';
import { boxSegment, manifestBox } from './manifest-bytes.ts';
import { chunk, END, header, PIXELS, png } from './png-bytes.ts';
import { lossless, riffChunk, webp } from './webp-bytes.ts';

const { signal } = new AbortController();
const find = (bytes: Buffer, format: OutputFormat) =>
  slices.run(CONTAINERS[format].findManifests(bytes), signal);
const sizeIn = async (bytes: Buffer, format: OutputFormat) =>
  (await find(bytes, format))?.reduce((sum, { start, end }) => sum + end - start, 0);

const storeIn = async (bytes: Buffer, format: OutputFormat) => {
  const spans = (await find(bytes, format)) ?? [];
  return slices.run(CONTAINERS[format].manifestStore(bytes, spans), signal);
};

const BOX = manifestBox();
const OTHER = manifestBox('6a70656700110010800000aa00389b71');
const MORE = Buffer.from('\0\0\0\x21jumbmore', 'latin1');
/** The same box with lengths of 8 bytes in both headers. */
const LONG = Buffer.concat([
  Buffer.from('\0\0\0\x01jumb\0\0\0\0\0\0\0\x31', 'latin1'),
  Buffer.from('\0\0\0\x01jumd\0\0\0\0\0\0\0\x21', 'latin1'),
  BOX.subarray(16),
]);

const around = { png: 12, webp: 8 };

describe('findManifests', () => {
  test.each<[string, OutputFormat, Buffer, number]>([
    [
      'caBX before the pixels',
      'png',
      png(header(), chunk('caBX', BOX), PIXELS, END),
      33 + around.png,
    ],
    [
      'caBX behind the pixels',
      'png',
      png(header(), PIXELS, chunk('caBX', BOX), END),
      33 + around.png,
    ],
    [
      'caBX with long lengths',
      'png',
      png(header(), chunk('caBX', LONG), PIXELS, END),
      49 + around.png,
    ],
    ['caBX of another type', 'png', png(header(), chunk('caBX', OTHER), PIXELS, END), 0],
    ['an empty caBX', 'png', png(header(), chunk('caBX'), PIXELS, END), 0],
    ['caBX in a text', 'png', png(header(), chunk('tEXt', Buffer.from('caBX')), PIXELS, END), 0],
    ['a segment', 'jpeg', jpeg(boxSegment(BOX), frame(), scan()), 45],
    ['a segment without `JP`', 'jpeg', jpeg(boxSegment(BOX, 1, 1, 'XX'), frame(), scan()), 45],
    ['a segment with sequence 7', 'jpeg', jpeg(boxSegment(BOX, 1, 7), frame(), scan()), 45],
    [
      'two segments of one box around a comment',
      'jpeg',
      jpeg(boxSegment(BOX, 3), segment(0xfe, BOX), boxSegment(MORE, 3, 2), frame(), scan()),
      45 + 24,
    ],
    [
      'a segment of another box',
      'jpeg',
      jpeg(boxSegment(OTHER, 2), boxSegment(BOX), boxSegment(MORE, 2, 2), frame(), scan()),
      45,
    ],
    ['a box of another type', 'jpeg', jpeg(boxSegment(OTHER), frame(), scan()), 0],
    ['APP11 without a box', 'jpeg', jpeg(segment(0xeb, Buffer.from('JP')), frame(), scan()), 0],
    ['a box in another segment', 'jpeg', jpeg(segment(0xea, boxSegment(BOX)), frame(), scan()), 0],
    [
      'C2PA behind the frame',
      'webp',
      webp(lossless(2, 2), riffChunk('C2PA', BOX)),
      34 + around.webp,
    ],
    ['C2PA of another type', 'webp', webp(lossless(2, 2), riffChunk('C2PA', OTHER)), 0],
    ['no chunk but the frame', 'webp', webp(lossless(2, 2)), 0],
  ])(
    'measures the manifests in a file with %s, in the format %s',
    async (_, format, bytes, size) => {
      expect(await sizeIn(bytes, format)).toBe(size);
    },
  );

  test('counts adjacent segments as one part', async () => {
    const parts = Array.from({ length: 300 }, (_, index) => boxSegment(MORE, 1, index + 2));
    const bytes = jpeg(boxSegment(BOX), ...parts, frame(), scan());

    expect(await find(bytes, 'jpeg')).toHaveLength(1);
  });

  test('gives up if the manifests have very many parts', async () => {
    const apart = Array.from({ length: 5000 }, (_, index) =>
      Buffer.concat([boxSegment(MORE, 1, index + 2), segment(0xfe, Buffer.alloc(1))]),
    );
    const bytes = jpeg(boxSegment(BOX), ...apart, frame(), scan());

    expect(await find(bytes, 'jpeg')).toBeUndefined();
  });

  test('finds no manifest in ordinary images', async () => {
    const images = await fiftyImages();

    const sizes = await Promise.all(images.map(({ bytes, format }) => sizeIn(bytes, format)));

    expect(new Set(sizes)).toEqual(new Set([0]));
  });

  test('finds no manifest in a truncated image, and ends', async () => {
    const whole = png(header(), chunk('caBX', BOX), PIXELS, END);

    expect(await find(whole.subarray(0, 90), 'png')).toEqual([]);
  });
});

describe('manifestStore', () => {
  const [first, second] = [BOX.subarray(0, 32), BOX.subarray(32)];
  const again = Buffer.concat([BOX.subarray(0, 8), second]);
  const longAgain = Buffer.concat([LONG.subarray(0, 16), LONG.subarray(48)]);

  test.each<[string, OutputFormat, Buffer, Buffer | undefined]>([
    ['a chunk', 'png', png(header(), chunk('caBX', BOX), PIXELS, END), BOX],
    ['a chunk', 'webp', webp(lossless(2, 2), riffChunk('C2PA', BOX)), BOX],
    ['a segment', 'jpeg', jpeg(boxSegment(BOX), frame(), scan()), BOX],
    [
      'two segments, each with the header of the box',
      'jpeg',
      jpeg(boxSegment(first, 3), segment(0xfe, BOX), boxSegment(again, 3, 2), frame(), scan()),
      BOX,
    ],
    [
      'two segments, each with a long header',
      'jpeg',
      jpeg(boxSegment(LONG.subarray(0, 48)), boxSegment(longAgain, 1, 2), frame(), scan()),
      LONG,
    ],
    [
      'two chunks',
      'png',
      png(header(), chunk('caBX', BOX), chunk('caBX', BOX), PIXELS, END),
      undefined,
    ],
    [
      'two chunks apart',
      'png',
      png(header(), chunk('caBX', BOX), PIXELS, chunk('caBX', BOX), END),
      undefined,
    ],
    [
      'two chunks',
      'webp',
      webp(lossless(2, 2), riffChunk('C2PA', BOX), riffChunk('C2PA', BOX)),
      undefined,
    ],
    ['two boxes', 'jpeg', jpeg(boxSegment(BOX), boxSegment(BOX, 2), frame(), scan()), undefined],
    ['no manifest', 'jpeg', jpeg(frame(), scan()), undefined],
  ])('returns the one box in %s of a %s', async (_, format, bytes, store) => {
    expect(await storeIn(bytes, format)).toEqual(store);
  });
});
