import { accessSync, constants } from 'node:fs';
import { setFlagsFromString } from 'node:v8';

/**
 * The variables with which glibc's allocator returns freed memory to the system; it reads them when a program starts
 * (mallopt(3)). With its defaults it keeps most of the memory that images have used: in one arena for each thread, and
 * below a threshold that grows to the size of the largest buffer ever freed.
 */
export const ALLOCATOR = {
  MALLOC_ARENA_MAX: '2',
  // Freed blocks of at least this size are returned to the system. The read buffers of sockets, of 64 KB each, stay below, because
  // the system would map and clear every one of them anew: 1,000 page faults and a tenth of the CPU time of an image.
  MALLOC_MMAP_THRESHOLD_: '98304',
  MALLOC_TRIM_THRESHOLD_: '131072',
} as const;

/**
 * Restarts this program in the same process with the allocator's variables. Returns without a restart if the platform does
 * not support it, or if one of the variables is already set by the operator or by an earlier call.
 */
export function applyAllocatorSettings(): void {
  const { env, execPath, execArgv, argv } = process;
  const isSet = Object.keys(ALLOCATOR).some((name) => env[name] !== undefined);
  if (process.platform !== 'linux' || isSet) return;
  try {
    // Checked first because Node aborts if the call fails. It throws if its permission model forbids the call.
    accessSync(execPath, constants.X_OK);
    process.execve?.(execPath, [execPath, ...execArgv, ...argv.slice(1)], {
      ...env,
      ...ALLOCATOR,
    });
  } catch {
    // The bridge works without the restart but uses more memory.
  }
}

/** Tunes V8's garbage collection for a process whose memory is mostly images outside the heap. */
export function applyHeapSettings(): void {
  // Lets the old generation grow to five times its size after a full collection. V8 derives the limit from the few objects
  // of a bridge but counts images outside the heap, so that it would run a full collection every few images.
  setFlagsFromString('--heap-growing-percent=400');
  // Keeps the young generation at its initial size. It would grow to 16 MB, and each of its small objects can reference
  // 64 KB read from a socket: a hundred megabytes would be in use before the next collection.
  setFlagsFromString('--semi-space-growth-factor=1');
}
