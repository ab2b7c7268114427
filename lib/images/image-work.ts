import { setMaxListeners } from 'node:events';
import { BridgeError } from '../errors/bridge-error.ts';
import { createOnce } from '../platform/once.ts';
import { createSemaphore } from '../platform/semaphore.ts';
import { loadSharp, type SharpFactory } from './decode/load-sharp.ts';

// More concurrent decodes would delay the file system calls of the same thread pool.
const DECODE_SLOTS = 2;
/** How many operations may hold raw images at a time: each image has 256 MiB at the largest size. */
const RAW_SLOTS = 2;

export type ImageWork = ReturnType<typeof createImageWork>;

/** Runs the work of the image engine within its limits, and knows when all of it has ended. */
export function createImageWork() {
  const gate = createSemaphore(DECODE_SLOTS);
  const rawSlots = createSemaphore(RAW_SLOTS);
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

  const underGate = <T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> =>
    gate.run(() => track(work()), signal);

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
    underGate,
    start,

    /** `start` for an operation that holds raw images. */
    startRaw: <T>(operation: (sharp: SharpFactory) => Promise<T>, signal: AbortSignal) =>
      start((sharp) => rawSlots.run(() => operation(sharp), signal), signal),

    /** One step of sharp with an image that was verified before: a failure is an internal error. */
    step<T>(verb: string, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
      return underGate(() => orInternal(verb, work), signal);
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

async function orInternal<T>(verb: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw new BridgeError('internal', `an image could not be ${verb}`, { cause: thrown });
  }
}
