import { deflateRawSync, deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { ContainerFacts } from '../../../../lib/images/container/container-format.ts';
import { checkInflatedSize, pngContainer } from '../../../../lib/images/container/png.ts';
import { finish } from '../../../support/finish.ts';
import { readPhoto } from '../photos.ts';
import { orientationTiff } from './exif-bytes.ts';
import {
  chunk,
  compressed,
  compressedInternational,
  END,
  header,
  insertAfterHeader,
  PIXELS,
  png,
} from './png-bytes.ts';

const check = (bytes: Buffer) => finish(pngContainer.check(bytes));
const palette = (entries: number) => chunk('PLTE', Buffer.alloc(entries * 3));
const transparency = (length: number) => chunk('tRNS', Buffer.alloc(length));

const facts: ContainerFacts = {
  width: 2,
  height: 2,
  hasAlpha: false,
  hasDeepProfile: false,
  deflated: [],
};
const density = (unit: number) => chunk('pHYs', Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, unit]));

describe('pngContainer.check', () => {
  it('accepts a complete file and returns its dimensions', () => {
    expect(check(png(header(), PIXELS, END))).toEqual({ ok: true, facts });
    expect(check(readPhoto('coffee.png'))).toEqual({
      ok: true,
      facts: { ...facts, width: 600, height: 400 },
    });
  });

  it.each([
    ['an empty IDAT between others', [header(), chunk('IDAT'), PIXELS, chunk('IDAT'), END]],
    ['an unknown chunk that may be skipped', [header(), chunk('abCd'), PIXELS, END]],
    ['a suggested palette', [header(), palette(4), PIXELS, END]],
    ['an uncompressed international text', [header(), text('key\0\0\0en\0key\0text'), PIXELS, END]],
    ['text after the pixels', [header(), PIXELS, chunk('tEXt', Buffer.from('a\0b')), END]],
  ])('accepts %s', (_name, chunks) => {
    expect(check(png(...chunks))).toEqual({ ok: true, facts });
  });

  it.each([
    [0, 1],
    [0, 2],
    [0, 4],
    [0, 8],
    [0, 16],
    [2, 8],
    [2, 16],
    [3, 1],
    [3, 8],
    [4, 8],
    [4, 16],
    [6, 8],
    [6, 16],
  ])('accepts colour type %i with %i bits', (colourType, bitDepth) => {
    const chunks = colourType === 3 ? [palette(2), PIXELS] : [PIXELS];

    const verdict = check(png(header({ colourType, bitDepth }), ...chunks, END));

    expect(verdict).toMatchObject({ ok: true, facts: { hasAlpha: colourType >= 4 } });
  });

  it.each([
    ['grey', [header({ colourType: 0 }), transparency(2)]],
    ['colour', [header({ colourType: 2 }), transparency(6)]],
    ['a palette', [header({ colourType: 3 }), palette(3), transparency(2)]],
  ])('counts a transparent colour of %s as alpha', (_name, chunks) => {
    expect(check(png(...chunks, PIXELS, END))).toMatchObject({ facts: { hasAlpha: true } });
  });

  it.each([
    ['of a wrong length', [header(), transparency(2), PIXELS]],
    ['longer than the palette', [header({ colourType: 3 }), palette(3), transparency(4), PIXELS]],
    ['before the palette', [header({ colourType: 3 }), transparency(1), palette(2), PIXELS]],
    ['after the pixels', [header(), PIXELS, transparency(6)]],
  ])('ignores a transparent colour %s', (_name, chunks) => {
    expect(check(png(...chunks, END))).toMatchObject({ ok: true, facts: { hasAlpha: false } });
  });

  it('reads the orientation from an eXIf chunk, before or after the pixels', () => {
    const exif = chunk('eXIf', orientationTiff(6));

    expect(check(png(header(), exif, PIXELS, END))).toMatchObject({ facts: { orientation: 6 } });
    expect(check(png(header(), PIXELS, exif, END))).toMatchObject({ facts: { orientation: 6 } });
  });

  it('returns the compressed texts and profiles', () => {
    const chunks = [
      compressed('iCCP', Buffer.from('profile')),
      compressed('zTXt', Buffer.from('text')),
      compressedInternational(Buffer.from('international')),
    ];

    const verdict = check(png(header(), ...chunks, PIXELS, END));

    const streams = ['profile', 'text', 'international'].map((inflated) =>
      deflateSync(inflated).subarray(2),
    );
    expect(verdict).toEqual({ ok: true, facts: { ...facts, deflated: streams } });
  });

  it.each([
    ['one byte short', (whole: Buffer) => whole.subarray(0, -1)],
    ['cut inside a chunk', (whole: Buffer) => whole.subarray(0, 50)],
    ['cut between two chunks', (whole: Buffer) => whole.subarray(0, 33)],
    ['without its last chunk', (whole: Buffer) => whole.subarray(0, -12)],
    ['a signature alone', (whole: Buffer) => whole.subarray(0, 8)],
  ])('returns truncated for a file that is %s', (_name, cut) => {
    const whole = png(header(), PIXELS, END);

    expect(check(cut(whole))).toEqual({ ok: false, fault: 'truncated' });
  });

  it.each([
    ['a byte', Buffer.from([0])],
    ['a second image', png(header(), PIXELS, END)],
  ])('rejects %s after IEND', (_name, rest) => {
    const bytes = Buffer.concat([png(header(), PIXELS, END), rest]);

    expect(check(bytes)).toEqual({ ok: false, fault: 'trailing_bytes' });
  });

  it('detects every flipped bit after the signature', () => {
    const whole = png(header(), compressed('zTXt', Buffer.from('text')), PIXELS, END);
    const accepted: number[] = [];

    for (let bit = 8 * 8; bit < whole.length * 8; bit += 1) {
      const flipped = Buffer.from(whole);
      flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      if (check(flipped).ok) accepted.push(bit);
    }

    expect(accepted).toEqual([]);
  });

  it.each(['acTL', 'fcTL', 'fdAT'])('returns animated for a file with %s', (type) => {
    const bytes = insertAfterHeader(readPhoto('coffee.png'), chunk(type, Buffer.alloc(26)));

    expect(check(bytes)).toEqual({ ok: false, fault: 'animated' });
  });

  it.each([
    ['no header', [PIXELS, END]],
    ['a text before the header', [text('a'), header(), PIXELS, END]],
    ['a second header', [header(), header(), PIXELS, END]],
    ['a header of 12 bytes', [chunk('IHDR', Buffer.alloc(12)), PIXELS, END]],
    ['a header of 14 bytes', [chunk('IHDR', Buffer.alloc(14)), PIXELS, END]],
    ['no width', [header({ width: 0 }), PIXELS, END]],
    ['no height', [header({ height: 0 }), PIXELS, END]],
    ['a width of 2^31', [header({ width: 2 ** 31 }), PIXELS, END]],
    ['a height of 2^32 - 1', [header({ height: 2 ** 32 - 1 }), PIXELS, END]],
    ['an unknown colour type', [header({ colourType: 5 }), PIXELS, END]],
    ['colour with 4 bits', [header({ bitDepth: 4 }), PIXELS, END]],
    ['a palette with 16 bits', [header({ colourType: 3, bitDepth: 16 }), palette(2), PIXELS, END]],
    ['an unknown compression', [header({ compression: 1 }), PIXELS, END]],
    ['an unknown filter method', [header({ filter: 1 }), PIXELS, END]],
    ['an unknown interlacing', [header({ interlace: 2 }), PIXELS, END]],
    ['no pixels', [header(), END]],
    ['pixels at two positions', [header(), PIXELS, chunk('tEXt'), PIXELS, END]],
    ['a text with a NUL in it', [header(), chunk('tEXt', Buffer.from('a\0b\0')), PIXELS, END]],
    ['a text without a keyword', [header(), chunk('tEXt', Buffer.from('a')), PIXELS, END]],
    ['a keyword of two spaces', [header(), chunk('tEXt', Buffer.from('a  b\0')), PIXELS, END]],
    ['a control in a keyword', [header(), chunk('tEXt', Buffer.from('a\x18\0')), PIXELS, END]],
    ['a density in an unknown unit', [header(), density(2), PIXELS, END]],
    ['two densities', [header(), density(1), density(1), PIXELS, END]],
    ['an IEND with data', [header(), PIXELS, chunk('IEND', Buffer.alloc(1))]],
    ['an unknown chunk that may not be skipped', [header(), chunk('ABCD'), PIXELS, END]],
    ['a chunk type with a digit', [header(), chunk('ab1d'), PIXELS, END]],
    ['a palette image without its palette', [header({ colourType: 3 }), PIXELS, END]],
    ['a palette in grey', [header({ colourType: 0 }), palette(2), PIXELS, END]],
    ['an empty palette', [header({ colourType: 3 }), palette(0), PIXELS, END]],
    ['a palette of 257', [header({ colourType: 3 }), palette(257), PIXELS, END]],
    [
      'half a palette entry',
      [header({ colourType: 3 }), chunk('PLTE', Buffer.alloc(4)), PIXELS, END],
    ],
    ['two palettes', [header({ colourType: 3 }), palette(2), palette(2), PIXELS, END]],
    ['a palette after the pixels', [header(), PIXELS, palette(2), END]],
    ['a profile without a keyword', [header(), chunk('iCCP', Buffer.from('\0\0xxx')), PIXELS, END]],
    [
      'a profile with an endless keyword',
      [header(), chunk('iCCP', Buffer.alloc(90, 65)), PIXELS, END],
    ],
    [
      'a profile of an unknown method',
      [header(), chunk('iCCP', Buffer.from('k\0\x01x')), PIXELS, END],
    ],
    [
      'a text whose stream is no zlib',
      [header(), chunk('zTXt', Buffer.from('k\0\0xx')), PIXELS, END],
    ],
    ['a text without a stream', [header(), chunk('zTXt', Buffer.from('k\0\0')), PIXELS, END]],
    ['an international text without its parts', [header(), text('k\0\0\0en'), PIXELS, END]],
    ['an international text with an unknown flag', [header(), text('k\0\x02\0\0\0x'), PIXELS, END]],
  ])('returns corrupt for %s', (_name, chunks) => {
    expect(check(png(...chunks))).toEqual({ ok: false, fault: 'corrupt' });
  });

  it('rejects more than 1000 compressed texts', () => {
    const texts = (count: number) =>
      Array.from({ length: count }, () => compressed('zTXt', Buffer.alloc(0)));

    const most = check(png(header(), ...texts(1000), PIXELS, END));
    const tooMany = check(png(header(), ...texts(1001), PIXELS, END));

    expect(most.ok).toBe(true);
    expect(tooMany).toEqual({ ok: false, fault: 'chunk_too_large' });
  });

  it('returns corrupt for a chunk length above 2^31 - 1', () => {
    const bytes = png(header(), PIXELS, END);
    bytes.writeUInt32BE(2 ** 31, 33);

    expect(check(bytes)).toEqual({ ok: false, fault: 'corrupt' });
  });
});

function text(data: string): Buffer {
  return chunk('iTXt', Buffer.from(data, 'latin1'));
}

const MEBIBYTE = 1024 * 1024;
const signal = new AbortController().signal;
const zeros = (bytes: number) => deflateRawSync(Buffer.alloc(bytes));

describe('checkInflatedSize', () => {
  it.each([
    ['nothing', []],
    ['one of exactly 4 MiB', [zeros(4 * MEBIBYTE)]],
    ['several of 4 MiB together', [zeros(3 * MEBIBYTE), zeros(MEBIBYTE)]],
    ['a thousand', Array.from({ length: 1000 }, () => zeros(1))],
    ['one with another Adler-32 behind it', [Buffer.concat([zeros(9), Buffer.from('junk')])]],
    [
      'one that deflate could not shrink',
      [deflateRawSync(Buffer.alloc(4 * MEBIBYTE), { level: 0 })],
    ],
  ])('accepts %s', async (_name, streams) => {
    expect(await checkInflatedSize(streams, signal)).toBeUndefined();
  });

  it.each([
    ['one of a byte more than 4 MiB', [zeros(4 * MEBIBYTE + 1)]],
    ['several of more than 4 MiB together', [zeros(3 * MEBIBYTE), zeros(2 * MEBIBYTE)]],
    ['5 MiB of deflate', [Buffer.alloc(5 * MEBIBYTE)]],
  ])('rejects %s as too large', async (_name, streams) => {
    expect(await checkInflatedSize(streams, signal)).toBe('chunk_too_large');
  });

  it.each([
    ['nothing to inflate', Buffer.alloc(0)],
    ['a stream that ends early', zeros(1000).subarray(0, -2)],
    ['junk', Buffer.alloc(20, 0xff)],
    ['a zlib head where deflate begins', deflateSync('text')],
  ])('returns corrupt for %s in a compressed chunk', async (_name, stream) => {
    expect(await checkInflatedSize([stream], signal)).toBe('corrupt');
  });

  it('stops on abort', async () => {
    const reason = new Error('the client disconnected');

    const checking = checkInflatedSize([zeros(1)], AbortSignal.abort(reason));

    await expect(checking).rejects.toBe(reason);
  });
});
