import { describe, expect, it } from 'vitest';
import { sniff } from '../../../../lib/images/container/sniff.ts';
import { readPhoto } from '../photos.ts';
import { header, png } from '../png/png-bytes.ts';
import { lossy, webp } from '../webp/webp-bytes.ts';

describe('sniff', () => {
  it.each([
    ['png', png(header())],
    ['jpeg', readPhoto('rocket.jpg')],
    ['webp', webp(lossy(1, 1))],
  ])('knows %s by its first bytes', (format, bytes) => {
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
  ])('does not take %s for an image', (_name, text) => {
    expect(sniff(Buffer.from(text, 'latin1'))).toBeUndefined();
  });
});
