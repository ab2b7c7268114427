import type { OutputInfo } from 'sharp';
import { BridgeError } from '../../errors/bridge-error.ts';
import { createThreadPool } from '../../platform/thread-pool.ts';
import { parseColor } from '../color.ts';
import type { MatteOptions, Pixels } from '../image.ts';
import type { MatteTask } from './cut-out.ts';

const POOL = { name: 'matte', worker: '#matte-worker', threads: 2 } as const;

interface Decoded {
  /**
   * Pixels with four channels. The array must not share its buffer with other data, because the buffer is transferred to the
   * thread.
   */
  readonly data: Uint8Array;
  readonly info: OutputInfo;
}

/** Creates the pool of threads that remove backgrounds. */
export function createMattes() {
  const pool = createThreadPool<Omit<MatteTask, 'stop'>, ArrayBuffer>(POOL);
  return {
    /** Removes a background. Settles only after the thread has finished, even on abort. */
    async cutOut(
      { data, info }: Decoded,
      { keyColor, ...matte }: MatteOptions,
      signal: AbortSignal,
    ): Promise<Pixels> {
      const { width, height } = info;
      const { buffer } = data;
      if (!(buffer instanceof ArrayBuffer) || buffer.byteLength !== width * height * 4) {
        throw new BridgeError('internal', 'decoded image has an unexpected number of bytes');
      }
      const task = { ...matte, key: parseColor(keyColor), data: buffer, width, height };
      const cut = await pool.run(task, signal, [buffer]);
      return { data: Buffer.from(cut), width, height, channels: 4 };
    },

    /** Stops the threads. Resolves when all threads have stopped. */
    close: () => pool.close(),
  };
}
