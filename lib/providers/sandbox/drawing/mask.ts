import { blendPixel } from '../../../images/composite/blend-pixel.ts';
import type { Frame } from './composition.ts';
import type { SharedPixels } from './drawing-task.ts';
import { middleOf, type Position } from './silhouette.ts';

/** Returns the square around the pixels that a mask allows to change, or the middle of the image if there are none. */
export function openSquare(mask: SharedPixels, frame: Frame): Position {
  const bytes = new Uint8Array(mask.data);
  let left = mask.width;
  let right = -1;
  let top = mask.height;
  let bottom = -1;
  for (let y = 0; y < mask.height; y += 1) {
    for (let x = 0; x < mask.width; x += 1) {
      if ((bytes[(y * mask.width + x) * 4 + 3] ?? 255) >= 128) continue;
      left = Math.min(left, x);
      right = Math.max(right, x);
      top = Math.min(top, y);
      bottom = y;
    }
  }
  if (right < 0) return middleOf(frame);
  return {
    u: (left + right + 1) / 2 / frame.unit - frame.halfWidth,
    v: (top + bottom + 1) / 2 / frame.unit - frame.halfHeight,
    size: Math.min(right + 1 - left, bottom + 1 - top) / frame.unit,
  };
}

/**
 * Restores the source in one row of the drawing: completely where the mask's alpha is 255, not at all where it is 0,
 * and blended between.
 */
export function keepMasked(
  y: number,
  source: SharedPixels,
  mask: SharedPixels,
  bytes: Uint8Array,
  channels: 3 | 4,
): void {
  const drawn = { bytes, channels };
  const kept = { bytes: new Uint8Array(source.data), channels: source.channels };
  const alphas = new Uint8Array(mask.data);
  for (let x = 0; x < mask.width; x += 1) {
    const pixel = y * mask.width + x;
    const keep = alphas[pixel * 4 + 3] ?? 255;
    if (keep > 0) blendPixel(drawn, kept, pixel, keep);
  }
}
