import { BridgeError } from '../errors/bridge-error.ts';
import type { ByteParts } from '../platform/byte-parts.ts';
import type { Clock } from '../platform/clock.ts';
import type { TimeSlices } from '../platform/time-slices.ts';
import { createAreaTools } from './composite/areas.ts';
import { createCompositePool, createCompositeTools } from './composite/composites.ts';
import { splice } from './container/container-format.ts';
import { CONTAINERS } from './container/containers.ts';
import {
  checkAndMarkImage,
  checkImage,
  inspectImage,
  makeThumbnail,
} from './decode/inspect-image.ts';
import type { SharpFactory } from './decode/load-sharp.ts';
import { encoded, pixelDecode, pixelEncode, turnedSource } from './decode/sharp-pipelines.ts';
import {
  type EncodedImage,
  type ImageEngine,
  type ImageLimits,
  type ImageTools,
  withBytes,
  type XmpFault,
} from './image.ts';
import { createImageWork, type ScopedWork } from './image-work.ts';
import { createMattes } from './matte/mattes.ts';
import { sha256Steps } from './sha256-steps.ts';
import { hasCredentialLink, readSourceType, writeXmp } from './xmp/image-xmp.ts';
import type { XmpContent } from './xmp/xmp-content.ts';

interface Deps {
  readonly limits: ImageLimits;
  readonly clock: Clock;
  readonly slices: TimeSlices;
}

interface Shared extends Deps {
  readonly mattes: ReturnType<typeof createMattes>;
  readonly composites: ReturnType<typeof createCompositePool>;
}

/** The scope of work that no request started: work for `doctor`, the other commands and the providers. */
const OWN_SCOPE = '';

/** Creates the image engine. sharp is loaded when the first image is processed. */
export function createImageEngine(deps: Deps): ImageEngine {
  const work = createImageWork();
  const shared = { ...deps, mattes: createMattes(), composites: createCompositePool() };
  const { mattes, composites } = shared;
  return {
    ...createTools(shared, work.workOf(OWN_SCOPE, 'request')),
    forScope: (scope) => createTools(shared, work.workOf(scope, 'request')),
    forDelivery: (scope) => createTools(shared, work.workOf(scope, 'delivery')),
    close: () => work.close(() => Promise.all([mattes.close(), composites.close()])),
  };
}

/** Creates the operations on images for one scope. The scopes take turns in the use of the slots. */
function createTools(shared: Shared, work: ScopedWork): ImageTools {
  const { limits, clock, slices, mattes, composites } = shared;
  const { start, startRaw, step, track, underGate } = work;
  const deps = { limits, clock, slices, underGate };
  return {
    inspect(bytes, signal) {
      return start((sharp) => inspectImage(bytes, { ...deps, sharp }, signal), signal);
    },

    check(bytes, signal) {
      return start((sharp) => checkImage(bytes, { ...deps, sharp }, signal), signal);
    },

    checkAndMark(bytes, sourceType, signal) {
      const mark = async (image: EncodedImage) => {
        // A failure must not lose the image.
        const edited = await withXmp(image, { sourceType }, shared, signal).catch(() => undefined);
        return typeof edited === 'string' ? undefined : edited;
      };
      return start((sharp) => checkAndMarkImage(bytes, mark, { ...deps, sharp }, signal), signal);
    },

    async withChecksum(image, signal) {
      if ('sha256' in image) return image;
      const sha256 = await track(slices.run(sha256Steps(...image.bytes.parts), signal));
      return { ...image, sha256 };
    },

    thumbnail(bytes, edgePx, signal) {
      return start((sharp) => makeThumbnail(bytes, edgePx, { ...deps, sharp }, signal), signal);
    },

    decode(image, options, signal) {
      const { channels } = options;
      return start(async (sharp) => {
        const decode = () =>
          pixelDecode(sharp, image, options).toBuffer({ resolveWithObject: true });
        const { data, info } = await step('decoded', image, decode, signal);
        const { width, height } = info;
        if (data.length === width * height * channels) return { data, width, height, channels };
        throw new BridgeError('internal', 'decoded image has an unexpected number of bytes');
      }, signal);
    },

    encode(pixels, options, signal) {
      const encode = (sharp: SharpFactory) => pixelEncode(sharp, pixels, options).toBuffer();
      return start((sharp) => step('encoded', pixels, () => encode(sharp), signal), signal);
    },

    convert(image, options, signal) {
      const convert = (sharp: SharpFactory) =>
        encoded(turnedSource(sharp, image), options).toBuffer();
      return start((sharp) => step('converted', image, () => convert(sharp), signal), signal);
    },

    removeBackground(image, matte, options, signal) {
      const cutOut = async (sharp: SharpFactory) => {
        const decode = () => pixelDecode(sharp, image, { channels: 4 }).toUint8Array();
        const decoded = await step('decoded', image, decode, signal);
        const pixels = await track(mattes.cutOut(decoded, matte, signal));
        const encode = () => pixelEncode(sharp, pixels, options).toBuffer();
        return step('encoded', pixels, encode, signal);
      };
      return startRaw(image, cutOut, signal);
    },

    ...createCompositeTools(work, composites),
    ...createAreaTools(work),

    ...createMetadataTools(shared, work),
  };
}

type MetadataTools = Pick<
  ImageTools,
  | 'writeXmp'
  | 'readSourceType'
  | 'manifestBytes'
  | 'manifestStore'
  | 'hasCredentialLink'
  | 'withoutManifest'
>;

/** Creates the operations on the metadata of an image, which do not decode its pixels. */
function createMetadataTools(shared: Shared, { track }: ScopedWork): MetadataTools {
  const { slices } = shared;
  return {
    async writeXmp(image, content, signal) {
      const bytes = await track(slices.run(image.bytes.joinSteps(), signal));
      const edited = await track(withXmp({ ...image, bytes }, content, shared, signal));
      return typeof edited === 'string' ? edited : withBytes(image, edited);
    },

    readSourceType: (image, signal) => track(readSourceType(image, slices, signal)),

    async manifestBytes({ bytes, format }, signal) {
      const found = await track(slices.run(CONTAINERS[format].findManifests(bytes), signal));
      if (found === undefined) return Number.POSITIVE_INFINITY;
      return found.reduce((sum, { start, end }) => sum + end - start, 0);
    },

    async manifestStore({ bytes, format }, signal) {
      const { findManifests, manifestStore } = CONTAINERS[format];
      const found = await track(slices.run(findManifests(bytes), signal));
      return found && track(slices.run(manifestStore(bytes, found), signal));
    },

    hasCredentialLink: (image, signal) => track(hasCredentialLink(image, slices, signal)),

    async withoutManifest(image, signal) {
      const { findManifests, manifestRemovals } = CONTAINERS[image.format];
      const bytes = await track(slices.run(image.bytes.joinSteps(), signal));
      const found = await track(slices.run(findManifests(bytes), signal));
      if (found === undefined || found.length === 0) return bytes;
      const rest = splice(bytes, manifestRemovals(bytes, found));
      return track(slices.run(rest.joinSteps(), signal));
    },
  };
}

/** Resolves with the bytes of an image with `content` in its XMP, or with the reason why the content was not written. */
async function withXmp(
  image: EncodedImage,
  content: XmpContent,
  { limits, slices }: Pick<Deps, 'limits' | 'slices'>,
  signal: AbortSignal,
): Promise<ByteParts | XmpFault> {
  const edited = await writeXmp(image, content, slices, signal);
  const isTooLong = typeof edited !== 'string' && edited.length > limits.max_encoded_bytes;
  return isTooLong ? 'too_many_bytes' : edited;
}
