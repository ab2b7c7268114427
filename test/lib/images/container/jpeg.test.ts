import { describe, expect, it } from 'vitest';
import { jpegContainer } from '../../../../lib/images/container/jpeg.ts';
import { finish } from '../../../support/finish.ts';
import { readPhoto } from '../photos.ts';
import { orientationExif } from './exif-bytes.ts';
import {
  EOI,
  frame,
  insertAfterSoi,
  jpeg,
  mpfBytes,
  mpfSegment,
  multiImage,
  SOI,
  scan,
  segment,
} from './jpeg-bytes.ts';

const check = (bytes: Buffer) => finish(jpegContainer.check(bytes));
const scans = (count: number) => Array.from({ length: count }, scan);
const facts = {
  width: 8,
  height: 8,
  hasAlpha: false,
  isCmyk: false,
};
const small = jpeg(frame(), scan());

describe('jpegContainer.check', () => {
  it('accepts a complete file and returns its dimensions', () => {
    expect(check(small)).toEqual({ ok: true, facts });
    expect(check(readPhoto('rocket.jpg'))).toEqual({
      ok: true,
      facts: { ...facts, width: 640, height: 427 },
    });
  });

  it.each([
    ['fill bytes before a marker', jpeg(Buffer.from([0xff, 0xff]), frame(), scan())],
    ['a comment', jpeg(segment(0xfe, Buffer.from('hello')), frame(), scan())],
    ['an empty comment', jpeg(segment(0xfe, Buffer.alloc(0)), frame(), scan())],
    ['an EOI inside a segment', jpeg(segment(0xe5, EOI), frame(), scan())],
    ['a hundred scans', jpeg(frame(), ...scans(100))],
  ])('accepts %s', (_name, bytes) => {
    expect(check(bytes)).toEqual({ ok: true, facts });
  });

  it('recognizes a file with four colour channels', () => {
    const fourColours = Buffer.concat([Buffer.from([8, 0, 8, 0, 8, 4]), Buffer.alloc(12, 0x11)]);

    const verdict = check(jpeg(segment(0xc2, fourColours), scan()));

    expect(verdict).toEqual({ ok: true, facts: { ...facts, isCmyk: true } });
  });

  it('reads the orientation from the first EXIF segment', () => {
    const bytes = insertAfterSoi(
      small,
      segment(0xe1, Buffer.from('http://ns.adobe.com/xap/1.0/\0<x/>')),
      segment(0xe1, orientationExif(6, 'MM')),
      segment(0xe1, orientationExif(3)),
    );

    expect(check(bytes)).toEqual({ ok: true, facts: { ...facts, orientation: 6 } });
  });

  it('rejects more than a hundred scans', () => {
    const bytes = jpeg(frame(), ...scans(101));

    expect(check(bytes)).toEqual({ ok: false, fault: 'too_many_scans' });
  });

  it.each([
    ['one byte short', small.subarray(0, -1)],
    ['without its EOI', small.subarray(0, -2)],
    ['cut inside a segment', small.subarray(0, 8)],
    ['cut inside a segment length', small.subarray(0, 5)],
    ['cut before a marker', small.subarray(0, 2)],
    ['an SOI alone with fill bytes', Buffer.from([0xff, 0xd8, 0xff, 0xff])],
    ['half an SOI', Buffer.from([0xff])],
    ['a photo, one byte short', readPhoto('hubble_deep_field.jpg').subarray(0, -1)],
  ])('returns truncated for a file that is %s', (_name, bytes) => {
    expect(check(bytes)).toEqual({ ok: false, fault: 'truncated' });
  });

  it.each([
    ['a byte', Buffer.from([0])],
    ['a second EOI', EOI],
    ['a second image that nothing announces', small],
  ])('rejects %s after EOI', (_name, rest) => {
    expect(check(Buffer.concat([small, rest]))).toEqual({ ok: false, fault: 'trailing_bytes' });
  });

  it.each([
    ['no SOI', Buffer.from('junk')],
    ['no frame', jpeg()],
    ['no scan', jpeg(frame())],
    ['a scan before the frame', jpeg(scan(), frame())],
    ['two frames', jpeg(frame(), frame(), scan())],
    ['an SOI inside', jpeg(SOI, frame(), scan())],
    ['no width', jpeg(frame(0, 8), scan())],
    ['no height', jpeg(frame(8, 0), scan())],
    ['a frame that is too short', jpeg(segment(0xc0, Buffer.alloc(5)), scan())],
    ['a frame without components', jpeg(segment(0xc0, Buffer.from([8, 0, 8, 0, 8, 0])), scan())],
    [
      'a frame with a missing component',
      jpeg(segment(0xc0, Buffer.from([8, 0, 8, 0, 8, 1])), scan()),
    ],
    ['bytes between segments', jpeg(Buffer.from('junk'), frame(), scan())],
    ['a restart marker outside of a scan', jpeg(Buffer.from([0xff, 0xd0]), frame(), scan())],
    ['a stuffed zero outside of a scan', jpeg(Buffer.from([0xff, 0]), frame(), scan())],
    ['a hierarchical file', jpeg(segment(0xde, Buffer.alloc(6)), frame(), scan())],
    ['a segment shorter than its length', jpeg(Buffer.from([0xff, 0xfe, 0, 1]), frame(), scan())],
  ])('returns corrupt for %s', (_name, bytes) => {
    expect(check(bytes)).toEqual({ ok: false, fault: 'corrupt' });
  });

  describe('further images that an MPF segment lists', () => {
    it.each(['II', 'MM'] as const)('are accepted in byte order %s', (order) => {
      const bytes = multiImage(small, [jpeg(frame(4, 4), scan()), small], order);

      expect(check(bytes)).toEqual({ ok: true, facts });
    });

    it('may be missing although the index lists them', () => {
      const bytes = insertAfterSoi(small, mpfSegment(2, [{ start: 5000, size: 100 }]));

      expect(check(bytes)).toEqual({ ok: true, facts });
    });

    it.each([
      ['truncated', 'the last one is one byte short', multiImage(small, [small]).subarray(0, -1)],
      ['trailing_bytes', 'a byte follows them', withEnd(multiImage(small, [small]))],
      ['trailing_bytes', 'another image follows them', withEnd(multiImage(small, [small]), small)],
      ['trailing_bytes', 'one ends before its announced end', multiImage(small, [withEnd(small)])],
      ['corrupt', 'one is no image', multiImage(small, [Buffer.from('junk')])],
      ['trailing_bytes', 'one begins later than the one before ends', withGap()],
      ['trailing_bytes', 'the index is junk', withJunkIndex()],
      ['trailing_bytes', 'the entries lie outside of the index', withDistantEntries()],
    ])('result in %s if %s', (fault, _name, bytes) => {
      expect(check(bytes)).toEqual({ ok: false, fault });
    });
  });
});

function withEnd(bytes: Buffer, end: Buffer = Buffer.from([0])): Buffer {
  return Buffer.concat([bytes, end]);
}

function withGap(): Buffer {
  const start = small.length + mpfBytes(1) + 1;
  const main = insertAfterSoi(small, mpfSegment(2, [{ start, size: small.length }]));
  return Buffer.concat([main, Buffer.alloc(1), small]);
}

function withJunkIndex(): Buffer {
  const main = insertAfterSoi(small, segment(0xe2, Buffer.from('MPF\0junkjunkjunk')));
  return Buffer.concat([main, small]);
}

function withDistantEntries(): Buffer {
  const bytes = multiImage(small, [small]);
  const pointer = 2 + 2 + 2 + 4 + 18;
  bytes.writeUInt32BE(0xffff_ff00, pointer);
  return bytes;
}
