import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';

// The limit of the JavaScript heap. The largest values in a thread are the lists of unfinished work of an earlier process.
const HEAP_MB = 256;

export interface StorageThread {
  readonly worker: Worker;
  /** Resolves when the thread has ended, with the error that ended the thread, or with undefined. */
  readonly ended: Promise<unknown>;
}

/** Starts a storage thread. The thread loads its program, then waits for the command that opens the database. */
export function startStorageThread(name = 'storage'): StorageThread {
  // The worker is always the compiled file, even if this file runs from source. The path of the worker is in `imports` of
  // package.json.
  const program = createRequire(import.meta.url).resolve('#storage-worker');
  const worker = new Worker(program, {
    name,
    workerData: name,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  let cause: unknown;
  worker.on('error', (error) => {
    cause = error;
  });
  return { worker, ended: new Promise((resolve) => worker.on('exit', () => resolve(cause))) };
}
