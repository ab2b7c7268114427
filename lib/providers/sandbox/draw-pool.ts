import { createRequire } from 'node:module';
import type { Piscina } from 'piscina';
import { BridgeError } from '../../errors/bridge-error.ts';
import { orAborted } from '../../platform/or-aborted.ts';
import type { Drawing, DrawingTask } from './drawing/drawing-task.ts';

type Pool = Piscina<DrawingTask, Drawing | undefined>;

export type DrawPool = ReturnType<typeof createDrawPool>;

const THREADS = 2;
const IDLE_MS = 10_000;

/** Draws in threads of its own, which start with the first drawing and end when there is nothing to draw for a while. */
export function createDrawPool() {
  let starting: Promise<Pool> | undefined;

  async function start(): Promise<Pool> {
    // Loaded with the first picture: most services never need it.
    const { Piscina: PoolOfThreads } = await import('piscina');
    // The compiled file, whether this runs compiled or from source: package.json's imports say where it is.
    const filename = createRequire(import.meta.url).resolve('#draw-worker');
    const pool: Pool = new PoolOfThreads({
      filename,
      name: 'draw',
      minThreads: 0,
      maxThreads: THREADS,
      idleTimeout: IDLE_MS,
    });
    // A thread that dies between drawings leaves those that wait for it waiting: they fail, and the next drawing starts anew.
    pool.on('error', () => {
      starting = undefined;
      void pool.destroy();
    });
    return pool;
  }

  async function run(task: DrawingTask): Promise<Drawing | undefined> {
    try {
      starting ??= start();
      const pool = await starting;
      return await pool.run(task);
    } catch (cause) {
      throw new BridgeError('internal', 'a drawing thread has failed', { cause });
    }
  }

  return {
    /** Rejects with the signal's reason on abort, at once; the thread stops at the drawing's next rows. */
    async draw(task: Omit<DrawingTask, 'stop'>, signal: AbortSignal): Promise<Drawing> {
      signal.throwIfAborted();
      const stop = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
      // Not the pool's own abort: that ends the thread, and what waits in the queue waits for ever.
      const onAbort = () => Atomics.store(new Int32Array(stop), 0, 1);
      signal.addEventListener('abort', onAbort, { once: true });
      try {
        const drawing = await orAborted(run({ ...task, stop }), signal);
        if (drawing === undefined) throw new BridgeError('internal', 'a drawing stopped by itself');
        return drawing;
      } finally {
        signal.removeEventListener('abort', onAbort);
      }
    },

    /** Resolves when no thread runs any more. Drawings that still run are lost. */
    async close(): Promise<void> {
      const pool = await starting?.catch(() => undefined);
      await pool?.destroy();
    },
  };
}
