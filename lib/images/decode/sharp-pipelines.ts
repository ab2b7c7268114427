import type { OutputInfo, Sharp, SharpOptions } from 'sharp';
import { BridgeError } from '../../errors/bridge-error.ts';
import type { ContainerFacts } from '../container/container-format.ts';
import type { CheckedImage, DecodeOptions, EncodeOptions, ImageLimits, Pixels } from '../image.ts';
import type { SharpFactory } from './load-sharp.ts';

const WHITE = '#ffffff';
const DEFAULT_QUALITY = 90;
/** The lowest quality at which chroma is not subsampled. At a higher quality, subsampling would cause most of the loss. */
const FULL_CHROMA_QUALITY = 90;
/** The longest timeout of sharp, which accepts whole seconds up to an hour. */
const MAX_TIMEOUT_SECS = 3600;

/** A pipeline for an image whose container is valid and whose pixels are not decoded yet. */
export type CheckingPipeline = (
  sharp: SharpFactory,
  bytes: Buffer,
  facts: ContainerFacts,
  limits: ImageLimits,
) => Sharp;

/**
 * Decodes every pixel of `bytes` and keeps only one channel, to save memory: the alpha, or the first channel if there is no
 * alpha. Fails if the decoder reports a warning. Stops soon after `max_decode_ms`.
 */
export const checkingDecode: CheckingPipeline = (sharp, bytes, { hasAlpha, isCmyk }, limits) => {
  // The check does not depend on colours, and colour conversion takes several times as long as the decode.
  const options: SharpOptions = { ...strict(limits.max_pixels), ignoreIcc: true };
  const source = inTime(sharp(bytes, options), limits);
  const asStored = isCmyk ? source.pipelineColourspace('cmyk').toColourspace('cmyk') : source;
  const channel = hasAlpha ? asStored.ensureAlpha().extractChannel(3) : asStored.extractChannel(0);
  return channel.raw();
};

/**
 * Returns a pipeline that makes a PNG thumbnail in sRGB, rotated according to the EXIF orientation. The thumbnail fits in a
 * square of `edgePx` pixels, and a smaller image is not enlarged. The image is decoded in full, so the check is as strict as in
 * `checkingDecode`, but only one decode is needed.
 */
export function checkingThumbnail(edgePx: number): CheckingPipeline {
  return (sharp, bytes, { width, height, orientation, hasDeepProfile }, limits) => {
    const source = inTime(sharp(bytes, strict(width * height)), limits);
    // Extracting the whole image changes no pixel. Without the extraction, sharp would decode a JPEG or a WebP at a fraction of
    // its size and check only a part of the pixels. The extraction also fails if the decoder finds other dimensions than the
    // header.
    const whole = source.extract({ left: 0, top: 0, width, height });
    const fit = { fit: 'inside', withoutEnlargement: true } as const;
    const small = turned(whole.resize({ width: edgePx, height: edgePx, ...fit }), orientation);
    // Level 1 takes half the time of sharp's default level. The file is only a tenth larger.
    return inSrgb(small, hasDeepProfile).png({ compressionLevel: 1 });
  };
}

/**
 * Decodes a verified image to pixels in sRGB, rotated according to its EXIF orientation and scaled. With three channels,
 * transparent pixels are blended with white.
 */
export function pixelDecode(
  sharp: SharpFactory,
  image: CheckedImage,
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

/** An image that sharp has decoded. */
export interface Decoded {
  readonly data: Uint8Array;
  readonly info: OutputInfo;
}

/** Returns the buffer of a decoded image, which can be transferred. Throws `internal` if the buffer contains other bytes too. */
export function wholeBuffer({ data: { buffer }, info }: Decoded, channels: 1 | 3 | 4): ArrayBuffer {
  const isWhole = buffer.byteLength === info.width * info.height * channels;
  if (isWhole && buffer instanceof ArrayBuffer) return buffer;
  throw new BridgeError('internal', 'decoded image has an unexpected number of bytes');
}

function strict(maxPixels: number): SharpOptions {
  return { failOn: 'warning', limitInputPixels: maxPixels };
}

function inTime(source: Sharp, { max_decode_ms }: ImageLimits): Sharp {
  return source.timeout({ seconds: Math.min(MAX_TIMEOUT_SECS, Math.ceil(max_decode_ms / 1000)) });
}

/** Decodes a verified image to sRGB, rotated according to its EXIF orientation. */
export function turnedSource(sharp: SharpFactory, image: CheckedImage): Sharp {
  const source = sharp(image.bytes, strict(image.width * image.height));
  return inSrgb(turned(source, image.orientation), image.hasDeepProfile);
}

/**
 * Decodes the alpha channel of a verified image, rotated according to its EXIF orientation. The result has one byte for each
 * pixel. The colour profile is ignored because it would turn the single channel into three. No colour space is set because its
 * gamma conversion would round 16-bit values.
 */
export function turnedAlpha(sharp: SharpFactory, image: CheckedImage): Sharp {
  const options = { ...strict(image.width * image.height), ignoreIcc: true };
  return turned(sharp(image.bytes, options), image.orientation).extractChannel(3).raw();
}

/**
 * Converts an image to sRGB. By default sharp converts 16-bit images with a profile to Display P3 and then treats the values
 * as sRGB.
 */
function inSrgb(source: Sharp, hasDeepProfile = false): Sharp {
  return hasDeepProfile ? source.withIccProfile('srgb', { attach: false }) : source;
}

/**
 * Rotates an image according to the EXIF orientation from its container. The automatic rotation of sharp is not used, because
 * sharp may read a damaged EXIF block differently, and then the dimensions would not match.
 */
function turned(source: Sharp, orientation = 1): Sharp {
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

/** Encodes an image. The same pixels and options always produce the same bytes. */
export function encoded(source: Sharp, { format, compression, lossless }: EncodeOptions): Sharp {
  // The lowest quality in a request is 0, but the lowest quality that sharp accepts is 1.
  const quality = Math.max(1, compression ?? DEFAULT_QUALITY);
  switch (format) {
    case 'png':
      // Level 2 with adaptive filtering makes a smaller file than level 9 without filtering, in a fraction of the time.
      return source.png({ compressionLevel: 2, adaptiveFiltering: true });
    case 'jpeg':
      return source.flatten({ background: WHITE }).jpeg({
        quality,
        chromaSubsampling: quality >= FULL_CHROMA_QUALITY ? '4:4:4' : '4:2:0',
      });
    case 'webp':
      // Effort 2 takes half the time of sharp's default for about the same size. `exact` keeps the colours of transparent
      // pixels.
      return source.webp({ effort: 2, ...(lossless ? { lossless, exact: true } : { quality }) });
  }
}
