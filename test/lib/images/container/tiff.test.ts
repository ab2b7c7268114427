import { describe, expect, it } from 'vitest';
import { exifOrientation } from '../../../../lib/images/container/tiff.ts';
import { orientationExif, orientationTiff } from './exif-bytes.ts';

describe('exifOrientation', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])('reads orientation %i in both byte orders', (orientation) => {
    expect(exifOrientation(orientationTiff(orientation, 'II'))).toBe(orientation);
    expect(exifOrientation(orientationTiff(orientation, 'MM'))).toBe(orientation);
  });

  it('reads a block with the JPEG prefix', () => {
    expect(exifOrientation(orientationExif(6))).toBe(6);
  });

  it.each([
    ['0', orientationTiff(0)],
    ['9', orientationTiff(9)],
    ['an empty block', Buffer.alloc(0)],
    ['junk', Buffer.from('junkjunkjunkjunk')],
    ['a wrong magic number', changed(2, 43)],
    ['a directory behind the end', changed(4, 0xff)],
    ['a directory of 65,535 entries, none of them there', withMissingEntries()],
    ['another type than SHORT', changed(12, 4)],
  ])('returns 1 for %s', (_name, exif) => {
    expect(exifOrientation(exif)).toBe(1);
  });

  it('accepts every prefix of a block without throwing', () => {
    const exif = orientationExif(8);

    const results = Array.from(exif.keys(), (end) => exifOrientation(exif.subarray(0, end)));

    expect(new Set(results.slice(0, 20))).toEqual(new Set([1]));
  });
});

function changed(at: number, value: number): Buffer {
  const tiff = orientationTiff(6);
  tiff.writeUInt8(value, at);
  return tiff;
}

function withMissingEntries(): Buffer {
  const tiff = orientationTiff(6);
  tiff.writeUInt16LE(0xffff, 8);
  tiff.writeUInt16LE(0x0100, 10);
  return tiff;
}
