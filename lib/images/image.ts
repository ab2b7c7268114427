import type { OutputFormat } from '../contract/request/parameters.ts';

/** The dimensions of an image in pixels. */
export interface Edges {
  readonly width: number;
  readonly height: number;
}

/** The limits for every received or generated image (settings `images.*`). */
export interface ImageLimits {
  readonly max_encoded_bytes: number;
  readonly max_edge: number;
  readonly max_pixels: number;
  readonly max_decode_ms: number;
}

/**
 * An encoded image whose container and pixels were checked to the last byte (docs/contract.md, section 1). Its dimensions are
 * those before the rotation by EXIF.
 */
export interface VerifiedImage extends Edges {
  readonly bytes: Buffer;
  readonly format: OutputFormat;
  /** EXIF orientation, 1 to 8. It is 1 if the image has no orientation. */
  readonly orientation: number;
  /** `none`: no alpha channel. `opaque`: every alpha is 255. `empty`: every alpha is 0. `some`: any other mixture. */
  readonly alpha: 'none' | 'opaque' | 'some' | 'empty';
  /** SHA-256 of `bytes` in lowercase hexadecimal. */
  readonly sha256: string;
  /** True if the image has 16 bits a channel and a colour profile. Its conversion to sRGB needs special care. */
  readonly hasDeepProfile?: boolean;
}

/** A reason why an image is invalid. The names are stable because they appear in error details. */
export type ImageFault =
  | 'unsupported_format'
  | 'truncated'
  | 'trailing_bytes'
  | 'corrupt'
  | 'animated'
  | 'too_many_bytes'
  | 'edge_too_long'
  | 'too_many_pixels'
  | 'too_many_scans'
  | 'chunk_too_large'
  | 'decode_timeout';

/** The answer about an invalid image. */
export interface Refused {
  readonly ok: false;
  readonly fault: ImageFault;
}

export type Inspection = { readonly ok: true; readonly image: VerifiedImage } | Refused;

/** A small PNG of an image that the same decode verified, or the reason why the image is invalid. */
export type Thumbnail =
  | {
      readonly ok: true;
      /** SHA-256 of the encoded source image in lowercase hexadecimal. */
      readonly sha256: string;
      readonly image: VerifiedImage;
    }
  | Refused;

/** Decoded 8-bit sRGB pixels: rows from the top, 3 or 4 interleaved channels, alpha not premultiplied. */
export interface Pixels extends Edges {
  readonly data: Buffer;
  readonly channels: 3 | 4;
}

export interface DecodeOptions {
  /** Number of channels. 3: transparent pixels are blended with white. 4: an image without alpha becomes opaque. */
  readonly channels: 3 | 4;
  /**
   * Exact target dimensions. `cover` crops to fill them, `fill` stretches. If absent, the image keeps its dimensions, rotated
   * by EXIF.
   */
  readonly resize?: Edges & { readonly fit: 'cover' | 'fill' };
}

export interface EncodeOptions {
  readonly format: OutputFormat;
  /** Quality 0 to 100, the field `output_compression` of a request. Only for jpeg and webp. */
  readonly compression?: number;
  /** True if every sample is kept, including the colours of transparent pixels. Only for webp. */
  readonly lossless?: boolean;
}

/** Options for the separation of a subject from its flat background. */
export interface MatteOptions {
  /** Key colour of the request, in the form `#RRGGBB`. */
  readonly keyColor: string;
  /** Greatest distance from the key colour at which a pixel becomes transparent, 0 to 254. */
  readonly transparentThreshold: number;
  /** Smallest distance from the key colour at which a pixel stays opaque, 1 to 255. */
  readonly opaqueThreshold: number;
  readonly despill: boolean;
}

/**
 * A size in pixels that a model supports, and the area in it that shows the source. The rest repeats the outermost pixels of
 * the source.
 */
export interface Canvas extends Edges {
  readonly area: Edges & { readonly left: number; readonly top: number };
}

/** A source image, and the mask that says where an edit by a model may change it. */
export interface MaskedSource {
  readonly source: VerifiedImage;
  /**
   * Mask with the dimensions of the source after the rotation by EXIF. Pixels with alpha 0 may change, pixels with alpha 255
   * must not.
   */
  readonly mask: VerifiedImage;
  /** Canvas on which the source was sent to the model. */
  readonly canvas: Canvas;
}

/**
 * Functions on images. Pixels are decoded and encoded off the main thread, at most three images at a time. All functions
 * reject with the signal's reason on abort, and throw `overloaded` after the engine was closed.
 */
export interface ImageTools {
  /** Verifies one encoded image. For an invalid image it resolves with the fault instead of throwing. */
  inspect(bytes: Buffer, signal: AbortSignal): Promise<Inspection>;
  /**
   * Resolves with a verified PNG that fits a square of `edgePx` pixels and is never enlarged: rotated by EXIF, in sRGB, with
   * its alpha, without metadata. The image itself is verified too, as by `inspect`. The same image always gives the same bytes.
   */
  thumbnail(bytes: Buffer, edgePx: number, signal: AbortSignal): Promise<Thumbnail>;
  /** Resolves with the pixels of a verified image, rotated by EXIF and converted to sRGB. */
  decode(image: VerifiedImage, options: DecodeOptions, signal: AbortSignal): Promise<Pixels>;
  encode(pixels: Pixels, options: EncodeOptions, signal: AbortSignal): Promise<Buffer>;
  /**
   * Converts an image to another format, in 8-bit sRGB and without metadata. The pixels are rotated by EXIF because the
   * orientation is removed with the metadata. Transparent pixels are blended with white if the format has no alpha.
   */
  convert(image: VerifiedImage, options: EncodeOptions, signal: AbortSignal): Promise<Buffer>;
  /**
   * Makes the background of an image transparent (docs/contract.md, section 2). The result is rotated by EXIF and has no
   * metadata.
   */
  removeBackground(
    image: VerifiedImage,
    matte: MatteOptions,
    options: EncodeOptions,
    signal: AbortSignal,
  ): Promise<Buffer>;
  /** Draws an image on a canvas. Resolves with a PNG that is rotated by EXIF, in sRGB and without metadata. */
  drawOnCanvas(image: VerifiedImage, canvas: Canvas, signal: AbortSignal): Promise<Buffer>;
  /**
   * Draws a mask on a canvas. Resolves with a PNG of two values. Pixels that may change at all (alpha below 255) are open; the
   * surroundings of the area are closed. `alpha`: open pixels have alpha 0, closed pixels 255. `white`: the PNG has no alpha,
   * open pixels are white, closed pixels black.
   */
  drawMask(
    mask: VerifiedImage,
    canvas: Canvas,
    form: 'alpha' | 'white',
    signal: AbortSignal,
  ): Promise<Buffer>;
  /**
   * Composites `drawn`, an image of the canvas in any size, over the source, as far as the mask permits. Where the alpha of the
   * mask is 255, the decoded samples are those of the source. Where it is 0, they are those of `drawn`. Between these values
   * both are blended.
   */
  composite(
    drawn: VerifiedImage,
    masked: MaskedSource,
    options: EncodeOptions,
    signal: AbortSignal,
  ): Promise<Buffer>;
  /**
   * Resolves with the image and `record`, a text from `toXmpJson`, in its only XMP packet. All other bytes of the container stay
   * the same. Resolves with undefined if the image has more XMP packets than can be edited.
   */
  embedRecord(
    image: VerifiedImage,
    record: string,
    signal: AbortSignal,
  ): Promise<Buffer | undefined>;
  /** Resolves with true if the image has a signed C2PA manifest, which any change to the file makes invalid. */
  hasManifest(
    image: Pick<VerifiedImage, 'bytes' | 'format'>,
    signal: AbortSignal,
  ): Promise<boolean>;
}

/**
 * The functions on images. Called on the engine itself, they work without a scope: for the doctor, the commands, the
 * providers.
 */
export interface ImageEngine extends ImageTools {
  /**
   * Returns the functions for the requests of one scope. Scopes take turns. Requests have two slots, and decodes of more than
   * 8 megapixels for one scope never hold both.
   */
  forScope(scope: string): ImageTools;
  /** Returns the functions for the deliveries and thumbnails of one scope, which have a third slot. */
  forDelivery(scope: string): ImageTools;
  /** Closes the engine. Resolves when none of its work runs. */
  close(): Promise<void>;
}

/** Returns the dimensions of an image as it is displayed. EXIF orientations 5 to 8 swap width and height. */
export function uprightEdges({
  width,
  height,
  orientation,
}: Edges & Pick<VerifiedImage, 'orientation'>): Edges {
  return orientation >= 5 ? { width: height, height: width } : { width, height };
}

/** Returns the limit that an image of this size exceeds, or undefined. An image above a limit is never decoded. */
export function overLimits(
  { bytes, width, height }: Edges & { readonly bytes: number },
  limits: Omit<ImageLimits, 'max_decode_ms'>,
): ImageFault | undefined {
  if (bytes > limits.max_encoded_bytes) return 'too_many_bytes';
  if (Math.max(width, height) > limits.max_edge) return 'edge_too_long';
  return width * height > limits.max_pixels ? 'too_many_pixels' : undefined;
}
