import type { Stoppable } from '../../platform/thread-pool.ts';
import { eachRow, transferResult } from '../../platform/thread-work.ts';
import type { Rgb } from '../color.ts';
import type { Edges, MatteOptions } from '../image.ts';
import { createDespill, FAR, type Plate } from './despill.ts';

/** An image to cut out of its flat background. The members are exactly the values that determine the resulting pixels. */
export interface MatteTask extends Omit<MatteOptions, 'keyColor'>, Edges {
  /** Pixels in 8-bit sRGB with alpha: rows from the top, not premultiplied. The pixels are changed in this buffer. */
  readonly data: ArrayBuffer;
  /** Requested key colour. The actual key colour is near the requested colour. */
  readonly key: Rgb;
}

/** Runs a task in a matte thread. Returns the pixels with a transparent background, or undefined if the task was stopped. */
export function matte(task: Stoppable<MatteTask>) {
  const { data } = task;
  return cutOut(task) ? transferResult(data, [data]) : undefined;
}

/**
 * Makes the flat background transparent, in the buffer of the task. The alpha of a pixel depends on the distance between the
 * pixel and the key colour. The distance is the greatest difference in a single channel in 8-bit sRGB (docs/transparency.md).
 * Returns false if the work was stopped. The same task produces the same bytes on every machine, because all
 * arithmetic uses integers.
 */
export function cutOut(task: Stoppable<MatteTask>): boolean {
  const { width, height, despill, stop } = task;
  const pixels = new Uint8Array(task.data);
  const distances = new Uint8Array(width * height);
  const steps = new Uint8Array(width * height);
  const plate: Plate = { pixels, width, height, distances, steps };
  const key = findKey(plate, task.key);
  const alphas = alphaOfDistance(task);
  if (!eachRow(height, stop, (y) => clearRow(y, plate, key, alphas))) return false;
  if (!despill) return true;
  const hasSteps = eachRow(height, stop, (y) => stepRow(height - 1 - y, plate));
  return hasSteps && eachRow(height, stop, createDespill(plate, key, alphas));
}

/**
 * Returns a table of the alpha for each distance. The alpha is 0 up to the lower threshold and 255 from the upper threshold
 * upwards. Between the thresholds, the alpha rises linearly and is rounded.
 */
function alphaOfDistance({ transparentThreshold, opaqueThreshold }: MatteTask): Uint8Array {
  const range = opaqueThreshold - transparentThreshold;
  return Uint8Array.from({ length: 256 }, (_, distance) => {
    const above = Math.min(Math.max(distance - transparentThreshold, 0), range);
    return Math.floor((2 * above * 255 + range) / (2 * range));
  });
}

/**
 * Writes the alpha, the distances and the steps of one row, and clears the colour of transparent pixels. Multiplies the alpha
 * of the image by the alpha of the matte. Must be called for each row from the top down.
 */
function clearRow(y: number, plate: Plate, [red, green, blue]: Rgb, alphas: Uint8Array) {
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

/** Updates the steps of one row from the pixels to the right and below. Must be called for each row from the bottom up. */
function stepRow(y: number, { width, height, steps }: Plate): void {
  const start = y * width;
  let right = FAR;
  for (let pixel = start + width - 1; pixel >= start; pixel -= 1) {
    const below = y === height - 1 ? FAR : (steps[pixel + width] ?? FAR);
    right = Math.min(steps[pixel] ?? FAR, right + 1, below + 1);
    steps[pixel] = right;
  }
}

/** The greatest difference in a channel from the requested colour at which a pixel counts as background. */
const NEAR = 96;
const BORDER_PX = 2;
/** The size of a corner as a fraction of the shorter side. Corners seldom show the subject. */
const CORNER_SHARE = 1 / 32;

/**
 * Returns the actual key colour: the median of each channel over all border and corner pixels that are near the colour `asked`.
 * Returns `asked` if there are no such pixels.
 */
function findKey({ pixels, width, height }: Plate, asked: Rgb): Rgb {
  // A histogram for each channel.
  const counts = [0, 1, 2].map(() => new Uint32Array(256));
  let total = 0;
  const corner = Math.max(BORDER_PX, Math.floor(Math.min(width, height) * CORNER_SHARE));
  const isEdge = (at: number, length: number, depth: number) => at < depth || at >= length - depth;
  const count = (x: number, y: number) => {
    const at = (y * width + x) * 4;
    if (pixels[at + 3] !== 255) return;
    for (let channel = 0; channel < 3; channel += 1) {
      if (Math.abs((pixels[at + channel] ?? 0) - (asked[channel] ?? 0)) > NEAR) return;
    }
    for (const [channel, histogram] of counts.entries()) {
      const value = pixels[at + channel] ?? 0;
      histogram[value] = (histogram[value] ?? 0) + 1;
    }
    total += 1;
  };
  for (let y = 0; y < height; y += 1) {
    const isRow = isEdge(y, height, BORDER_PX);
    const depth = isEdge(y, height, corner) ? corner : BORDER_PX;
    for (let x = 0; x < width; x += 1) {
      if (isRow || isEdge(x, width, depth)) count(x, y);
      // Skips the middle of the row.
      else x = Math.max(x, width - depth - 1);
    }
  }
  if (total === 0) return asked;
  const [red = 0, green = 0, blue = 0] = counts.map((histogram) => median(histogram, total));
  return [red, green, blue];
}

/** Returns the median of a histogram. If there are two middle values, returns the lower one of the two. */
function median(counts: Uint32Array, total: number): number {
  let below = 0;
  return counts.findIndex((count) => {
    below += count;
    return below * 2 >= total;
  });
}
