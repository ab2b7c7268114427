/** A size in pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Decodes an image in a worker. Resolves with its size after EXIF rotation, or with undefined if decoding fails. */
export function measureImage(image: Blob): Promise<Size | undefined> {
  const worker = new Worker(new URL('./measure-worker.ts', import.meta.url), { type: 'module' });
  return runWorker(worker, image);
}

/** Sends a worker its only task, and terminates it after its reply. Resolves with undefined if the worker fails. */
export function runWorker<T, R>(worker: Worker, task: T): Promise<R | undefined> {
  return new Promise<R | undefined>((resolve) => {
    worker.onmessage = ({ data }: MessageEvent<R | undefined>) => resolve(data);
    worker.onerror = () => resolve(undefined);
    worker.postMessage(task);
  }).finally(() => worker.terminate());
}
