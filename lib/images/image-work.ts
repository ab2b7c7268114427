import { setMaxListeners } from 'node:events';
import { BridgeError } from '../errors/bridge-error.ts';
import { createFairSlots } from '../platform/fair-slots.ts';
import { createOnce } from '../platform/once.ts';
import { createRunningWork } from '../platform/running-work.ts';
import { loadSharp, type SharpFactory } from './decode/load-sharp.ts';
import type { Edges } from './image.ts';

// sharp and file system calls share one thread pool. More than three concurrent decodes would delay the file system calls.
const DECODE_SLOTS = 3;
/** Maximum slots for each kind of work. At least one of the three slots is always left for the other kind. */
const SLOTS_OF = { request: 2, delivery: 2 } as const;
/** The number of operations that may hold raw images at a time. A raw image takes up to 256 MiB of memory. */
const RAW_SLOTS = 2;
/** An image with more pixels is large: its decode takes a tenth of a second or longer. */
const LARGE_PIXELS = 8 * 1024 * 1024;

export type WorkKind = keyof typeof SLOTS_OF;

/** The functions that run the work of one scope. */
export type ScopedWork = ReturnType<ReturnType<typeof createImageWork>['workOf']>;

/**
 * Creates the scheduler of the image engine. It limits the concurrent work, lets the scopes take turns, and waits for running
 * work when it is closed.
 */
export function createImageWork() {
  const gate = createFairSlots(DECODE_SLOTS, SLOTS_OF);
  const rawSlots = createFairSlots(RAW_SLOTS, { raw: RAW_SLOTS });
  const library = createOnce(loadSharp);
  // `close` waits for tracked work even if the signal of the caller has aborted.
  const { track, untilIdle } = createRunningWork();
  let closing: Promise<void> | undefined;

  async function start<T>(
    operation: (sharp: SharpFactory) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    if (closing) throw new BridgeError('overloaded', 'image engine is closed');
    // Every image of a request adds a listener to the signal, and Node warns of a leak after ten listeners.
    setMaxListeners(0, signal);
    return track(library.get().then(operation));
  }

  return {
    track,

    /** Returns the functions that run work of the given kind for the scope `owner`. */
    workOf(owner: string, kind: WorkKind) {
      const underGate = <T>(
        image: Edges,
        work: () => Promise<T>,
        signal: AbortSignal,
      ): Promise<T> =>
        gate.run({ kind, owner, isLarge: isLarge(image) }, () => track(work()), signal);

      return {
        track,
        start,
        underGate,

        /** Starts an operation that holds raw images. The operation first waits for a raw image slot. */
        startRaw: <T>(
          image: Edges,
          operation: (sharp: SharpFactory) => Promise<T>,
          signal: AbortSignal,
        ) =>
          start((sharp) => {
            const request = { kind: 'raw', owner, isLarge: isLarge(image) } as const;
            return rawSlots.run(request, () => operation(sharp), signal);
          }, signal),

        /** Runs one step of sharp on a verified image. Throws `internal` if the step fails. */
        step<T>(
          verb: string,
          image: Edges,
          work: () => Promise<T>,
          signal: AbortSignal,
        ): Promise<T> {
          const orInternal = async () => {
            try {
              return await work();
            } catch (cause) {
              throw new BridgeError('internal', `image could not be ${verb}`, { cause });
            }
          };
          return underGate(image, orInternal, signal);
        },
      };
    },

    /** Rejects all new work after this call. Resolves when no work is running and `end` has resolved. */
    close(end: () => Promise<unknown>): Promise<void> {
      closing ??= untilIdle()
        .then(end)
        .then(() => {});
      return closing;
    },
  };
}

function isLarge({ width, height }: Edges): boolean {
  return width * height > LARGE_PIXELS;
}
