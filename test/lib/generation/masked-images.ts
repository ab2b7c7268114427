import sharp from 'sharp';
import type { CapabilityDocument } from '../../../lib/contract/resources/provider.ts';
import type { ScriptedCall } from '../../support/scripted-provider.ts';
import { createSeeded } from '../../support/seeded.ts';
import { maskEmulated } from './capability-documents.ts';

/** A model that treats a mask only as a hint. Its images are small, so that tests can draw many. */
export const hinted: CapabilityDocument = {
  ...maskEmulated,
  sizes: {
    auto: true,
    allowed: [],
    arbitrary: true,
    edge_multiple: 16,
    min_edge: 32,
    max_edge: 64,
    max_aspect_ratio: 3,
  },
};

/** The pixels that `repaint` draws. */
export const DRAWN = [200, 40, 60, 255];

/** Repaints the whole image and ignores the mask, as models do: sends one partial image, then the complete image. */
export async function repaint(call: ScriptedCall): Promise<void> {
  call.dispatch();
  const { width = 1, height = 1 } = call.request.images[0] ?? {};
  const bytes = await flat(width, height, '#c8283c');
  for (const index of call.request.indices) {
    call.context.onEvent({ type: 'partial_image', index, partialIndex: 0, bytes });
  }
  call.succeed({ outputs: call.request.indices.map(() => ({ bytes })) });
}

export function flat(
  width: number,
  height: number,
  background: string,
  format: 'png' | 'jpeg' = 'png',
) {
  return sharp({ create: { width, height, channels: 3, background } })
    .toFormat(format)
    .toBuffer();
}

/** Returns the pixels with four samples each, rotated by EXIF. */
export async function samplesOf(bytes: Buffer) {
  const pixels = sharp(bytes).autoOrient().ensureAlpha().raw();
  const { data, info } = await pixels.toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

export function maskOf(
  { width, height }: { readonly width: number; readonly height: number },
  alphaAt: (at: number) => number,
) {
  const data = Buffer.alloc(width * height * 4);
  for (let at = 0; at < width * height; at += 1) data[at * 4 + 3] = alphaAt(at);
  return sharp(data, { raw: { width, height, channels: 4 } })
    .png()
    .toBuffer();
}

export function noise(seed: number, length: number): Buffer {
  const random = createSeeded(seed);
  return Buffer.from(Array.from({ length }, () => random.next(256)));
}
