import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Clock, sleep } from '../../lib/platform/clock.ts';
import type { Task } from '../../lib/platform/task.ts';

interface Deps {
  /** Returns the total size, in bytes, of all buffers that have not been collected. */
  readonly bufferBytes: () => number;
  /** Returns the share of time, 0 to 1, in which the event loop was busy since the previous call. */
  readonly busySinceLast: () => number;
  readonly collect: () => void;
  readonly clock: Clock;
}

const EVERY_MS = 2000;
// The time in which V8 frees the buffers in the background after a collection.
const FREEING_MS = 100;
const MAX_BUSY = 0.1;
const MIN_BYTES = 16 * 1024 * 1024;

/**
 * Creates a task that frees the buffers of images while the bridge is idle. V8 collects garbage only when memory is
 * allocated. After the last image of a burst, V8 would keep up to a hundred megabytes of buffers until the next image.
 */
export function createFreeMemory({ bufferBytes, busySinceLast, collect, clock }: Deps): Task {
  // The bytes that are still in use after a collection, for example by the artifact cache.
  let keptBytes = 0;
  return {
    name: 'free-memory',
    everyMs: EVERY_MS,
    async run(signal) {
      const bytes = bufferBytes();
      keptBytes = Math.min(keptBytes, bytes);
      if (busySinceLast() > MAX_BUSY || bytes - keptBytes < MIN_BYTES) return;
      collect();
      // If the bridge stops meanwhile, the number of bytes no longer matters.
      await sleep(clock, FREEING_MS, signal).catch(() => {});
      keptBytes = bufferBytes();
    },
  };
}

/** Creates the task of `createFreeMemory` for this process. */
export function freeMemory(clock: Clock): Task {
  let last = performance.eventLoopUtilization();
  return createFreeMemory({
    bufferBytes: () => process.memoryUsage().arrayBuffers,
    busySinceLast() {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, last);
      last = now;
      return utilization;
    },
    collect: collectGarbage,
    clock,
  });
}

/** Runs a full garbage collection, which takes a few milliseconds because the bridge has few objects. */
export function collectGarbage(): void {
  // The flag adds the function only to contexts that are created later.
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') collect();
}
