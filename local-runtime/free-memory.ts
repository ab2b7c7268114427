import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Task } from '../lib/platform/task.ts';

interface Deps {
  /** How much memory buffers have that were not collected yet. */
  readonly bufferBytes: () => number;
  /** How much of the time since this was last asked the event loop was busy, 0 to 1. */
  readonly busySinceLast: () => number;
  readonly collect: () => void;
}

const EVERY_MS = 2000;
const MAX_BUSY = 0.1;
const LEAST_BYTES = 32 * 1024 * 1024;

/**
 * Collects what images have left once the bridge has nothing to do. V8 collects by what is allocated: after the last image of
 * a burst it would keep up to a hundred megabytes of buffers until the next one.
 */
export function createFreeMemory({ bufferBytes, busySinceLast, collect }: Deps): Task {
  // In use after a collection, for example by the cache of artifacts: no other collection would free it.
  let keptBytes = 0;
  return {
    name: 'free-memory',
    everyMs: EVERY_MS,
    async run() {
      const bytes = bufferBytes();
      if (busySinceLast() > MAX_BUSY) return;
      if (bytes - keptBytes >= LEAST_BYTES) {
        collect();
        // Buffers are freed in the background: the next run sees how much was.
        keptBytes = bytes;
      } else keptBytes = Math.min(keptBytes, bytes);
    },
  };
}

/** `createFreeMemory` for this process. */
export function freeMemory(): Task {
  return createFreeMemory({
    bufferBytes: () => process.memoryUsage().arrayBuffers,
    busySinceLast: createBusyMeter(),
    collect: collectGarbage,
  });
}

/** A full collection: some milliseconds for the few objects of a bridge. */
export function collectGarbage(): void {
  // A context that exists does not get the function any more.
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') collect();
}

function createBusyMeter(): () => number {
  let last: EventLoopUtilization = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
}
