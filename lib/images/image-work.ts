import { setMaxListeners } from 'node:events';
import { BridgeError } from '../errors/bridge-error.ts';
import { createFairSlots } from '../platform/fair-slots.ts';
import { createOnce } from '../platform/once.ts';
import { createRunningWork } from '../platform/running-work.ts';
import { loadSharp, type SharpFactory } from './decode/load-sharp.ts';
import type { Edges } from './image.ts';

// sharp and file system calls share one thread pool. More concurrent decodes would delay the file system calls.
const DECODE_SLOTS = 3;
/** Maximum slots per kind of work. Of the three slots, one is always left for the other kind. */
const SLOTS_OF = { request: 2, delivery: 2 } as const;
/** The number of operations that may hold raw images at a time. One raw image has up to 256 MiB. */
const RAW_SLOTS = 2;
/** An image with more pixels is large: its decode takes a tenth of a second or longer. */
const LARGE_PIXELS = 8 * 1024 * 1024;

export type WorkKind = keyof typeof SLOTS_OF;

export type ImageWork = ReturnType<typeof createImageWork>;
/** The functions that run the work of one scope. */
export type ScopedWork = ReturnType<ImageWork['workOf']>;

/** Runs the work of the image engine within its slots, in turns between scopes, and waits for running work on close. */
export function createImageWork() {
  const gate = createFairSlots(DECODE_SLOTS, SLOTS_OF);
  const rawSlots = createFairSlots(RAW_SLOTS, { raw: RAW_SLOTS });
  const library = createOnce(loadSharp);
  // `close` waits for this work even if the signals of its callers have aborted.
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

    /** Returns the functions that run work of this kind for one scope. */
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

        /** Starts an operation that holds raw images of the dimensions of `image`. It waits for a slot for raw images. */
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
          return underGate(image, () => orInternal(verb, work), signal);
        },
      };
    },

    /** Rejects new work from now on. Resolves when no work runs and `end` has resolved. */
    close(end: () => Promise<unknown>): Promise<void> {
      closing ??= untilIdle().then(async () => {
        await end();
      });
      return closing;
    },
  };
}

function isLarge({ width, height }: Edges): boolean {
  return width * height > LARGE_PIXELS;
}

async function orInternal<T>(verb: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw new BridgeError('internal', `image could not be ${verb}`, { cause: thrown });
  }
}
