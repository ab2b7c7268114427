/** A size in pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Decodes an image in a worker. Resolves with its size after EXIF rotation, or with undefined if decoding fails. */
export async function measureImage(image: Blob): Promise<Size | undefined> {
  const worker = new Worker(new URL('./measure-worker.ts', import.meta.url), { type: 'module' });
  return (await runWorker<Blob, Size | undefined>(worker, image)) ?? measureHere(image);
}

/** Decodes an image without a worker, whose code cannot be loaded while the bridge is not reachable. */
async function measureHere(image: Blob): Promise<Size | undefined> {
  try {
    const bitmap = await createImageBitmap(image);
    const { width, height } = bitmap;
    bitmap.close();
    return { width, height };
  } catch {
    return undefined;
  }
}

/** Sends a worker its only task, and terminates it after its reply. Resolves with undefined if the worker fails. */
export function runWorker<T, R>(worker: Worker, task: T): Promise<R | undefined> {
  return new Promise<R | undefined>((resolve) => {
    worker.onmessage = ({ data }: MessageEvent<R | undefined>) => resolve(data);
    worker.onerror = () => resolve(undefined);
    worker.postMessage(task);
  }).finally(() => worker.terminate());
}
