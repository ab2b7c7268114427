import { accessSync, constants } from 'node:fs';
import { setFlagsFromString } from 'node:v8';

/**
 * How glibc's allocator treats memory that is freed, in variables that it reads when a program starts (mallopt(3)). Its
 * defaults keep most of what images have used: in one arena for each thread, and below a threshold that grows to the
 * size of the largest buffer that was ever freed.
 */
export const ALLOCATOR = {
  MALLOC_ARENA_MAX: '2',
  // Buffers that a socket is read into have this size. From here on memory goes back to the system when it is freed.
  MALLOC_MMAP_THRESHOLD_: '65536',
  MALLOC_TRIM_THRESHOLD_: '131072',
} as const;

/**
 * Starts this program once more in the same process, now with the allocator's variables. Returns where that is not
 * possible, and when the operator or an earlier call has set one of them.
 */
export function applyAllocatorSettings(): void {
  const { env, execPath, execArgv, argv } = process;
  const isSet = Object.keys(ALLOCATOR).some((name) => env[name] !== undefined);
  if (process.platform !== 'linux' || isSet) return;
  try {
    // Node aborts when the call itself fails, and throws where its permission model forbids it.
    accessSync(execPath, constants.X_OK);
    process.execve?.(execPath, [execPath, ...execArgv, ...argv.slice(1)], {
      ...env,
      ...ALLOCATOR,
    });
  } catch {
    // The bridge needs more memory, and does all else.
  }
}

/** Sets how V8 collects garbage in a process whose memory is mostly images outside its heap. */
export function applyHeapSettings(): void {
  // The old generation may grow to five times what a full collection left. V8 derives its limit from the few objects of a
  // bridge and counts the images outside the heap against it: it would collect everything every few images.
  setFlagsFromString('--heap-growing-percent=400');
  // The young generation stays as small as it is at the start. It would grow to 16 MB, and each of its few small objects
  // can hold 64 KB that came from a socket: these would fill a hundred megabytes before the next collection.
  setFlagsFromString('--semi-space-growth-factor=1');
}
