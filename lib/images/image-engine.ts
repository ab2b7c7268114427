import { setMaxListeners } from 'node:events';
import type { OutputInfo } from 'sharp';
import { BridgeError } from '../errors/bridge-error.ts';
import type { Clock } from '../platform/clock.ts';
import { createSemaphore } from '../platform/semaphore.ts';
import type { TimeSlices } from '../platform/time-slices.ts';
import { inspectImage } from './decode/inspect-image.ts';
import { loadSharp, type SharpFactory } from './decode/load-sharp.ts';
import { conversion, pixelDecode, pixelEncode } from './decode/sharp-pipelines.ts';
import { makeThumbnail } from './decode/thumbnail.ts';
import type { DecodeOptions, ImageEngine, ImageLimits, Pixels } from './image.ts';
import { createMattes } from './matte/mattes.ts';
import { embedRecord } from './xmp/embed-record.ts';

interface Deps {
  readonly limits: ImageLimits;
  readonly clock: Clock;
  readonly slices: TimeSlices;
}

// More concurrent decodes would delay the file system calls of the same thread pool.
const DECODE_SLOTS = 2;

/** Loads sharp with the first image. */
export function createImageEngine({ limits, clock, slices }: Deps): ImageEngine {
  const gate = createSemaphore(DECODE_SLOTS);
  const mattes = createMattes();
  let running = 0;
  let becameIdle = () => {};
  let closing: Promise<void> | undefined;
  let loading: Promise<SharpFactory> | undefined;

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
    loading ??= loadSharp();
    return track(loading.then(operation));
  }

  async function end(): Promise<void> {
    const idle = new Promise<void>((resolve) => {
      becameIdle = resolve;
    });
    if (running > 0) await idle;
    await mattes.close();
  }

  const deps = { limits, clock, slices, underGate };
  return {
    inspect(bytes, signal) {
      return start((sharp) => inspectImage(bytes, { ...deps, sharp }, signal), signal);
    },

    thumbnail(bytes, edgePx, signal) {
      return start((sharp) => makeThumbnail(bytes, edgePx, { ...deps, sharp }, signal), signal);
    },

    decode(image, options, signal) {
      return start(async (sharp) => {
        const decode = () =>
          pixelDecode(sharp, image, options).toBuffer({ resolveWithObject: true });
        const { data, info } = await underGate(() => orInternal('decoded', decode), signal);
        return toPixels(data, info, options);
      }, signal);
    },

    encode(pixels, options, signal) {
      return start((sharp) => {
        const encode = () => pixelEncode(sharp, pixels, options).toBuffer();
        return underGate(() => orInternal('encoded', encode), signal);
      }, signal);
    },

    convert(image, options, signal) {
      return start((sharp) => {
        const convert = () => conversion(sharp, image, options).toBuffer();
        return underGate(() => orInternal('converted', convert), signal);
      }, signal);
    },

    removeBackground(image, matte, options, signal) {
      const cut = async (sharp: SharpFactory) => {
        const decode = () => pixelDecode(sharp, image, { channels: 4 }).toUint8Array();
        const decoded = await underGate(() => orInternal('decoded', decode), signal);
        const pixels = await track(mattes.cutOut(decoded, matte, signal));
        const encode = () => pixelEncode(sharp, pixels, options).toBuffer();
        return underGate(() => orInternal('encoded', encode), signal);
      };
      return start((sharp) => mattes.slots.run(() => cut(sharp), signal), signal);
    },

    embedRecord: (image, record, signal) => track(embedRecord(image, record, slices, signal)),

    close() {
      closing ??= end();
      return closing;
    },
  };
}

function toPixels(data: Buffer, info: OutputInfo, { channels }: DecodeOptions): Pixels {
  const { width, height } = info;
  if (data.length !== width * height * channels) {
    throw new BridgeError('internal', 'a decoded image has an unexpected number of bytes');
  }
  return { data, width, height, channels };
}

/** The image was verified before: a decoder that refuses it now is an internal error. */
async function orInternal<T>(verb: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw new BridgeError('internal', `an image could not be ${verb}`, { cause: thrown });
  }
}
