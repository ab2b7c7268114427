import { describe, expect, it } from 'vitest';
import { webpContainer } from '../../../../lib/images/container/webp.ts';
import { finish } from '../../../support/finish.ts';
import { orientationExif, orientationTiff } from './exif-bytes.ts';
import { canvas, lossless, lossy, riffChunk, webp } from './webp-bytes.ts';

const check = (bytes: Buffer) => finish(webpContainer.check(bytes));
const facts = {
  width: 5,
  height: 3,
  hasAlpha: false,
};
const EMPTY = Buffer.alloc(2);

describe('webpContainer.check', () => {
  it.each([
    ['a lossy frame', webp(lossy(5, 3))],
    ['a lossless frame', webp(lossless(5, 3))],
    ['a canvas with a lossy frame', webp(canvas(5, 3), lossy(5, 3))],
    [
      'a canvas with a profile and XMP',
      webp(
        canvas(5, 3, 0x24),
        riffChunk('ICCP', Buffer.alloc(3)),
        lossy(5, 3),
        riffChunk('XMP ', Buffer.alloc(4)),
      ),
    ],
    ['an unknown chunk', webp(lossy(5, 3), riffChunk('abcd', Buffer.alloc(3)))],
    ['a last chunk without its padding', unpadded()],
  ])('accepts %s and returns its dimensions', (_name, bytes) => {
    expect(check(bytes)).toEqual({ ok: true, facts });
  });

  it('reads the largest dimensions of the format', () => {
    const largest = { ok: true, facts: { width: 16384, height: 16384 } };

    expect(check(webp(lossless(16384, 16384)))).toMatchObject(largest);
    expect(check(webp(lossy(16383, 16383)))).toMatchObject({
      facts: { width: 16383, height: 16383 },
    });
  });

  it.each([
    ['in a lossless frame', webp(lossless(5, 3, true))],
    ['as a flag of the canvas', webp(canvas(5, 3, 0x10), lossless(5, 3))],
    ['in a chunk', webp(canvas(5, 3), riffChunk('ALPH', Buffer.alloc(2)), lossy(5, 3))],
  ])('detects alpha %s', (_name, bytes) => {
    expect(check(bytes)).toEqual({ ok: true, facts: { ...facts, hasAlpha: true } });
  });

  it.each([
    ['as the format says', orientationTiff(8)],
    ['with the prefix of JPEG', orientationExif(8)],
  ])('reads the orientation %s', (_name, exif) => {
    const bytes = webp(canvas(5, 3, 0x08), lossy(5, 3), riffChunk('EXIF', exif));

    expect(check(bytes)).toEqual({ ok: true, facts: { ...facts, orientation: 8 } });
  });

  it.each([
    ['the flag of an animation', webp(canvas(5, 3, 0x02), lossy(5, 3))],
    ['an animation chunk', webp(canvas(5, 3), riffChunk('ANIM', Buffer.alloc(6)), lossy(5, 3))],
    ['an animation frame', webp(canvas(5, 3), riffChunk('ANMF', Buffer.alloc(24)), lossy(5, 3))],
  ])('returns animated for a file with %s', (_name, bytes) => {
    expect(check(bytes)).toEqual({ ok: false, fault: 'animated' });
  });

  it.each([
    ['truncated', 'its last byte is missing', webp(lossy(5, 3)).subarray(0, -1)],
    ['truncated', 'the padding of its last chunk is missing', webp(lossless(5, 3)).subarray(0, -1)],
    ['truncated', 'it is cut inside the RIFF head', webp(lossy(5, 3)).subarray(0, 11)],
    ['truncated', 'it is a RIFF head alone', webp(lossy(5, 3)).subarray(0, 12)],
    ['trailing_bytes', 'a byte follows', Buffer.concat([webp(lossy(5, 3)), Buffer.alloc(1)])],
    [
      'trailing_bytes',
      'a second file follows',
      Buffer.concat([webp(lossy(5, 3)), webp(lossy(5, 3))]),
    ],
    ['corrupt', 'it has no chunk', webp()],
    ['corrupt', 'a chunk head is cut', webp(lossy(5, 3), Buffer.from('abcd'))],
    ['corrupt', 'a chunk is longer than the file', overlong()],
    ['corrupt', 'it has no frame', webp(canvas(5, 3))],
    ['corrupt', 'it has two frames', webp(lossy(5, 3), lossy(5, 3))],
    [
      'corrupt',
      'its frame comes late without a canvas',
      webp(riffChunk('abcd', Buffer.alloc(2)), lossy(5, 3)),
    ],
    [
      'corrupt',
      'its canvas comes late',
      webp(riffChunk('abcd', Buffer.alloc(2)), canvas(5, 3), lossy(5, 3)),
    ],
    ['corrupt', 'a profile is announced and missing', webp(canvas(5, 3, 0x20), lossy(5, 3))],
    ['corrupt', 'EXIF is announced and missing', webp(canvas(5, 3, 0x08), lossy(5, 3))],
    ['corrupt', 'XMP is announced and missing', webp(canvas(5, 3, 0x04), lossy(5, 3))],
    ['corrupt', 'XMP is not announced', webp(canvas(5, 3), lossy(5, 3), riffChunk('XMP ', EMPTY))],
    ['corrupt', 'EXIF has no canvas', webp(lossy(5, 3), riffChunk('EXIF', EMPTY))],
    [
      'corrupt',
      'a profile comes after the frame',
      webp(canvas(5, 3, 0x20), lossy(5, 3), riffChunk('ICCP', EMPTY)),
    ],
    ['corrupt', 'alpha has no canvas', webp(riffChunk('ALPH', EMPTY), lossy(5, 3))],
    [
      'corrupt',
      'alpha comes after the frame',
      webp(canvas(5, 3, 0x10), lossy(5, 3), riffChunk('ALPH', EMPTY)),
    ],
    ['corrupt', 'its canvas is short', webp(riffChunk('VP8X', Buffer.alloc(8)), lossy(5, 3))],
    ['corrupt', 'canvas and frame differ', webp(canvas(5, 4), lossy(5, 3))],
    ['corrupt', 'a lossy frame is short', webp(riffChunk('VP8 ', Buffer.alloc(9)))],
    ['corrupt', 'a lossy frame has no start code', webp(riffChunk('VP8 ', Buffer.alloc(10)))],
    ['corrupt', 'a lossy frame has no width', webp(lossy(0, 3))],
    ['corrupt', 'a lossy frame is no key frame', lossyWith(8 + 12, 0x11)],
    ['corrupt', 'a lossy frame promises more data than it has', lossyWith(8 + 12 + 1, 1)],
    ['corrupt', 'a lossless frame is short', webp(riffChunk('VP8L', Buffer.from([0x2f, 0, 0, 0])))],
    ['corrupt', 'a lossless frame has no signature', webp(riffChunk('VP8L', Buffer.alloc(5)))],
    [
      'corrupt',
      'a lossless frame has another version',
      webp(riffChunk('VP8L', Buffer.from([0x2f, 0, 0, 0, 0x20]))),
    ],
  ])('returns %s if %s', (fault, _name, bytes) => {
    expect(check(bytes)).toEqual({ ok: false, fault });
  });
});

function unpadded(): Buffer {
  const bytes = Buffer.from(webp(lossless(5, 3)).subarray(0, -1));
  bytes.writeUInt32LE(bytes.length - 8, 4);
  return bytes;
}

function overlong(): Buffer {
  const bytes = webp(lossy(5, 3));
  bytes.writeUInt32LE(0xffff_ffff, 16);
  return bytes;
}

function lossyWith(at: number, value: number): Buffer {
  const bytes = webp(lossy(5, 3));
  bytes.writeUInt8(value, at);
  return bytes;
}
