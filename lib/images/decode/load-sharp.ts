import type { Sharp, SharpOptions } from 'sharp';
import { BridgeError } from '../../errors/bridge-error.ts';

export type SharpFactory = (input: Buffer, options?: SharpOptions) => Sharp;

const LOADERS = [
  'VipsForeignLoadPngBuffer',
  'VipsForeignLoadJpegBuffer',
  'VipsForeignLoadWebpBuffer',
];

/**
 * Imports sharp. The import is slow, so this function is called only when sharp is first needed. Disables all decoders that the
 * bridge does not need in the whole process. Throws `internal` if sharp cannot be loaded.
 */
export async function loadSharp(): Promise<SharpFactory> {
  const { default: sharp } = await import('sharp').catch((cause: unknown) => {
    throw new BridgeError('internal', 'image library cannot be loaded', { cause });
  });
  // A disabled decoder (SVG, TIFF, PDF) cannot be attacked, even if a file of its format passes the earlier checks.
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: LOADERS });
  sharp.concurrency(1);
  sharp.cache(false);
  return sharp;
}
