import type { Sharp, SharpOptions } from 'sharp';
import type { ContainerFacts } from '../container/container-facts.ts';
import type { DecodeOptions, EncodeOptions, ImageLimits, Pixels, VerifiedImage } from '../image.ts';
import type { SharpFactory } from './load-sharp.ts';

const WHITE = '#ffffff';
const DEFAULT_QUALITY = 90;
/** From here on the loss of colour resolution would be the worst loss of all. */
const FULL_CHROMA_QUALITY = 90;
/** sharp takes whole seconds up to an hour. */
const MAX_TIMEOUT_SECS = 3600;

/** What is to be made of an image whose container is sound and whose pixels nobody has looked at yet. */
export type CheckingPipeline = (
  sharp: SharpFactory,
  bytes: Buffer,
  facts: ContainerFacts,
  limits: ImageLimits,
) => Sharp;

/**
 * Every pixel of `bytes`, of which only one channel is kept: the alpha, or any where there is none. That is all a check
 * needs, for a quarter of the memory. Fails on the decoder's warnings; stops by itself soon after `max_decode_ms`.
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
 * A PNG that fits a square of `edgePx`, never enlarged, turned and in sRGB, of an image that is decoded in full on the
 * way: as strict a check as `checkingDecode`, in the time of one decode.
 */
export function checkingThumbnail(edgePx: number): CheckingPipeline {
  return (sharp, bytes, { width, height, orientation, hasDeepProfile }, limits) => {
    const source = inTime(sharp(bytes, strict(width * height)), limits);
    // Taking out the whole changes nothing; but without it sharp decodes a JPEG or a WebP at a fraction of its size, and
    // so not every pixel. With the limit above it also fails where the decoder reads other edges than we do.
    const whole = source.extract({ left: 0, top: 0, width, height });
    const size = {
      width: edgePx,
      height: edgePx,
      fit: 'inside',
      withoutEnlargement: true,
    } as const;
    const small = turned(whole.resize(size), orientation);
    // A tenth larger than with sharp's own settings, in half their time: it is made while somebody waits for it.
    return inSrgb(small, hasDeepProfile).png({ compressionLevel: 1 });
  };
}

/** Turned, scaled, in sRGB; without an alpha channel what is transparent falls on white. */
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

/** Metadata, EXIF included, does not survive, so the turning is done to the pixels. */
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

function turnedSource(sharp: SharpFactory, image: VerifiedImage): Sharp {
  const source = sharp(image.bytes, strict(image.width * image.height));
  return inSrgb(turned(source, image.orientation), image.hasDeepProfile);
}

/** sharp brings deep images with a profile to Display P3 and then takes the values for sRGB, unless it is told. */
function inSrgb(source: Sharp, hasDeepProfile = false): Sharp {
  return hasDeepProfile ? source.withIccProfile('srgb', { attach: false }) : source;
}

/** By our own reading of EXIF: sharp's may differ on broken blocks, and then edges would not match. */
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
function encoded(source: Sharp, { format, compression }: EncodeOptions): Sharp {
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
      return source.webp({ quality, effort: 2 });
  }
}
