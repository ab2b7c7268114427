import sharp, { type Sharp } from 'sharp';
import type { OutputFormat } from '../../../lib/contract/request/parameters.ts';
import type { Pixels } from '../../../lib/images/image.ts';
import { orientationExif, orientationTiff } from './container/exif-bytes.ts';
import { insertAfterSoi, segment } from './container/jpeg-bytes.ts';
import { chunk, insertAfterHeader } from './container/png-bytes.ts';
import { canvas, chunksOf, riffChunk, webp } from './container/webp-bytes.ts';

export function fromPixels({ data, width, height, channels }: Pixels): Sharp {
  return sharp(data, { raw: { width, height, channels } });
}

/** An image of one colour. With four values it has an alpha channel. */
export function plain(width: number, height: number, colour: readonly number[]): Pixels {
  const data = Buffer.alloc(width * height * colour.length, Buffer.from(colour));
  return { data, width, height, channels: colour.length === 4 ? 4 : 3 };
}

/** A textured image that is hard to compress and the same every time. */
export function textured(width: number, height: number, channels: 3 | 4 = 3): Pixels {
  const data = Buffer.alloc(width * height * channels);
  let state = 1;
  for (let at = 0; at < data.length; at += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const slope = (at * 200) / data.length;
    data[at] = slope + (state >>> 28);
  }
  return { data, width, height, channels };
}

export const COLOURS = {
  a: [255, 0, 0],
  b: [0, 255, 0],
  c: [0, 0, 255],
  d: [255, 255, 0],
} as const;

const BLOCK_WIDTH = 24;
const BLOCK_HEIGHT = 16;

/** Four blocks of colour, `ab` above `cd`, wider than high. */
export function fourBlocks(): Pixels {
  const width = 2 * BLOCK_WIDTH;
  const height = 2 * BLOCK_HEIGHT;
  const data = Buffer.alloc(width * height * 3);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const left = y < BLOCK_HEIGHT ? 'a' : 'c';
      const right = y < BLOCK_HEIGHT ? 'b' : 'd';
      data.set(COLOURS[x < BLOCK_WIDTH ? left : right], (y * width + x) * 3);
    }
  }
  return { data, width, height, channels: 3 };
}

/** The names of the four blocks, top row first. */
export function blocksOf({ data, width, height, channels }: Pixels): string {
  const at = (x: number, y: number) =>
    (Math.floor(y * height) * width + Math.floor(x * width)) * channels;
  const centres = [at(0.25, 0.25), at(0.75, 0.25), at(0.25, 0.75), at(0.75, 0.75)];
  return centres.map((offset) => nearest(data.subarray(offset, offset + 3))).join('');
}

function nearest(pixel: Uint8Array): string {
  const distance = (colour: readonly number[]) =>
    colour.reduce((sum, value, index) => sum + Math.abs(value - (pixel[index] ?? 0)), 0);
  const [best] = Object.entries(COLOURS).sort((one, two) => distance(one[1]) - distance(two[1]));
  return best?.[0] ?? '';
}

/** Returns `bytes` with an EXIF block that has this orientation. */
export function turned(bytes: Buffer, format: OutputFormat, orientation: number): Buffer {
  if (format === 'png') {
    return insertAfterHeader(bytes, chunk('eXIf', orientationTiff(orientation)));
  }
  if (format === 'jpeg') {
    return insertAfterSoi(bytes, segment(0xe1, orientationExif(orientation)));
  }
  const { width, height } = fourBlocks();
  const frames = chunksOf(bytes).map((each) => each.bytes);
  const exif = riffChunk('EXIF', orientationTiff(orientation));
  return webp(canvas(width, height, 0x08), ...frames, exif);
}
