/** Sends a worker its only task, and terminates it after its reply. Resolves with undefined if the worker fails. */
export function runWorker<T, R>(worker: Worker, task: T): Promise<R | undefined> {
  return new Promise<R | undefined>((resolve) => {
    worker.onmessage = ({ data }: MessageEvent<R | undefined>) => resolve(data);
    worker.onerror = () => resolve(undefined);
    worker.postMessage(task);
  }).finally(() => worker.terminate());
}
