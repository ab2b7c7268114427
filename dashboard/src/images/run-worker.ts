/** Gives a worker its one task and ends it with its reply; undefined when it fails. */
export function runWorker<T, R>(worker: Worker, task: T): Promise<R | undefined> {
  return new Promise<R | undefined>((resolve) => {
    worker.onmessage = ({ data }: MessageEvent<R | undefined>) => resolve(data);
    worker.onerror = () => resolve(undefined);
    worker.postMessage(task);
  }).finally(() => worker.terminate());
}
