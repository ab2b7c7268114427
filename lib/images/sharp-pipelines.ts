import type { Sharp, SharpOptions } from 'sharp';
import type { ContainerFacts } from './container.ts';
import type { DecodeOptions, EncodeOptions, ImageLimits, Pixels, VerifiedImage } from './image.ts';
import type { SharpFactory } from './load-sharp.ts';

const WHITE = '#ffffff';
const DEFAULT_QUALITY = 90;
/** From here on the loss of colour resolution would be the worst loss of all. */
const FULL_CHROMA_QUALITY = 90;
/** sharp takes whole seconds up to an hour. */
const MAX_TIMEOUT_SECS = 3600;

/**
 * Every pixel of `bytes`, of which only one channel is kept: the alpha, or any where there is none. That is all a check
 * needs, for a quarter of the memory. Fails on the decoder's warnings; stops by itself soon after `max_decode_ms`.
 */
export function checkingDecode(
  sharp: SharpFactory,
  bytes: Buffer,
  { hasAlpha, isCmyk }: ContainerFacts,
  { max_pixels, max_decode_ms }: ImageLimits,
): Sharp {
  // Colours do not matter here, and converting them takes several times as long as decoding.
  const options: SharpOptions = { ...strict(max_pixels), ignoreIcc: true };
  const seconds = Math.min(MAX_TIMEOUT_SECS, Math.ceil(max_decode_ms / 1000));
  const source = sharp(bytes, options).timeout({ seconds });
  const asStored = isCmyk ? source.pipelineColourspace('cmyk').toColourspace('cmyk') : source;
  const channel = hasAlpha ? asStored.ensureAlpha().extractChannel(3) : asStored.extractChannel(0);
  return channel.raw();
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

/** By our own reading of EXIF: sharp's may differ on broken blocks, and then edges would not match. */
function turnedSource(sharp: SharpFactory, image: VerifiedImage): Sharp {
  const source = sharp(image.bytes, strict(image.width * image.height));
  switch (image.orientation) {
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
