import sharp from 'sharp';
import type { OutputFormat } from '../../../lib/contract/request/parameters.ts';
import type { ImageLimits } from '../../../lib/images/image.ts';
import { createImageEngine } from '../../../lib/images/image-engine.ts';
import { systemClock } from '../../../lib/platform/clock.ts';
import { slices } from '../../support/slices.ts';

interface Looks {
  readonly width?: number;
  readonly height?: number;
  readonly format?: OutputFormat;
  /** The alpha, from 0 to 1. Without it the image has no alpha channel. */
  readonly alpha?: number;
}

/** Returns a small valid image. */
export function image({ width = 32, height = 24, format = 'png', alpha }: Looks = {}) {
  const background = { r: 20, g: 120, b: 220, alpha: alpha ?? 1 };
  const channels = alpha === undefined ? 3 : 4;
  return sharp({ create: { width, height, channels, background } }).toFormat(format).toBuffer();
}

/** Returns an image of 32 by 24 pixels with a shape of one colour in the middle of a uniform background. */
export async function keyed(ground = '#00ff00', thing = '#803020'): Promise<Buffer> {
  const create = { width: 16, height: 12, channels: 3, background: thing } as const;
  const input = await sharp({ create }).png().toBuffer();
  return sharp({ create: { ...create, width: 32, height: 24, background: ground } })
    .composite([{ input, left: 8, top: 6 }])
    .png()
    .toBuffer();
}

export function openEngine(limits: Partial<ImageLimits> = {}) {
  return createImageEngine({
    limits: {
      max_encoded_bytes: 1024 * 1024,
      max_edge: 2048,
      max_pixels: 4_194_304,
      max_decode_ms: 10_000,
      ...limits,
    },
    clock: systemClock,
    slices,
  });
}
