import { describe, expect, it } from 'vitest';
import { webpContainer } from '../../../../lib/images/container/webp.ts';
import { finish } from '../../../support/finish.ts';
import { countReads } from '../counted-bytes.ts';
import { endlessTiff } from './exif-bytes.ts';
import { canvas, lossy, riffChunk, webp } from './webp-bytes.ts';

/** The most reads of each byte of a file. */
const READS = 6;
const SIZES = [16_384, 65_536] as const;

const many = (bytes: number, one: Buffer) =>
  webp(canvas(5, 3), lossy(5, 3), ...Array<Buffer>(Math.ceil(bytes / one.length)).fill(one));

/** Functions that return hostile files of about `bytes` bytes. */
const FILES: readonly [string, (bytes: number) => Buffer][] = [
  ['empty chunks', (bytes) => many(bytes, riffChunk('TEST', Buffer.alloc(0)))],
  ['one long chunk', (bytes) => many(1, riffChunk('TEST', Buffer.alloc(bytes)))],
  ['one long frame', (bytes) => webp(riffChunk('VP8 ', Buffer.alloc(bytes)))],
  ['empty packets', (bytes) => many(bytes, riffChunk('XMP ', Buffer.alloc(0)))],
  ['EXIF directories', (bytes) => many(bytes, riffChunk('EXIF', endlessTiff()))],
];

describe.each([
  ['webpContainer.check', webpContainer.check],
  ['webpContainer.findXmp', webpContainer.findXmp],
])('%s', (_name, walk) => {
  it.each(FILES)('reads each byte at most a few times in a file of %s', (_file, toFile) => {
    for (const size of SIZES) {
      const { bytes, reads } = countReads(toFile(size));

      finish<unknown>(walk(bytes));

      expect(reads()).toBeLessThanOrEqual(READS * bytes.length);
    }
  });
});
