import type { Sharp, SharpOptions } from 'sharp';
import type { ContainerFacts } from '../container/container-facts.ts';
import type { DecodeOptions, EncodeOptions, ImageLimits, Pixels, VerifiedImage } from '../image.ts';
import type { SharpFactory } from './load-sharp.ts';

/** `exact` keeps the colours of transparent pixels. */
const LOSSLESS = { lossless: true, exact: true } as const;
const WHITE = '#ffffff';
const DEFAULT_QUALITY = 90;
/** From this quality on, chroma subsampling would be the largest loss. */
const FULL_CHROMA_QUALITY = 90;
/** sharp takes whole seconds up to an hour. */
const MAX_TIMEOUT_SECS = 3600;

/** What is produced from an image whose container is valid and whose pixels were not decoded yet. */
export type CheckingPipeline = (
  sharp: SharpFactory,
  bytes: Buffer,
  facts: ContainerFacts,
  limits: ImageLimits,
) => Sharp;

/**
 * Decodes every pixel of `bytes` and keeps one channel: the alpha, or any other if there is none. A check needs no more, and
 * it takes a quarter of the memory. Fails on the decoder's warnings. Stops soon after `max_decode_ms`.
 */
export const checkingDecode: CheckingPipeline = (sharp, bytes, { hasAlpha, isCmyk }, limits) => {
  // Colours do not matter here, and converting them takes several times as long as decoding.
  const options: SharpOptions = { ...strict(limits.max_pixels), ignoreIcc: true };
  const source = inTime(sharp(bytes, options), limits);
  const asStored = isCmyk ? source.pipelineColourspace('cmyk').toColourspace('cmyk') : source;
  const channel = hasAlpha ? asStored.ensureAlpha().extractChannel(3) : asStored.extractChannel(0);
  return channel.raw();
};

/**
 * A PNG that fits a square of `edgePx`, never enlarged, rotated and in sRGB. The image is decoded in full: as strict a check
 * as `checkingDecode`, in the time of one decode.
 */
export function checkingThumbnail(edgePx: number): CheckingPipeline {
  return (sharp, bytes, { width, height, orientation, hasDeepProfile }, limits) => {
    const source = inTime(sharp(bytes, strict(width * height)), limits);
    // Extracting the whole image changes nothing, but without it sharp decodes a JPEG or a WebP at a fraction of its size and
    // does not check every pixel. It also fails if the decoder reads other edges than we do.
    const whole = source.extract({ left: 0, top: 0, width, height });
    const size = {
      width: edgePx,
      height: edgePx,
      fit: 'inside',
      withoutEnlargement: true,
    } as const;
    const small = turned(whole.resize(size), orientation);
    // A tenth larger than with sharp's own settings, in half their time: a client waits for it.
    return inSrgb(small, hasDeepProfile).png({ compressionLevel: 1 });
  };
}

/** Rotated, scaled, in sRGB. Transparent pixels are blended with white if there is no alpha channel. */
export function pixelDecode(
  sharp: SharpFactory,
  image: VerifiedImage,
  { channels, resize }: DecodeOptions,
): Sharp {
  const turned = turnedSource(sharp, image);
  const scaled = resize === undefined ? turned : turned.resize(resize);
  const fitted = channels === 4 ? scaled.ensureAlpha() : scaled.flatten({ background: WHITE });
  return fitted.raw();
}

export function pixelEncode(sharp: SharpFactory, pixels: Pixels, options: EncodeOptions): Sharp {
  const { data, width, height, channels } = pixels;
  return encoded(sharp(data, { raw: { width, height, channels } }), options);
}

/** Metadata, EXIF included, is removed: so the pixels themselves are rotated. */
export function conversion(
  sharp: SharpFactory,
  image: VerifiedImage,
  options: EncodeOptions,
): Sharp {
  return encoded(turnedSource(sharp, image), options);
}

function strict(maxPixels: number): SharpOptions {
  return { failOn: 'warning', limitInputPixels: maxPixels };
}

function inTime(source: Sharp, { max_decode_ms }: ImageLimits): Sharp {
  return source.timeout({ seconds: Math.min(MAX_TIMEOUT_SECS, Math.ceil(max_decode_ms / 1000)) });
}

/** A verified image, rotated by its EXIF orientation and in sRGB. */
export function turnedSource(sharp: SharpFactory, image: VerifiedImage): Sharp {
  const source = sharp(image.bytes, strict(image.width * image.height));
  return inSrgb(turned(source, image.orientation), image.hasDeepProfile);
}

/**
 * The alpha of a verified image that has one, rotated by its EXIF orientation: one byte for each pixel. Without the profile of
 * its colours, which would make three channels of it, and without a colour space, which would round 16 bits by a gamma.
 */
export function turnedAlpha(sharp: SharpFactory, image: VerifiedImage): Sharp {
  const options = { ...strict(image.width * image.height), ignoreIcc: true };
  return turned(sharp(image.bytes, options), image.orientation).extractChannel(3).raw();
}

/** By default sharp converts 16-bit images with a profile to Display P3 and then treats the values as sRGB. */
function inSrgb(source: Sharp, hasDeepProfile = false): Sharp {
  return hasDeepProfile ? source.withIccProfile('srgb', { attach: false }) : source;
}

/** By our own reading of EXIF. Sharp may read a damaged block differently, and then the edges would not match. */
function turned(source: Sharp, orientation: number): Sharp {
  switch (orientation) {
    case 2:
      return source.flop();
    case 3:
      return source.rotate(180);
    case 4:
      return source.flip();
    case 5:
      return source.flop().rotate(270);
    case 6:
      return source.rotate(90);
    case 7:
      return source.flop().rotate(90);
    case 8:
      return source.rotate(270);
    default:
      return source;
  }
}

/** The same pixels and options always give the same bytes. */
export function encoded(source: Sharp, { format, compression, lossless }: EncodeOptions): Sharp {
  // The contract counts from 0, sharp from 1.
  const quality = Math.max(1, compression ?? DEFAULT_QUALITY);
  switch (format) {
    case 'png':
      // Filtered rows make level 2 smaller than level 9 without them, in a fraction of its time.
      return source.png({ compressionLevel: 2, adaptiveFiltering: true });
    case 'jpeg':
      return source.flatten({ background: WHITE }).jpeg({
        quality,
        chromaSubsampling: quality >= FULL_CHROMA_QUALITY ? '4:4:4' : '4:2:0',
      });
    case 'webp':
      // Half the time of sharp's default effort for about the same size.
      return source.webp(lossless ? { ...LOSSLESS, effort: 2 } : { quality, effort: 2 });
  }
}
