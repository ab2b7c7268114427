import { createThreadPool } from '../../platform/thread-pool.ts';
import { parseColor } from '../color.ts';
import { type Decoded, wholeBuffer } from '../decode/sharp-pipelines.ts';
import type { MatteOptions, Pixels } from '../image.ts';
import type { MatteTask } from './cut-out.ts';

const POOL = { name: 'matte', worker: '#matte-worker', threads: 2 } as const;

/** Creates the pool of threads that remove backgrounds. */
export function createMattes() {
  const pool = createThreadPool<MatteTask, ArrayBuffer>(POOL);
  return {
    /** Removes the background of an image with four channels. Settles only after the thread has finished, even on abort. */
    async cutOut(
      decoded: Decoded,
      { keyColor, ...matte }: MatteOptions,
      signal: AbortSignal,
    ): Promise<Pixels> {
      const { width, height } = decoded.info;
      const data = wholeBuffer(decoded, 4);
      const task = { ...matte, key: parseColor(keyColor), data, width, height };
      const cut = await pool.run(task, signal, [data]);
      return { data: Buffer.from(cut), width, height, channels: 4 };
    },

    /** Stops the threads. Resolves when all threads have stopped. */
    close: () => pool.close(),
  };
}
