import type { Rgb } from '../color.ts';

/** A background farther than this from the requested colour is taken for another colour. */
const NEAR = 96;
const BORDER_PX = 2;
/** Of the shorter edge: corners are where a subject is least. */
const CORNER_SHARE = 1 / 32;

type Image = {
  readonly pixels: Uint8Array;
  readonly width: number;
  readonly height: number;
};

/**
 * The actual key colour: the median, channel by channel, of the pixels near the `asked` colour along the border and in the
 * corners, or `asked` itself if none is near it.
 */
export function findKey({ pixels, width, height }: Image, asked: Rgb): Rgb {
  // 256 for each channel.
  const counts = new Uint32Array(3 * 256);
  let total = 0;
  const corner = Math.max(BORDER_PX, Math.floor(Math.min(width, height) * CORNER_SHARE));
  const isEdge = (at: number, length: number, depth: number) => at < depth || at >= length - depth;
  const count = (x: number, y: number) => {
    const at = (y * width + x) * 4;
    if (pixels[at + 3] !== 255) return;
    for (let channel = 0; channel < 3; channel += 1) {
      if (Math.abs((pixels[at + channel] ?? 0) - (asked[channel] ?? 0)) > NEAR) return;
    }
    for (let channel = 0; channel < 3; channel += 1) {
      const bin = channel * 256 + (pixels[at + channel] ?? 0);
      counts[bin] = (counts[bin] ?? 0) + 1;
    }
    total += 1;
  };
  for (let y = 0; y < height; y += 1) {
    const isRow = isEdge(y, height, BORDER_PX);
    const depth = isEdge(y, height, corner) ? corner : BORDER_PX;
    for (let x = 0; x < width; x += 1) {
      if (isRow || isEdge(x, width, depth)) count(x, y);
      // The middle of a row is skipped.
      else x = Math.max(x, width - depth - 1);
    }
  }
  if (total === 0) return asked;
  const medianOf = (channel: number) =>
    median(counts.subarray(channel * 256, channel * 256 + 256), total);
  return [medianOf(0), medianOf(1), medianOf(2)];
}

/** The value below or at which half of all lie; of two middle ones the lower. */
function median(counts: Uint32Array, total: number): number {
  let below = 0;
  return counts.findIndex((count) => {
    below += count;
    return below * 2 >= total;
  });
}
