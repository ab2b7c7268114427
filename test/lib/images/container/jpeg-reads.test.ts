import { describe, expect, it } from 'vitest';
import { jpegContainer } from '../../../../lib/images/container/jpeg.ts';
import { finish } from '../../../support/finish.ts';
import { countReads } from '../counted-bytes.ts';
import { endlessTiff } from './exif-bytes.ts';
import { frame, jpeg, multiImage, scan, segment } from './jpeg-bytes.ts';

/** The most reads of each byte of a file. */
const READS = 6;
const SIZES = [16_384, 65_536] as const;

const FILL = 0xff;
const DHT = 0xc4;
const SOS = 0xda;
const DRI = 0xdd;
const APP1 = 0xe1;
const COM = 0xfe;
const scanHead = segment(SOS, Buffer.from([1, 1, 0, 0, 63, 0]));
const exif = segment(APP1, Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), endlessTiff()]));
const small = jpeg(frame(), scan());

/** A table with the only code `0`, for a DC category of 0 and for 63 coefficients of 15 bits. */
const tables = segment(DHT, Buffer.concat([oneCode(0x00, 0), oneCode(0x10, 0x0f)]));
/** A table with the only code `0`, for a block without new coefficients. */
const emptyTables = segment(DHT, Buffer.concat([oneCode(0x00, 0), oneCode(0x10, 0)]));
const wide = segment(0xc0, Buffer.from([8, 0xff, 0xff, 0xff, 0xff, 1, 1, 0x11, 0]));

function oneCode(key: number, symbol: number): Buffer {
  return Buffer.concat([Buffer.from([key, 1]), Buffer.alloc(15), Buffer.from([symbol])]);
}

const filled = (bytes: number) => Buffer.alloc(bytes, FILL);
const repeated = (bytes: number, ...unit: readonly number[]) =>
  Buffer.alloc(bytes - (bytes % unit.length), Buffer.from(unit));

/** Functions that return hostile files of about `bytes` bytes. */
const FILES: readonly [string, (bytes: number) => Buffer][] = [
  ['fill bytes before a segment', (bytes) => jpeg(filled(bytes), frame(), scan())],
  ['fill bytes behind a scan', (bytes) => jpeg(frame(), scanHead, filled(bytes))],
  [
    'fill bytes behind the codes of a sequential scan',
    (bytes) => jpeg(tables, wide, scanHead, Buffer.alloc(1), filled(bytes)),
  ],
  [
    'fill bytes before each restart',
    (bytes) => {
      const restarts = Array.from({ length: bytes / 1024 }, (_, nth) =>
        Buffer.concat([Buffer.alloc(1), filled(1021), Buffer.from([FILL, 0xd0 + (nth % 8)])]),
      );
      const every = segment(DRI, Buffer.from([0, 4]));
      return jpeg(emptyTables, every, wide, scanHead, ...restarts, Buffer.alloc(1));
    },
  ],
  [
    'fill bytes before stuffed zeros',
    (bytes) => jpeg(emptyTables, wide, scanHead, repeated(bytes, FILL, FILL, FILL, FILL, 0)),
  ],
  ['stuffed zeros', (bytes) => jpeg(emptyTables, wide, scanHead, repeated(bytes, FILL, 0))],
  ['restarts', (bytes) => jpeg(frame(), scanHead, repeated(bytes, FILL, 0xd0))],
  ['empty blocks', (bytes) => jpeg(emptyTables, wide, scanHead, Buffer.alloc(bytes))],
  ['empty comments', (bytes) => jpeg(repeated(bytes, FILL, COM, 0, 2), frame(), scan())],
  ['Huffman tables', (bytes) => jpeg(...Array(bytes / 512).fill(tables), frame(), scan())],
  ['EXIF directories', (bytes) => jpeg(...Array(bytes / 4096).fill(exif), frame(), scan())],
  [
    'further images',
    (bytes) => multiImage(small, Array(Math.floor(bytes / small.length / 4)).fill(small)),
  ],
  [
    'a hundred scans',
    (bytes) =>
      jpeg(
        frame(),
        ...Array(100)
          .fill([scanHead, Buffer.alloc(bytes / 100)])
          .flat(),
      ),
  ],
];

describe.each([
  ['jpegContainer.check', jpegContainer.check],
  ['jpegContainer.findXmp', jpegContainer.findXmp],
])('%s', (_name, walk) => {
  it.each(FILES)('reads each byte at most a few times in a file of %s', (_file, toFile) => {
    for (const size of SIZES) {
      const { bytes, reads } = countReads(toFile(size));

      finish<unknown>(walk(bytes));

      expect(reads()).toBeLessThanOrEqual(READS * bytes.length);
    }
  });
});
