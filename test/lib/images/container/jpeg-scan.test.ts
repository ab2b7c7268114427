import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { jpegContainer } from '../../../../lib/images/container/jpeg.ts';
import { finish } from '../../../support/finish.ts';
import { readPhoto } from '../photos.ts';
import { jpeg, multiImage, segment } from './jpeg-bytes.ts';

/** A baseline frame of one component, sixteen blocks wide. */
const FRAME = segment(0xc0, Buffer.from([8, 0, 8, 0, 128, 1, 1, 0x11, 0]));
const SCAN = segment(0xda, Buffer.from([1, 1, 0, 0, 63, 0]));
/** Tables with the only code `0`, for a block without new coefficients. */
const TABLES = segment(0xc4, Buffer.concat([oneCode(0x00), oneCode(0x10)]));
/** Two zeros for each of the sixteen blocks. */
const BLOCKS = Buffer.alloc(4);
const restartEvery = (mcus: number) => segment(0xdd, Buffer.from([0, mcus]));
const hex = (digits: string) => Buffer.from(digits.replaceAll(' ', ''), 'hex');

function oneCode(key: number, symbol = 0): Buffer {
  return Buffer.concat([Buffer.from([key, 1]), Buffer.alloc(15), Buffer.from([symbol])]);
}

const flat = (data: Buffer, ...before: readonly Buffer[]) =>
  jpeg(TABLES, ...before, FRAME, SCAN, data);
const check = (bytes: Buffer) => finish(jpegContainer.check(bytes));
const small = (edge = 41) => sharp(readPhoto('rocket.jpg')).resize(edge, edge - 8);

describe('jpegContainer.check: the codes of a sequential scan', () => {
  it.each([
    ['that fill their bytes', flat(BLOCKS)],
    ['before a fill byte', flat(hex('00000000 ff'))],
    ['with restarts', flat(hex('00 ffd0 00 ffd1 00 ffd2 00'), restartEvery(4))],
    [
      'with padded restarts',
      flat(hex('03 ffd0 03 ffd1 03 ffd2 03 ffd3 03 ffd4 0f'), restartEvery(3)),
    ],
    ['with a fill byte before a restart', flat(hex('0000 ffffd0 0000'), restartEvery(8))],
    ['whose restarts number from 7 to 0', flat(hex(restarts(16)), restartEvery(1))],
  ])('accepts codes %s', (_name, bytes) => {
    expect(check(bytes)).toMatchObject({ ok: true });
  });

  it.each([
    ['of 4:4:4', small().jpeg({ chromaSubsampling: '4:4:4' })],
    ['of 4:2:0', small().jpeg({ chromaSubsampling: '4:2:0' })],
    ['of the best quality', small().jpeg({ quality: 100 })],
    ['with tables of its own', small().jpeg({ optimiseCoding: true })],
    ['of grey', small().greyscale().jpeg()],
    ['of four colours', small().toColourspace('cmyk').jpeg()],
    ['of one pixel', small().resize(1, 1).jpeg()],
    ['of whole blocks', small(64).resize(64, 64).jpeg()],
  ])('accepts the codes of an encoder, %s', async (_name, image) => {
    expect(check(await image.toBuffer())).toMatchObject({ ok: true });
  });

  it.each([
    ['a byte too many', flat(hex('00000000 00'))],
    ['a stuffed byte too many', flat(hex('00000000 ff00'))],
    ['a byte too few', flat(hex('000000'))],
    ['no data', flat(hex(''))],
    ['what is no code', flat(hex('00004000'))],
    ['a restart that nothing announces', flat(hex('0000 ffd0 0000'))],
    ['no restart where one is due', flat(BLOCKS, restartEvery(8))],
    ['a restart with a wrong number', flat(hex('0000 ffd1 0000'), restartEvery(8))],
    ['a byte too many before a restart', flat(hex('000000 ffd0 0000'), restartEvery(8))],
    ['a restart at the end', flat(hex('0000 ffd0 0000 ffd1'), restartEvery(8))],
    ['no tables', jpeg(FRAME, SCAN, BLOCKS)],
    ['a table that is cut', jpeg(segment(0xc4, oneCode(0).subarray(0, 17)), FRAME, SCAN, BLOCKS)],
    ['too many codes', flat(BLOCKS, segment(0xc4, Buffer.concat([hex('0003'), Buffer.alloc(18)])))],
    ['a category that is none', flat(BLOCKS, segment(0xc4, oneCode(0x00, 17)))],
    [
      'an unknown component',
      jpeg(TABLES, FRAME, segment(0xda, Buffer.from([1, 2, 0, 0, 63, 0])), BLOCKS),
    ],
    ['a head that is short', jpeg(TABLES, FRAME, segment(0xda, Buffer.from([1, 1, 0])), BLOCKS)],
    ['an interval that is short', flat(BLOCKS, segment(0xdd, Buffer.from([1])))],
    [
      'no sampling',
      jpeg(TABLES, segment(0xc0, Buffer.from([8, 0, 8, 0, 128, 1, 1, 0x10, 0])), SCAN, BLOCKS),
    ],
  ])('rejects a scan with %s', (_name, bytes) => {
    expect(check(bytes)).toEqual({ ok: false, fault: 'corrupt' });
  });

  it('detects damage in the last blocks, which libvips does not report', async () => {
    const whole = await small().jpeg({ chromaSubsampling: '4:4:4' }).toBuffer();
    const shorter = Buffer.concat([whole.subarray(0, -5), whole.subarray(-2)]);
    const longer = Buffer.concat([whole.subarray(0, -2), Buffer.from('junk'), whole.subarray(-2)]);

    const silent = [shorter, longer].map((bytes) =>
      sharp(bytes, { failOn: 'warning' }).raw().toBuffer(),
    );

    await expect(Promise.all(silent)).resolves.toHaveLength(2);
    expect(check(shorter)).toEqual({ ok: false, fault: 'corrupt' });
    expect(check(longer)).toEqual({ ok: false, fault: 'corrupt' });
  });

  it('does not check the codes of further images, which are not decoded', () => {
    const bytes = multiImage(flat(BLOCKS), [flat(hex('00000000 00'))]);

    expect(check(bytes)).toMatchObject({ ok: true });
  });
});

/** Returns one byte for each block, with restart markers between the blocks. */
function restarts(blocks: number): string {
  const codes = Array.from({ length: blocks }, (_, nth) =>
    nth === 0 ? '3f' : `ffd${(nth - 1) % 8} 3f`,
  );
  return codes.join(' ');
}
