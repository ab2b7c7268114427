import { transferResult } from '../../platform/transfer.ts';
import type { Pixels } from '../image.ts';

/** The number of rows between two checks of the stop flag. */
const ROWS_AT_ONCE = 16;

/** Two images with the same dimensions, and the weights for blending the two. */
export interface CompositeTask extends Pick<Pixels, 'width' | 'height' | 'channels'> {
  /** Source in 8-bit sRGB: rows from the top, alpha not premultiplied. The result is written into this buffer. */
  readonly kept: ArrayBuffer;
  /** Image drawn by a model, in the same form as `kept`. */
  readonly drawn: ArrayBuffer;
  /** Weights, one byte for each pixel. 255 keeps the source pixel; 0 replaces the source pixel with the drawn pixel. */
  readonly alpha: ArrayBuffer;
  /** Stop flag, a 32-bit integer. Any value except 0 ends the work early. */
  readonly stop: SharedArrayBuffer;
}

/** Runs a task in a composite thread. Returns the changed pixels, or undefined if the task was stopped. */
export function composite(task: CompositeTask) {
  const { kept } = task;
  return putTogether(task) ? transferResult(kept, [kept]) : undefined;
}

/** Changes `kept` where the mask permits changes. Returns false if the task was stopped. */
function putTogether(task: CompositeTask): boolean {
  const { width, height, channels } = task;
  const stop = new Int32Array(task.stop);
  const alpha = new Uint8Array(task.alpha);
  const kept = { bytes: new Uint8Array(task.kept), channels };
  const drawn = { bytes: new Uint8Array(task.drawn), channels };
  for (let y = 0; y < height; y += 1) {
    if (y % ROWS_AT_ONCE === 0 && Atomics.load(stop, 0) !== 0) return false;
    const end = (y + 1) * width;
    for (let pixel = y * width; pixel < end; pixel += 1) {
      const keep = alpha[pixel] ?? 255;
      if (keep < 255) blendPixel(kept, drawn, pixel, 255 - keep);
    }
  }
  return true;
}

/** Pixels in 8-bit sRGB, alpha not premultiplied. */
export interface Plane {
  readonly bytes: Uint8Array;
  readonly channels: 3 | 4;
}

/**
 * Blends one pixel of `target` with the same pixel of `other`. With `weight` 255, the pixel becomes exactly the pixel of
 * `other`. With `weight` 0, the pixel stays unchanged.
 */
export function blendPixel(target: Plane, other: Plane, pixel: number, weight: number): void {
  const { bytes, channels } = target;
  const to = pixel * channels;
  const from = pixel * other.channels;
  const ownAlpha = channels === 4 ? (bytes[to + 3] ?? 255) : 255;
  const otherAlpha = other.channels === 4 ? (other.bytes[from + 3] ?? 255) : 255;
  const own = ownAlpha * (255 - weight);
  const both = own + otherAlpha * weight;
  for (let channel = 0; channel < 3; channel += 1) {
    const is = bytes[to + channel] ?? 0;
    const becomes = other.bytes[from + channel] ?? 0;
    // Colours are weighted by their alpha because invisible colours must not become visible. With weight 255, colours are
    // copied without change.
    bytes[to + channel] =
      weight === 255 || both === 0
        ? becomes
        : Math.round((is * own + becomes * otherAlpha * weight) / both);
  }
  if (channels === 4) bytes[to + 3] = Math.round(both / 255);
}
