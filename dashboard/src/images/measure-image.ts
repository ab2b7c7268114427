import { runWorker } from './run-worker.ts';
import type { Size } from './size.ts';

/**
 * Returns the size of an image, rotated upright, which is fully decoded in a worker. Resolves with undefined if the
 * image cannot be decoded.
 */
export function measureImage(image: Blob): Promise<Size | undefined> {
  const worker = new Worker(new URL('./measure-worker.ts', import.meta.url), { type: 'module' });
  return runWorker(worker, image);
}
