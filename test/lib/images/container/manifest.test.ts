import { describe, expect, test } from 'vitest';
import type { OutputFormat } from '../../../../lib/contract/request/parameters.ts';
import { CONTAINERS } from '../../../../lib/images/container/containers.ts';
import { slices } from '../../../support/slices.ts';
import { fiftyImages } from '../fifty-images.ts';
import { frame, jpeg, scan, segment } from './jpeg-bytes.ts';
import { chunk, END, header, PIXELS, png } from './png-bytes.ts';
import { lossless, riffChunk, webp } from './webp-bytes.ts';

const { signal } = new AbortController();
const find = async (bytes: Buffer, format: OutputFormat) => {
  const found = await slices.run(CONTAINERS[format].findManifests(bytes), signal);
  return found.length > 0;
};

const box = (type: string) => Buffer.from(`JP\0\x01\0\0\0\x01\0\0\0\x10${type}`, 'latin1');

describe('findManifests', () => {
  test.each<[string, OutputFormat, Buffer, boolean]>([
    ['caBX before the pixels', 'png', png(header(), chunk('caBX'), PIXELS, END), true],
    ['caBX behind the pixels', 'png', png(header(), PIXELS, chunk('caBX'), END), true],
    [
      'caBX in a text',
      'png',
      png(header(), chunk('tEXt', Buffer.from('caBX')), PIXELS, END),
      false,
    ],
    ['APP11 with JUMBF', 'jpeg', jpeg(segment(0xeb, box('jumb')), frame(), scan()), true],
    ['APP11 with another box', 'jpeg', jpeg(segment(0xeb, box('wxyz')), frame(), scan()), false],
    ['APP11 without a box', 'jpeg', jpeg(segment(0xeb, Buffer.from('JP')), frame(), scan()), false],
    ['JUMBF in another segment', 'jpeg', jpeg(segment(0xea, box('jumb')), frame(), scan()), false],
    [
      'C2PA behind the frame',
      'webp',
      webp(lossless(2, 2), riffChunk('C2PA', Buffer.alloc(3))),
      true,
    ],
    ['no chunk but the frame', 'webp', webp(lossless(2, 2)), false],
  ])('checks a file with %s, in the format %s', async (_, format, bytes, expected) => {
    expect(await find(bytes, format)).toBe(expected);
  });

  test('finds no manifest in ordinary images', async () => {
    const images = await fiftyImages();

    const found = await Promise.all(images.map(({ bytes, format }) => find(bytes, format)));

    expect(found).not.toContain(true);
  });

  test('finds no manifest in a truncated image, and ends', async () => {
    const whole = png(header(), chunk('caBX'), PIXELS, END);

    expect(await find(whole.subarray(0, 40), 'png')).toBe(false);
  });
});
