import type { OutputInfo } from 'sharp';
import { BridgeError } from '../errors/bridge-error.ts';
import type { Clock } from '../platform/clock.ts';
import type { TimeSlices } from '../platform/time-slices.ts';
import { createComposites } from './composite/composites.ts';
import { hasManifest } from './container/manifest.ts';
import { inspectImage } from './decode/inspect-image.ts';
import type { SharpFactory } from './decode/load-sharp.ts';
import { conversion, pixelDecode, pixelEncode } from './decode/sharp-pipelines.ts';
import { makeThumbnail } from './decode/thumbnail.ts';
import type { DecodeOptions, ImageEngine, ImageLimits, Pixels } from './image.ts';
import { createImageWork } from './image-work.ts';
import { createMattes } from './matte/mattes.ts';
import { embedRecord } from './xmp/embed-record.ts';

interface Deps {
  readonly limits: ImageLimits;
  readonly clock: Clock;
  readonly slices: TimeSlices;
}

/** Loads sharp with the first image. */
export function createImageEngine({ limits, clock, slices }: Deps): ImageEngine {
  const work = createImageWork();
  const { start, startRaw, step, track, underGate } = work;
  const mattes = createMattes();
  const composites = createComposites(work);
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
        const { data, info } = await step('decoded', decode, signal);
        return toPixels(data, info, options);
      }, signal);
    },

    encode(pixels, options, signal) {
      const encode = (sharp: SharpFactory) => pixelEncode(sharp, pixels, options).toBuffer();
      return start((sharp) => step('encoded', () => encode(sharp), signal), signal);
    },

    convert(image, options, signal) {
      const convert = (sharp: SharpFactory) => conversion(sharp, image, options).toBuffer();
      return start((sharp) => step('converted', () => convert(sharp), signal), signal);
    },

    removeBackground(image, matte, options, signal) {
      return startRaw(async (sharp) => {
        const decode = () => pixelDecode(sharp, image, { channels: 4 }).toUint8Array();
        const decoded = await step('decoded', decode, signal);
        const pixels = await track(mattes.cutOut(decoded, matte, signal));
        return step('encoded', () => pixelEncode(sharp, pixels, options).toBuffer(), signal);
      }, signal);
    },

    drawOnCanvas: composites.drawOnCanvas,
    drawMask: composites.drawMask,
    composite: composites.composite,

    embedRecord: (image, record, signal) => track(embedRecord(image, record, slices, signal)),

    hasManifest: ({ bytes, format }, signal) =>
      track(slices.run(hasManifest(bytes, format), signal)),

    close: () => work.close(() => Promise.all([mattes.close(), composites.close()])),
  };
}

function toPixels(data: Buffer, info: OutputInfo, { channels }: DecodeOptions): Pixels {
  const { width, height } = info;
  if (data.length !== width * height * channels) {
    throw new BridgeError('internal', 'a decoded image has an unexpected number of bytes');
  }
  return { data, width, height, channels };
}
