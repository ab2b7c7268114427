import { setImmediate as otherWork } from 'node:timers/promises';
import type { Pixels } from '../../images/image.ts';
import type { SharedPixels } from './drawing/drawing-task.ts';

/** Copied in one step on the main thread: well below a millisecond. */
const STEP_BYTES = 4 * 1024 * 1024;

/** The same pixels in memory that all threads can read: several drawings share one copy. */
export async function toSharedPixels(pixels: Pixels, signal: AbortSignal): Promise<SharedPixels> {
  const { data, width, height, channels } = pixels;
  const shared = new SharedArrayBuffer(data.length);
  const target = new Uint8Array(shared);
  for (let at = 0; at < data.length; at += STEP_BYTES) {
    if (at > 0) await otherWork();
    signal.throwIfAborted();
    target.set(data.subarray(at, at + STEP_BYTES), at);
  }
  return { data: shared, width, height, channels };
}
