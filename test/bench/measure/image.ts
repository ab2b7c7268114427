import { writeFile } from 'node:fs/promises';
import sharp from 'sharp';
import type { OutputFormat } from '../../../lib/contract/request/parameters.ts';

// A linear congruential generator (Numerical Recipes), so that the image is the same in every run.
const MULTIPLIER = 1_664_525;
const INCREMENT = 1_013_904_223;

/** Writes a PNG with smooth gradients under noise, which compresses about as well as a photograph. Returns its bytes. */
export async function writeImage(
  file: string,
  {
    width,
    height,
    noise,
  }: { readonly width: number; readonly height: number; readonly noise: number },
): Promise<Buffer> {
  const pixels = Buffer.allocUnsafe(width * height * 3);
  let state = 1;
  for (let at = 0; at < pixels.length; at += 1) {
    state = (Math.imul(state, MULTIPLIER) + INCREMENT) >>> 0;
    const pixel = Math.floor(at / 3);
    const slope = ((pixel % width) + Math.floor(pixel / width)) / (width + height);
    pixels[at] = 40 + slope * 120 + ((state >>> 16) % noise);
  }
  const raw = { width, height, channels: 3 as const };
  const png = await sharp(pixels, { raw }).png({ compressionLevel: 6 }).toBuffer();
  await writeFile(file, png);
  return png;
}

export function inMegabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

/** Encodes a square of noise, whose pixels no format compresses. */
export function noise(edge: number, format: OutputFormat): Promise<Buffer> {
  const create = { width: edge, height: edge, channels: 3, background: '#000' } as const;
  const image = sharp({
    create: { ...create, noise: { type: 'gaussian', mean: 128, sigma: 90 } },
  });
  return image
    .toFormat(format, format === 'png' ? {} : { quality: 100, lossless: true })
    .toBuffer();
}
