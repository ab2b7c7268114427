import type { ImageEngine } from '../../lib/images/image.ts';
import { systemClock } from '../../lib/platform/clock.ts';
import { createOnce } from '../../lib/platform/once.ts';
import { createTimeSlices } from '../../lib/platform/time-slices.ts';

// Far above what a thumbnail has.
const LIMITS = {
  max_encoded_bytes: 32 * 1024 * 1024,
  max_edge: 2048,
  max_pixels: 2048 * 2048,
  max_decode_ms: 30_000,
};

/** Makes previews in a process that is no service. It is loaded with the first of them. */
export function createPreviewImages() {
  const engine = createOnce(openEngine);
  return {
    get: engine.get,
    async close(): Promise<void> {
      await (await engine.made()?.catch(() => undefined))?.close();
    },
  };
}

async function openEngine(): Promise<ImageEngine> {
  const { createImageEngine } = await import('../../lib/images/image-engine.ts');
  const slices = createTimeSlices(systemClock);
  return createImageEngine({ limits: LIMITS, clock: systemClock, slices });
}
