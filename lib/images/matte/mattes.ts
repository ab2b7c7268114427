import type { OutputInfo } from 'sharp';
import { BridgeError } from '../../errors/bridge-error.ts';
import { createThreadPool } from '../../platform/thread-pool.ts';
import { parseColor } from '../color.ts';
import type { MatteOptions, Pixels } from '../image.ts';
import type { MatteTask } from './matte-task.ts';

const POOL = { name: 'matte', worker: '#matte-worker', threads: 2 } as const;

interface Decoded {
  /** Four channels, in a buffer of its own, which is transferred. */
  readonly data: Uint8Array;
  readonly info: OutputInfo;
}

/** The threads that remove backgrounds. */
export function createMattes() {
  const pool = createThreadPool<Omit<MatteTask, 'stop'>, ArrayBuffer>(POOL);
  return {
    /** Settles when the thread has, also after an abort. */
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
