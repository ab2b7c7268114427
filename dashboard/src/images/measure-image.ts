import { runWorker } from './run-worker.ts';
import type { Size } from './size.ts';

/** The size of an image, turned upright, decoded whole beside the page; undefined where it cannot be decoded. */
export function measureImage(image: Blob): Promise<Size | undefined> {
  const worker = new Worker(new URL('./measure-worker.ts', import.meta.url), { type: 'module' });
  return runWorker(worker, image);
}
