import { runWorker } from './run-worker.ts';

export interface MeasuredSize {
  readonly width: number;
  readonly height: number;
}

/** The size of an image, turned upright, decoded whole beside the page; undefined where it cannot be decoded. */
export function measureImage(image: Blob): Promise<MeasuredSize | undefined> {
  const worker = new Worker(new URL('./measure-worker.ts', import.meta.url), { type: 'module' });
  return runWorker(worker, image);
}
