import { describe, expect, it } from 'vitest';
import { checkContainer, sniff } from '../../../../lib/images/container/containers.ts';
import { finish } from '../../../support/finish.ts';
import { readPhoto } from '../photos.ts';
import { frame, jpeg, scan } from './jpeg-bytes.ts';
import { END, header, PIXELS, png } from './png-bytes.ts';
import { lossless, lossy, webp } from './webp-bytes.ts';

const limits = {
  max_encoded_bytes: 200,
  max_edge: 16_000,
  max_pixels: 1_000_000,
  max_decode_ms: 1000,
};

const check = (bytes: Buffer) => finish(checkContainer(bytes, limits));
const sized = (width: number, height: number) => png(header({ width, height }), PIXELS, END);

describe('checkContainer', () => {
  it.each([
    ['png', sized(2, 2)],
    ['jpeg', jpeg(frame(2, 2), scan())],
    ['webp', webp(lossless(2, 2))],
  ])('checks a valid %s', (format, bytes) => {
    expect(check(bytes)).toMatchObject({ ok: true, format, facts: { width: 2, height: 2 } });
  });

  it.each([
    ['the longest edge', sized(16_000, 1)],
    ['the most pixels', sized(1000, 1000)],
    ['the most bytes', padded(200)],
  ])('accepts %s', (_name, bytes) => {
    expect(check(bytes)).toMatchObject({ ok: true });
  });

  it.each([
    ['too_many_bytes', padded(201)],
    ['too_many_bytes', Buffer.alloc(201)],
    ['unsupported_format', Buffer.alloc(200)],
    ['edge_too_long', sized(16_001, 1)],
    ['edge_too_long', sized(1, 16_001)],
    ['edge_too_long', sized(2 ** 31 - 1, 2 ** 31 - 1)],
    ['too_many_pixels', sized(1001, 1000)],
    ['too_many_pixels', jpeg(frame(16_000, 16_000), scan())],
    ['too_many_pixels', webp(lossless(16_000, 16_000))],
    ['truncated', sized(2, 2).subarray(0, -1)],
  ])('returns %s', (fault, bytes) => {
    expect(check(bytes)).toEqual({ ok: false, fault });
  });
});

/** Returns a JPEG of exactly this many bytes. */
function padded(bytes: number): Buffer {
  const room = bytes - jpeg(frame(), scan()).length;
  const data = Buffer.alloc(room, 0x12);
  return jpeg(frame(), scan().subarray(0, -1), data, Buffer.alloc(1, 0xff));
}

describe('sniff', () => {
  it.each([
    ['png', png(header())],
    ['jpeg', readPhoto('rocket.jpg')],
    ['webp', webp(lossy(1, 1))],
  ])('recognizes %s by the first bytes', (format, bytes) => {
    expect(sniff(bytes)).toBe(format);
  });

  it.each([
    ['nothing', ''],
    ['half a PNG signature', '\x89PNG'],
    ['a PNG signature with a mangled line end', '\x89PNG\n\n\x1a\n'],
    ['an SOI alone', '\xff\xd8'],
    ['another RIFF', 'RIFF\x04\0\0\0WAVE'],
    ['half a WebP head', 'RIFF\x04\0\0\0WEB'],
    ['GIF', 'GIF89a'],
    ['BMP', 'BM\x46\0\0\0'],
    ['little-endian TIFF', 'II*\0\x08\0\0\0'],
    ['big-endian TIFF', 'MM\0*\0\0\0\x08'],
    ['PDF', '%PDF-1.7'],
    ['SVG', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['XML', '<?xml version="1.0"?><svg/>'],
    ['HEIF', '\0\0\0\x18ftypheic'],
    ['AVIF', '\0\0\0\x1cftypavif'],
    ['JPEG 2000', '\0\0\0\x0cjP  \r\n\x87\n'],
    ['JPEG XL', '\xff\x0a'],
    ['white space before a PNG', ' \x89PNG\r\n\x1a\n'],
  ])('returns undefined for %s', (_name, text) => {
    expect(sniff(Buffer.from(text, 'latin1'))).toBeUndefined();
  });
});
