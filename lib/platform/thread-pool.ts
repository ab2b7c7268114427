import { createRequire } from 'node:module';
import type { Piscina } from 'piscina';
import { BridgeError } from '../errors/bridge-error.ts';

interface Options {
  /** The function that the threads run, which the file exports under this name. */
  readonly name: string;
  /** The compiled file, whether this runs compiled or from source: package.json's imports say where it is. */
  readonly worker: `#${string}`;
  readonly threads: number;
}

/** One 32-bit integer that threads share: anything but 0 ends the work early. */
type Stoppable<Task> = Task & { readonly stop: SharedArrayBuffer };

const IDLE_MS = 10_000;

/**
 * Runs what would hold the main thread up in threads of its own, which start with the first task and end when there is
 * nothing to do for a while. A worker answers undefined when it was told to stop.
 */
export function createThreadPool<Task extends object, Result>({ name, worker, threads }: Options) {
  type Pool = Piscina<Stoppable<Task>, Result | undefined>;
  let starting: Promise<Pool> | undefined;

  async function start(): Promise<Pool> {
    // Loaded with the first task: most services never need it.
    const { Piscina: PoolOfThreads } = await import('piscina');
    const filename = createRequire(import.meta.url).resolve(worker);
    const pool: Pool = new PoolOfThreads({
      filename,
      name,
      minThreads: 0,
      maxThreads: threads,
      idleTimeout: IDLE_MS,
    });
    // A thread that dies between tasks leaves those that wait for it waiting: they fail, and the next task starts anew.
    pool.on('error', () => {
      starting = undefined;
      void pool.destroy();
    });
    return pool;
  }

  async function finish(task: Stoppable<Task>, transfer: readonly ArrayBuffer[]) {
    try {
      starting ??= start();
      const pool = await starting;
      return await pool.run(task, { transferList: [...transfer] });
    } catch (cause) {
      throw new BridgeError('internal', `a ${name} thread has failed`, { cause });
    }
  }

  return {
    /**
     * Settles when the thread has: after an abort, at which the thread looks now and then, with the signal's reason. What
     * is transferred is lost to the caller.
     */
    async run(
      task: Task,
      signal: AbortSignal,
      transfer: readonly ArrayBuffer[] = [],
    ): Promise<Result> {
      signal.throwIfAborted();
      const stop = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
      // Not the pool's own abort: that ends the thread, and what waits in the queue waits for ever.
      const onAbort = () => Atomics.store(new Int32Array(stop), 0, 1);
      signal.addEventListener('abort', onAbort, { once: true });
      try {
        const result = await finish({ ...task, stop }, transfer);
        signal.throwIfAborted();
        if (result !== undefined) return result;
        throw new BridgeError('internal', `a ${name} thread has stopped by itself`);
      } finally {
        signal.removeEventListener('abort', onAbort);
      }
    },

    /** Resolves when no thread runs any more. Tasks that still run are lost. */
    async close(): Promise<void> {
      const pool = await starting?.catch(() => undefined);
      await pool?.destroy();
    },
  };
}
