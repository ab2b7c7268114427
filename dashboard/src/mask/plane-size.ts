import type { Size } from '../images/size.ts';

/** Enough for 3840 × 2160. A mask of a larger image is painted smaller and enlarged when it is used. */
const MAX_PIXELS = 2 ** 23;

/** The size in which an image is shown and its mask is painted. */
export function planeSize({ width, height }: Size): Size {
  const scale = Math.min(1, Math.sqrt(MAX_PIXELS / (width * height)));
  return {
    width: Math.max(1, Math.floor(width * scale)),
    height: Math.max(1, Math.floor(height * scale)),
  };
}
