import { afterEach, describe, expect, it, vi } from 'vitest';
import { pngContainer } from '../../../../lib/images/container/png.ts';
import { finish } from '../../../support/finish.ts';
import { endlessTiff } from './exif-bytes.ts';
import { chunk, compressed, END, header, PIXELS, png } from './png-bytes.ts';

/** The most reads of each byte of a file. */
const READS = 6;
const SIZES = [16_384, 65_536] as const;

const text = (type: string, content: Buffer) =>
  chunk(type, Buffer.concat([Buffer.from('key\0', 'latin1'), content]));
const many = (bytes: number, one: Buffer) =>
  png(header(), ...Array<Buffer>(Math.ceil(bytes / one.length)).fill(one), PIXELS, END);

/** Functions that return hostile files of about `bytes` bytes. */
const FILES: readonly [string, (bytes: number) => Buffer][] = [
  ['empty chunks', (bytes) => many(bytes, chunk('teSt'))],
  ['empty texts', (bytes) => many(bytes, text('tEXt', Buffer.alloc(0)))],
  ['one long text', (bytes) => many(1, text('tEXt', Buffer.alloc(bytes, 'a')))],
  ['one long keyword', (bytes) => many(1, chunk('tEXt', Buffer.alloc(bytes, 'a')))],
  ['keywords of blanks', (bytes) => many(bytes, chunk('tEXt', Buffer.alloc(79, 'a ')))],
  [
    'international texts without an end of their language',
    (bytes) => many(bytes, text('iTXt', Buffer.concat([Buffer.alloc(2), Buffer.alloc(500, 'a')]))),
  ],
  ['one international text of zeros', (bytes) => many(1, text('iTXt', Buffer.alloc(bytes)))],
  ['compressed texts', (bytes) => many(bytes, compressed('zTXt', Buffer.alloc(4000)))],
  ['pixels in empty chunks', (bytes) => many(bytes, chunk('IDAT'))],
  ['EXIF directories', (bytes) => many(bytes, chunk('eXIf', endlessTiff()))],
];

/** Counts the bytes that the methods of buffers read or return while `run` runs. */
function countNativeReads(run: () => void): number {
  const { prototype } = Buffer;
  const subarray = vi.spyOn(prototype, 'subarray');
  const readers = [
    vi.spyOn(prototype, 'readUInt8'),
    vi.spyOn(prototype, 'readUInt16BE'),
    vi.spyOn(prototype, 'readUInt32BE'),
    vi.spyOn(prototype, 'indexOf'),
    vi.spyOn(prototype, 'includes'),
    vi.spyOn(prototype, 'toString'),
  ];
  run();
  const parts = subarray.mock.results.reduce((sum, { value }) => sum + Number(value.length), 0);
  const calls = readers.reduce((sum, reader) => sum + reader.mock.calls.length, 0);
  return parts + calls;
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe.each([
  ['pngContainer.check', pngContainer.check],
  ['pngContainer.findXmp', pngContainer.findXmp],
])('%s', (_name, walk) => {
  it.each(FILES)('reads each byte at most a few times in a file of %s', (_file, toFile) => {
    for (const size of SIZES) {
      const bytes = toFile(size);

      const reads = countNativeReads(() => finish<unknown>(walk(bytes)));

      expect(reads).toBeLessThanOrEqual(READS * bytes.length);
    }
  });
});
