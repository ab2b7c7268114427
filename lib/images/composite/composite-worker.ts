import { transferResult } from '../../platform/transfer.ts';
import type { Pixels } from '../image.ts';
import { blendPixel } from './blend-pixel.ts';

/** The number of rows between two checks of the stop flag. */
const ROWS_AT_ONCE = 16;

/** Two images of the same dimensions, and the alpha that decides which of them each pixel comes from. */
export interface CompositeTask extends Pick<Pixels, 'width' | 'height' | 'channels'> {
  /** Source in 8-bit sRGB: rows from the top, alpha not premultiplied. The result is written into this buffer. */
  readonly kept: ArrayBuffer;
  /** Image drawn by a model, in the same form as `kept`. */
  readonly drawn: ArrayBuffer;
  /** Weights, one byte for each pixel. With 255 the source stays, with 0 the drawn image replaces it. */
  readonly alpha: ArrayBuffer;
  /** A 32-bit integer. Any value except 0 ends the work early. */
  readonly stop: SharedArrayBuffer;
}

/** Runs a task in a composite thread. Returns the changed pixels, or undefined if the task was stopped. */
export function composite(task: CompositeTask) {
  const { kept } = task;
  return putTogether(task) ? transferResult(kept, [kept]) : undefined;
}

/** Changes `kept` where the mask permits it. Returns false if it was stopped. */
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
