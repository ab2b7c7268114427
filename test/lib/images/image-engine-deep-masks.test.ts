import sharp, { type Sharp } from 'sharp';
import { afterAll, describe, expect, it } from 'vitest';
import type { Canvas, VerifiedImage } from '../../../lib/images/image.ts';
import { createImageEngine } from '../../../lib/images/image-engine.ts';
import { systemClock } from '../../../lib/platform/clock.ts';
import { slices } from '../../support/slices.ts';
import { chunk, insertAfterHeader } from './container/png-bytes.ts';
import { fromPixels, plain } from './sample-images.ts';

const limits = {
  max_encoded_bytes: 1024 * 1024,
  max_edge: 1024,
  max_pixels: 1024 * 1024,
  max_decode_ms: 10_000,
};
const signal = new AbortController().signal;
const engine = createImageEngine({ limits, clock: systemClock, slices });

afterAll(() => engine.close());

/** Open, half open, nearly closed and closed columns. */
const ALPHAS = [0, 1, 127, 128, 200, 254, 255, 255] as const;
const WIDTH = ALPHAS.length * 2;
const HEIGHT = 6;

/** Encodes a mask in 8 or 16 bits. The last of its `channels` is the alpha. */
function mask(channels: 2 | 4, bits: 8 | 16): Sharp {
  const samples = Array.from({ length: WIDTH * HEIGHT }, (_, pixel) => {
    const alpha = ALPHAS[Math.floor((pixel % WIDTH) / 2)] ?? 255;
    return [...[30, 90, 150].slice(0, channels - 1), alpha];
  }).flat();
  const data =
    bits === 8 ? Buffer.from(samples) : Uint16Array.from(samples, (sample) => sample * 257);
  return sharp(data, { raw: { width: WIDTH, height: HEIGHT, channels } });
}

const colour16 = () => mask(4, 16).toColourspace('rgb16');
const grey16 = () => mask(2, 16).toColourspace('grey16');
/** A `gAMA` chunk with a gamma of 1 (PNG 3rd edition, 11.3.2.2). */
const LINEAR = chunk('gAMA', Buffer.from([0, 1, 0x86, 0xa0]));

const FORMS: readonly (readonly [what: string, bytes: () => Promise<Buffer>])[] = [
  ['8 bits in Display P3', () => mask(4, 8).withIccProfile('p3').png().toBuffer()],
  ['8 bits of grey', () => mask(2, 8).toColourspace('b-w').png().toBuffer()],
  ['16 bits', () => colour16().png().toBuffer()],
  ['16 bits in Display P3', () => colour16().withIccProfile('p3').png().toBuffer()],
  ['16 bits in sRGB', () => colour16().withIccProfile('srgb').png().toBuffer()],
  ['16 bits of grey', () => grey16().png().toBuffer()],
  ['16 bits of grey with a profile', () => grey16().withIccProfile('p3').png().toBuffer()],
  [
    '16 bits with a gamma',
    async () => insertAfterHeader(await colour16().png().toBuffer(), LINEAR),
  ],
  [
    '16 bits of grey with a gamma',
    async () => insertAfterHeader(await grey16().png().toBuffer(), LINEAR),
  ],
  [
    'a WebP in Display P3',
    () => mask(4, 8).withIccProfile('p3').webp({ lossless: true }).toBuffer(),
  ],
];

const CANVASES: readonly (readonly [what: string, canvas: Canvas])[] = [
  [
    'of its size',
    { width: WIDTH, height: HEIGHT, area: { left: 0, top: 0, width: WIDTH, height: HEIGHT } },
  ],
  [
    'with margins',
    { width: 40, height: 20, area: { left: 9, top: 5, width: WIDTH, height: HEIGHT } },
  ],
  ['that is smaller', { width: 12, height: 8, area: { left: 1, top: 2, width: 9, height: 3 } }],
  ['that is larger', { width: 64, height: 48, area: { left: 3, top: 7, width: 51, height: 29 } }],
];

async function verified(bytes: Buffer): Promise<VerifiedImage> {
  const inspection = await engine.inspect(bytes, signal);
  if (!inspection.ok) throw new Error(inspection.fault);
  return inspection.image;
}

const usual = await verified(await mask(4, 8).png().toBuffer());

describe.each(FORMS)('a deep mask that is %s', (_, bytes) => {
  it.each(CANVASES)(
    'is drawn on a canvas %s in the same way as a mask of 8 bits',
    async (__, canvas) => {
      const image = await verified(await bytes());

      for (const form of ['alpha', 'white'] as const) {
        const drawn = await engine.drawMask(image, canvas, form, signal);

        expect(drawn.equals(await engine.drawMask(usual, canvas, form, signal))).toBe(true);
      }
    },
  );

  it('restores a source in the same way as a mask of 8 bits', async () => {
    const image = await verified(await bytes());
    const [source, drawn] = await Promise.all(
      [plain(WIDTH, HEIGHT, [250, 20, 90]), plain(WIDTH, HEIGHT, [0, 200, 33])].map(
        async (pixels) => verified(await fromPixels(pixels).png().toBuffer()),
      ),
    );
    if (!source || !drawn) expect.fail('there are two images');
    const canvas = {
      width: WIDTH,
      height: HEIGHT,
      area: { left: 0, top: 0, width: WIDTH, height: HEIGHT },
    };
    const composed = (one: VerifiedImage) =>
      engine.composite(drawn, { source, mask: one, canvas }, { format: 'png' }, signal);

    expect((await composed(image)).equals(await composed(usual))).toBe(true);
  });
});
