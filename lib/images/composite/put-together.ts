import { blendPixel } from './blend-pixel.ts';
import type { CompositeTask } from './composite-task.ts';

/** The number of rows between two checks of the stop flag. */
const ROWS_AT_ONCE = 16;

/** Changes `kept` where its mask permits it. False if it was stopped. */
export function putTogether(task: CompositeTask): boolean {
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
