import { createRequire } from 'node:module';
import type { Piscina } from 'piscina';
import { BridgeError } from '../errors/bridge-error.ts';
import { createOnce } from './once.ts';

interface Options {
  /** The function that the threads run, which the file exports under this name. */
  readonly name: string;
  /** The compiled file, whether this runs compiled or from source: package.json's imports say where it is. */
  readonly worker: `#${string}`;
  readonly threads: number;
}

/** `stop` is one 32-bit integer that the threads share: any value but 0 ends the work early. */
type Stoppable<Task> = Task & { readonly stop: SharedArrayBuffer };

const IDLE_MS = 10_000;

export type ThreadPool<Task extends object, Result> = ReturnType<
  typeof createThreadPool<Task, Result>
>;

/**
 * Runs in threads what would block the main thread. They start with the first task and end after ten idle seconds. A worker
 * returns undefined when it was stopped.
 */
export function createThreadPool<Task extends object, Result>({ name, worker, threads }: Options) {
  type Pool = Piscina<Stoppable<Task>, Result | undefined>;
  const started = createOnce(start);

  async function start(): Promise<Pool> {
    // Loaded with the first task: most services never need it.
    const { Piscina: ThreadPool } = await import('piscina');
    const filename = createRequire(import.meta.url).resolve(worker);
    const pool: Pool = new ThreadPool({
      filename,
      name,
      minThreads: 0,
      maxThreads: threads,
      idleTimeout: IDLE_MS,
    });
    // Tasks that wait for a thread that died between tasks would wait for ever: they fail, and the next task starts a new pool.
    pool.on('error', () => {
      started.forget();
      void pool.destroy();
    });
    return pool;
  }

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
     * Settles when the thread has. After an abort, which the thread checks now and then, it rejects with the signal's
     * reason. The caller cannot use transferred buffers any more. Throws `internal` when the thread fails.
     */
    async run(
      task: Task,
      signal: AbortSignal,
      transfer: readonly ArrayBuffer[] = [],
    ): Promise<Result> {
      signal.throwIfAborted();
      const stop = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
      // Not the pool's own abort: it ends the thread, and tasks in the queue would wait for ever.
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

    /** Resolves when no thread runs any more. Tasks that still run are discarded. */
    async close(): Promise<void> {
      const pool = await started.made()?.catch(() => undefined);
      await pool?.destroy();
    },
  };
}
