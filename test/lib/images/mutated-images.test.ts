import fc from 'fast-check';
import sharp from 'sharp';
import { afterAll, describe, expect, it } from 'vitest';
import { checkContainer } from '../../../lib/images/container/containers.ts';
import { createImageEngine } from '../../../lib/images/image-engine.ts';
import { systemClock } from '../../../lib/platform/clock.ts';
import { finish } from '../../support/finish.ts';
import { slices } from '../../support/slices.ts';
import { multiImage } from './container/jpeg-bytes.ts';
import { mutationsOf } from './mutations.ts';
import { readPhoto } from './photos.ts';

const limits = {
  max_encoded_bytes: 4 * 1024 * 1024,
  max_edge: 4096,
  max_pixels: 4 * 1024 * 1024,
  max_decode_ms: 10_000,
};

const signal = new AbortController().signal;
const engine = createImageEngine({ limits, clock: systemClock, slices });
const small = (name: Parameters<typeof readPhoto>[0]) => sharp(readPhoto(name)).resize(96);

const IMAGES = [
  readPhoto('chelsea.png'),
  readPhoto('rocket.jpg'),
  await small('coffee.png').png({ palette: true }).toBuffer(),
  await small('astronaut.png').png({ progressive: true }).withIccProfile('p3').toBuffer(),
  await small('hubble_deep_field.jpg').jpeg({ progressive: true }).withIccProfile('p3').toBuffer(),
  await small('rocket.jpg').toColourspace('cmyk').jpeg().toBuffer(),
  await small('coffee.png').webp().toBuffer(),
  await small('rocket.jpg')
    .ensureAlpha(0.5)
    .webp({ lossless: true })
    .withIccProfile('p3')
    .toBuffer(),
  multiImage(await small('rocket.jpg').jpeg().toBuffer(), [
    await small('coffee.png').jpeg().toBuffer(),
  ]),
];

/** Checks properties of every valid image without the code under test. */
function isWhole(original: Buffer, mutated: Buffer): boolean {
  if (mutated.equals(original)) return true;
  if (mutated.toString('latin1', 0, 4) === 'RIFF') {
    return mutated.readUInt32LE(4) + 8 === mutated.length;
  }
  const isJpeg = mutated.readUInt16BE(0) === 0xffd8;
  // Checksums cover every byte of a PNG, so no changed file is valid.
  return isJpeg && mutated.readUInt16BE(mutated.length - 2) === 0xffd9;
}

const mutated = mutationsOf(IMAGES);

afterAll(() => engine.close());

describe('mutated images', () => {
  it.each(IMAGES.map((bytes, index) => [index, bytes] as const))(
    'originate from image %i, which is valid',
    async (_index, bytes) => {
      expect(await engine.inspect(bytes, signal)).toMatchObject({ ok: true });
    },
  );

  it('never cause the container check to throw or to accept an incomplete file', () => {
    const property = fc.property(mutated, ({ original, bytes }) => {
      const verdict = finish(checkContainer(bytes, limits));

      return !verdict.ok || isWhole(original, bytes);
    });

    fc.assert(property, { seed: 20_240_501, numRuns: 3000 });
  });

  it('never cause an inspection to reject or to accept an incomplete file', async () => {
    const property = fc.asyncProperty(mutated, async ({ original, bytes }) => {
      const inspection = await engine.inspect(bytes, signal);

      return !inspection.ok || isWhole(original, bytes);
    });

    await fc.assert(property, { seed: 20_240_502, numRuns: 400 });
  });
});
