import { createRequire } from 'node:module';
import type { ResourceLimits } from 'node:worker_threads';
import type { Piscina } from 'piscina';
import { BridgeError } from '../errors/bridge-error.ts';
import { createOnce } from './once.ts';

interface Options {
  /** The name of the exported function that the threads run. */
  readonly name: string;
  /** The compiled file, as a name in `imports` of package.json, which also works if the program runs from source. */
  readonly worker: `#${string}`;
  readonly threads: number;
  /** Limits on the memory of a thread. By default a thread may use as much as the process. */
  readonly memory?: Pick<ResourceLimits, 'maxYoungGenerationSizeMb' | 'maxOldGenerationSizeMb'>;
}

/** A task with `stop`, a shared 32-bit integer. The thread ends the work early if the value is not 0. */
export type Stoppable<Task> = Task & { readonly stop: SharedArrayBuffer };

const IDLE_MS = 10_000;

/**
 * Creates a pool of threads for work that would block the main thread. Threads start with the first task and end after ten
 * idle seconds. The exported function of a worker returns undefined if the task was stopped.
 */
export function createThreadPool<Task extends object, Result>(options: Options) {
  const { name, worker, threads, memory } = options;
  type Pool = Piscina<Stoppable<Task>, Result | undefined>;
  const started = createOnce(async () => {
    // The library is loaded with the first task, because most processes never need a thread pool.
    const { Piscina: ThreadPool } = await import('piscina');
    const filename = createRequire(import.meta.url).resolve(worker);
    const limits = { minThreads: 0, maxThreads: threads, idleTimeout: IDLE_MS };
    const resources = memory ? { resourceLimits: memory } : {};
    const pool: Pool = new ThreadPool({ filename, name, ...limits, ...resources });
    // If a thread dies between tasks, waiting tasks would never end. The pool is destroyed so that these tasks fail. The next
    // task starts a new pool.
    pool.on('error', () => {
      started.forget();
      void pool.destroy();
    });
    return pool;
  });

  async function runTask(task: Stoppable<Task>, transfer: readonly ArrayBuffer[]) {
    try {
      const pool = await started.get();
      return await pool.run(task, { transferList: [...transfer] });
    } catch (cause) {
      throw new BridgeError('internal', `a ${name} thread failed`, { cause });
    }
  }

  return {
    /**
     * Runs a task and settles when the thread has finished. Rejects with the signal's reason after an abort. The caller must
     * not use transferred buffers after the call. Throws `internal` if the thread fails.
     */
    async run(
      task: Task,
      signal: AbortSignal,
      transfer: readonly ArrayBuffer[] = [],
    ): Promise<Result> {
      signal.throwIfAborted();
      const stop = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
      // The pool's own abort is not used, because it ends the thread and queued tasks would never run.
      const onAbort = () => Atomics.store(new Int32Array(stop), 0, 1);
      signal.addEventListener('abort', onAbort, { once: true });
      try {
        const result = await runTask({ ...task, stop }, transfer);
        signal.throwIfAborted();
        if (result !== undefined) return result;
        throw new BridgeError('internal', `a ${name} thread ended without a result`);
      } finally {
        signal.removeEventListener('abort', onAbort);
      }
    },

    /** Resolves when all threads have ended. Running tasks are discarded. */
    async close(): Promise<void> {
      const pool = await started.made()?.catch(() => undefined);
      await pool?.destroy();
    },
  };
}
