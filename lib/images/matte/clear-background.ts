import type { Rgb } from '../color.ts';
import { FAR, type Plate } from './matte-task.ts';

interface Thresholds {
  readonly transparentThreshold: number;
  readonly opaqueThreshold: number;
}

/** The alpha of every distance: 0 up to the lower threshold, 255 from the upper one on, linear between, rounded. */
export function alphaOfDistance({ transparentThreshold, opaqueThreshold }: Thresholds): Uint8Array {
  const range = opaqueThreshold - transparentThreshold;
  return Uint8Array.from({ length: 256 }, (_, distance) => {
    const above = Math.min(Math.max(distance - transparentThreshold, 0), range);
    return Math.floor((2 * above * 255 + range) / (2 * range));
  });
}

/**
 * Writes alpha, distances and steps of one row, and clears the colour of transparent pixels. Rows must come from the top. The
 * image's own alpha stays.
 */
export function clearRow(y: number, plate: Plate, [red, green, blue]: Rgb, alphas: Uint8Array) {
  const { pixels, width, distances, steps } = plate;
  const end = (y + 1) * width;
  let left = FAR;
  for (let pixel = y * width, at = pixel * 4; pixel < end; pixel += 1, at += 4) {
    const r = Math.abs((pixels[at] ?? 0) - red);
    const g = Math.abs((pixels[at + 1] ?? 0) - green);
    const b = Math.abs((pixels[at + 2] ?? 0) - blue);
    const distance = Math.max(r, g, b);
    const own = pixels[at + 3] ?? 0;
    const matte = alphas[distance] ?? 0;
    const alpha = own === 255 ? matte : Math.floor((matte * own + 127) / 255);
    pixels[at + 3] = alpha;
    distances[pixel] = alpha === 0 ? 0 : distance;
    if (alpha === 0) pixels[at] = pixels[at + 1] = pixels[at + 2] = 0;
    const above = y === 0 ? FAR : (steps[pixel - width] ?? FAR);
    left = alpha < 255 ? 0 : Math.min(left + 1, above + 1, FAR);
    steps[pixel] = left;
  }
}

/** Completes the steps of one row with those of the pixels to the right and below. Rows must come from the bottom. */
export function stepRow(y: number, { width, height, steps }: Plate): void {
  const start = y * width;
  let right = FAR;
  for (let pixel = start + width - 1; pixel >= start; pixel -= 1) {
    const below = y === height - 1 ? FAR : (steps[pixel + width] ?? FAR);
    right = Math.min(steps[pixel] ?? FAR, right + 1, below + 1);
    steps[pixel] = right;
  }
}
