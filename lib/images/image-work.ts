import { setMaxListeners } from 'node:events';
import { BridgeError } from '../errors/bridge-error.ts';
import { createFairSlots } from '../platform/fair-slots.ts';
import { createOnce } from '../platform/once.ts';
import { loadSharp, type SharpFactory } from './decode/load-sharp.ts';

// More concurrent decodes would delay the file system calls of the same thread pool.
const DECODE_SLOTS = 3;
/** Two slots for the images of requests; one more, and one of those while it is free, for deliveries. */
const SLOTS_OF = { request: 2, delivery: 2 } as const;
/** How many operations may hold raw images at a time: each image has 256 MiB at the largest size. */
const RAW_SLOTS = 2;
/** From here on an image is large: a decode takes about a tenth of a second. */
const LARGE_PIXELS = 8 * 1024 * 1024;

export type WorkKind = keyof typeof SLOTS_OF;

/** The edges of an image, from its header or as they were decoded. */
interface Edges {
  readonly width: number;
  readonly height: number;
}

export type ImageWork = ReturnType<typeof createImageWork>;
/** The work of one scope. */
export type ScopedWork = ReturnType<ImageWork['workOf']>;

/** Runs the work of the image engine within its limits, in turns between scopes, and knows when all of it has ended. */
export function createImageWork() {
  const gate = createFairSlots(DECODE_SLOTS, SLOTS_OF);
  const rawSlots = createFairSlots(RAW_SLOTS, { raw: RAW_SLOTS });
  const library = createOnce(loadSharp);
  let running = 0;
  let becameIdle = () => {};
  let closing: Promise<void> | undefined;

  /** Makes `close` wait for `work`, also after an abort. */
  function track<T>(work: Promise<T>): Promise<T> {
    running += 1;
    const settled = () => {
      running -= 1;
      if (running === 0) becameIdle();
    };
    work.then(settled, settled);
    return work;
  }

  async function start<T>(
    operation: (sharp: SharpFactory) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    if (closing) throw new BridgeError('overloaded', 'the image engine has been closed');
    // Every image of a request adds a listener to its signal; Node warns of a leak after ten.
    setMaxListeners(0, signal);
    return track(library.get().then(operation));
  }

  async function idle(): Promise<void> {
    const ended = new Promise<void>((resolve) => {
      becameIdle = resolve;
    });
    if (running > 0) await ended;
  }

  return {
    track,

    /** The same work for one scope. */
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

        /** `start` for an operation that holds raw images as large as this one. */
        startRaw: <T>(
          image: Edges,
          operation: (sharp: SharpFactory) => Promise<T>,
          signal: AbortSignal,
        ) =>
          start((sharp) => {
            const request = { kind: 'raw', owner, isLarge: isLarge(image) } as const;
            return rawSlots.run(request, () => operation(sharp), signal);
          }, signal),

        /** One step of sharp with an image that was verified before: a failure is an internal error. */
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

    /** Nothing starts any more. Resolves when no work runs and `end` has ended. */
    close(end: () => Promise<unknown>): Promise<void> {
      closing ??= idle().then(async () => {
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
    throw new BridgeError('internal', `an image could not be ${verb}`, { cause: thrown });
  }
}
