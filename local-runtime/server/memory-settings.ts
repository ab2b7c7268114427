import { accessSync, constants } from 'node:fs';
import { setFlagsFromString } from 'node:v8';

/**
 * The environment variables that make glibc's allocator return freed memory to the system. The allocator reads these
 * variables when a program starts (mallopt(3)). With its default settings, the allocator keeps most of the memory that images
 * have used: in one arena for each thread, and below a threshold that grows to the size of the largest buffer ever freed.
 */
export const ALLOCATOR = {
  MALLOC_ARENA_MAX: '1',
  // Freed blocks of at least this size are returned to the system. The read buffers of sockets (64 KB) are smaller and are reused,
  // because providing their memory page by page would take a twentieth of the CPU time of an image.
  MALLOC_MMAP_THRESHOLD_: '69632',
  MALLOC_TRIM_THRESHOLD_: '131072',
} as const;

// With Node's default of 16 MB, small objects could reference a hundred megabytes of bytes from sockets before a collection.
// With the initial 1 MB, most objects of a request survive a collection, and are copied, if some tens of requests are in flight.
/** The option of Node that limits the young generation of V8's heap to two spaces of 8 MB. */
export const YOUNG_GENERATION = '--max-semi-space-size=8';

/**
 * Restarts this program in the same process with the allocator's variables and the limit of the young generation. Returns
 * without a restart if the platform does not support it, or if one of the allocator's variables is already set by the operator
 * or by an earlier call.
 */
export function applyMemorySettings(): void {
  const { env, execPath, execArgv, argv } = process;
  const isSet = Object.keys(ALLOCATOR).some((name) => env[name] !== undefined);
  if (process.platform !== 'linux' || isSet) return;
  try {
    // Checked first, because Node ends the process if the call fails. Node throws if its permission model forbids the call.
    accessSync(execPath, constants.X_OK);
    process.execve?.(execPath, [execPath, ...execArgv, ...argv.slice(1)], {
      ...env,
      ...ALLOCATOR,
      // Options of the operator follow, so that they take precedence.
      NODE_OPTIONS: [YOUNG_GENERATION, env['NODE_OPTIONS']].join(' ').trim(),
    });
  } catch {
    // The bridge works without the restart but uses more memory.
  }
}

/** Tunes V8's garbage collection for a process whose memory is mostly images outside the heap. */
export function applyHeapSettings(): void {
  // Lets the old generation grow to five times its size after a full collection. By default, the limit depends on the few
  // objects of a bridge, but images outside the heap count too. V8 would run a full collection after every few images.
  setFlagsFromString('--heap-growing-percent=400');
  // Keeps the young generation at its initial size if it has no limit. A limit cannot be set after the start of Node.
  if (!isYoungGenerationLimited()) setFlagsFromString('--semi-space-growth-factor=1');
}

function isYoungGenerationLimited(): boolean {
  const options = [process.env['NODE_OPTIONS'] ?? '', ...process.execArgv];
  return options.some((option) => option.includes('--max-semi-space-size'));
}
