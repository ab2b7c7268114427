import type { Sharp, SharpOptions } from 'sharp';
import { BridgeError } from '../../errors/bridge-error.ts';

export type SharpFactory = (input: Buffer, options?: SharpOptions) => Sharp;

const LOADERS = [
  'VipsForeignLoadPngBuffer',
  'VipsForeignLoadJpegBuffer',
  'VipsForeignLoadWebpBuffer',
];

/**
 * Imports sharp, not at start-up but when it is needed, and disables for the whole process what the bridge does not need.
 * Throws `internal`.
 */
export async function loadSharp(): Promise<SharpFactory> {
  const { default: sharp } = await import('sharp').catch((cause: unknown) => {
    throw new BridgeError('internal', 'the image library cannot be loaded', { cause });
  });
  // A disabled decoder cannot be attacked, even if a file of its format passed the checks before: SVG, TIFF or PDF.
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: LOADERS });
  sharp.concurrency(1);
  sharp.cache(false);
  return sharp;
}
