import type { Sharp, SharpOptions } from 'sharp';
import { BridgeError } from '../../errors/bridge-error.ts';

export type SharpFactory = (input: Buffer, options?: SharpOptions) => Sharp;

const LOADERS = [
  'VipsForeignLoadPngBuffer',
  'VipsForeignLoadJpegBuffer',
  'VipsForeignLoadWebpBuffer',
];

/**
 * Imports sharp, which starting up does not wait for, and narrows it for the whole process to what the bridge needs.
 * Throws `internal`.
 */
export async function loadSharp(): Promise<SharpFactory> {
  const { default: sharp } = await import('sharp').catch((cause: unknown) => {
    throw new BridgeError('internal', 'the image library cannot be loaded', { cause });
  });
  // A decoder that cannot start cannot be attacked: whatever the sniffing misses is still no SVG, TIFF or PDF.
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: LOADERS });
  sharp.concurrency(1);
  sharp.cache(false);
  return sharp;
}
