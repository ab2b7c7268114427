import type { OutputInfo } from 'sharp';
import { BridgeError } from '../../errors/bridge-error.ts';
import { createSemaphore } from '../../platform/semaphore.ts';
import { createThreadPool } from '../../platform/thread-pool.ts';
import { parseColor } from '../color.ts';
import type { MatteOptions, Pixels } from '../image.ts';
import type { MatteTask } from './matte-task.ts';

/** So many raw images are in memory at a time: 256 MiB each at the largest size. */
const TABLES = 2;
const POOL = { name: 'matte', worker: '#matte-worker', threads: TABLES } as const;

interface Decoded {
  /** Four channels, and a buffer of its own, which is given away. */
  readonly data: Uint8Array;
  readonly info: OutputInfo;
}

/** The threads that cut subjects out. */
export function createMattes() {
  const pool = createThreadPool<Omit<MatteTask, 'stop'>, ArrayBuffer>(POOL);
  return {
    /** What holds an image's pixels from its decoding to its encoding runs under this gate. */
    gate: createSemaphore(TABLES),

    /** Settles when the thread has, after an abort too. */
    async cutOut(
      { data, info }: Decoded,
      { keyColor, ...matte }: MatteOptions,
      signal: AbortSignal,
    ): Promise<Pixels> {
      const { width, height } = info;
      const { buffer } = data;
      if (!(buffer instanceof ArrayBuffer) || buffer.byteLength !== width * height * 4) {
        throw new BridgeError('internal', 'a decoded image has an unexpected number of bytes');
      }
      const task = { ...matte, key: parseColor(keyColor), data: buffer, width, height };
      const cut = await pool.run(task, signal, [buffer]);
      return { data: Buffer.from(cut), width, height, channels: 4 };
    },

    /** Resolves when no thread runs any more. */
    close: () => pool.close(),
  };
}
