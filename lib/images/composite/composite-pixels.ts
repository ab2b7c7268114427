import type { Stoppable } from '../../platform/thread-pool.ts';
import { eachRow, transferResult } from '../../platform/thread-work.ts';
import type { Pixels } from '../image.ts';

/** Two images with the same dimensions, and the weights for blending the two. */
export interface CompositeTask extends Pick<Pixels, 'width' | 'height' | 'channels'> {
  /** Source in 8-bit sRGB: rows from the top, alpha not premultiplied. The result is written into this buffer. */
  readonly kept: ArrayBuffer;
  /** Image drawn by a model, in the same form as `kept`. */
  readonly drawn: ArrayBuffer;
  /** Weights, one byte for each pixel. 255 keeps the source pixel; 0 replaces the source pixel with the drawn pixel. */
  readonly alpha: ArrayBuffer;
}

/** Runs a task in a composite thread. Returns the changed pixels, or undefined if the task was stopped. */
export function composite(task: Stoppable<CompositeTask>) {
  const { width, height, channels, stop } = task;
  const alpha = new Uint8Array(task.alpha);
  const kept = { bytes: new Uint8Array(task.kept), channels };
  const drawn = { bytes: new Uint8Array(task.drawn), channels };
  const isDone = eachRow(height, stop, (y) => {
    const end = (y + 1) * width;
    for (let pixel = y * width; pixel < end; pixel += 1) {
      const keep = alpha[pixel] ?? 255;
      if (keep < 255) blendPixel(kept, drawn, pixel, 255 - keep);
    }
  });
  return isDone ? transferResult(task.kept, [task.kept]) : undefined;
}

/** Pixels in 8-bit sRGB, alpha not premultiplied. */
export interface Plane {
  readonly bytes: Uint8Array;
  readonly channels: 3 | 4;
}

/** Blends one pixel of `target` with the same pixel of `other`. Weight 255 copies `other`. Weight 0 changes nothing. */
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
    // Colours are weighted by their alpha, because invisible colours must not become visible.
    bytes[to + channel] =
      weight === 255 || both === 0
        ? becomes
        : Math.round((is * own + becomes * otherAlpha * weight) / both);
  }
  if (channels === 4) bytes[to + 3] = Math.round(both / 255);
}
