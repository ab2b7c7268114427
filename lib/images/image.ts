import type { OutputFormat } from '../contract/request/parameters.ts';
import { ByteParts } from '../platform/byte-parts.ts';
import type { XmpContent } from './xmp/xmp-content.ts';

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
 * not rotated according to the EXIF orientation.
 */
export interface CheckedImage extends Edges {
  readonly bytes: Buffer;
  readonly format: OutputFormat;
  /** EXIF orientation, 1 to 8. The value is 1 if the image has no orientation tag. */
  readonly orientation: number;
  /** `none`: no alpha channel. `opaque`: every alpha is 255. `empty`: every alpha is 0. `some`: any other alpha values. */
  readonly alpha: 'none' | 'opaque' | 'some' | 'empty';
  /** True if the image has 16 bits per channel and a colour profile. Its conversion to sRGB needs special care. */
  readonly hasDeepProfile?: boolean;
}

/** The bytes and the format of an image whose container was checked. */
export type EncodedImage = Pick<CheckedImage, 'bytes' | 'format'>;

/** A checked image with its checksum. */
export interface VerifiedImage extends CheckedImage {
  /** SHA-256 of `bytes` in lowercase hexadecimal. */
  readonly sha256: string;
}

/** A checked image whose bytes are in several parts, because adding metadata does not copy an image. */
export interface ImageInParts extends Omit<CheckedImage, 'bytes'> {
  readonly bytes: ByteParts;
}

/** A checked image in parts with its checksum. */
export interface VerifiedInParts extends ImageInParts {
  /** SHA-256 of `bytes` in lowercase hexadecimal. */
  readonly sha256: string;
}

/** Returns an image with the same facts as `image` and other bytes, of which only the metadata differs. */
export function withBytes<Bytes extends Buffer | ByteParts>(
  { format, width, height, orientation, alpha, hasDeepProfile }: CheckedImage | ImageInParts,
  bytes: Bytes,
): Omit<CheckedImage, 'bytes'> & { readonly bytes: Bytes } {
  const deep = hasDeepProfile ? { hasDeepProfile } : {};
  return { bytes, format, width, height, orientation, alpha, ...deep };
}

/** Returns an image as an image of one part. */
export function inParts<Image extends CheckedImage>(
  image: Image,
): Omit<Image, 'bytes'> & { readonly bytes: ByteParts } {
  return { ...image, bytes: new ByteParts([image.bytes]) };
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

/**
 * A reason why XMP could not be written. `too_much_xmp`: the image has more packets than can be edited. `not_mergeable`: a packet of
 * the image would have to be replaced. `altered`: the new XMP is not found again.
 */
export type XmpFault = 'too_much_xmp' | 'not_mergeable' | 'too_many_bytes' | 'altered';

/** The result for an invalid image. */
export interface Refused {
  readonly ok: false;
  readonly fault: ImageFault;
}

export type Inspection<Image = VerifiedImage> =
  | { readonly ok: true; readonly image: Image }
  | Refused;

/** A checked image and the same image with a mark, or the reason why the image is invalid. */
export type MarkedInspection =
  | {
      readonly ok: true;
      readonly image: CheckedImage;
      /** Undefined if the image cannot be marked. */
      readonly marked: VerifiedInParts | undefined;
    }
  | Refused;

/** A small PNG of a verified image, or the reason why the image is invalid. */
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
   * Exact target dimensions. `cover` crops the image to fill the target, `fill` stretches the image. If absent, the image is
   * only rotated according to its EXIF orientation.
   */
  readonly resize?: Edges & { readonly fit: 'cover' | 'fill' };
}

export interface EncodeOptions {
  readonly format: OutputFormat;
  /** Quality from 0 to 100, as in the request field `output_compression`. Used only for `jpeg` and `webp`. */
  readonly compression?: number;
  /** True if every sample is kept, including the colours of transparent pixels. Used only for `webp`. */
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
 * A size in pixels that a model supports, and the area of the canvas that shows the source. The rest of the canvas repeats the
 * edge pixels of the source.
 */
export interface Canvas extends Edges {
  readonly area: Edges & { readonly left: number; readonly top: number };
}

/** A rectangle in the pixels of an image, of which at least one pixel is in the image. */
export interface PixelArea extends Edges {
  readonly x: number;
  readonly y: number;
}

/** A source image, and the mask of the areas in which an edit may change the image. */
export interface MaskedSource {
  readonly source: CheckedImage;
  /**
   * Mask with the dimensions of the source after the EXIF rotation. Pixels with alpha 0 may change; pixels with alpha 255 must
   * not change.
   */
  readonly mask: CheckedImage;
  /** Canvas on which the source was sent to the model. */
  readonly canvas: Canvas;
}

/**
 * Functions on images. Pixels are decoded and encoded off the main thread, at most three images at a time. All functions reject
 * with the signal's reason on abort. After the engine was closed, the functions that decode or encode reject with `overloaded`.
 */
export interface ImageTools {
  /** Verifies one encoded image. Resolves with the fault if the image is invalid. */
  inspect(bytes: Buffer, signal: AbortSignal): Promise<Inspection>;
  /** Verifies an image like `inspect`, but without its checksum, because its bytes may still change. */
  check(bytes: Buffer, signal: AbortSignal): Promise<Inspection<CheckedImage>>;
  /**
   * Verifies an image like `check`. While another thread decodes the pixels, adds this source type as `writeXmp` does, and computes the
   * checksum of the marked image.
   */
  checkAndMark(bytes: Buffer, sourceType: string, signal: AbortSignal): Promise<MarkedInspection>;
  /** Adds the checksum to a checked image whose bytes no longer change. An image that has its checksum is not read again. */
  withChecksum(
    image: ImageInParts | VerifiedInParts,
    signal: AbortSignal,
  ): Promise<VerifiedInParts>;
  /**
   * Verifies an image like `inspect` and resolves with a verified PNG thumbnail in sRGB. The thumbnail is rotated according to the
   * EXIF orientation, keeps the alpha and has no metadata. The thumbnail fits in a square of `edgePx` pixels; a smaller image is
   * not enlarged. The same image always produces the same bytes.
   */
  thumbnail(bytes: Buffer, edgePx: number, signal: AbortSignal): Promise<Thumbnail>;
  /** Resolves with the pixels of a verified image, rotated according to its EXIF orientation and converted to sRGB. */
  decode(image: CheckedImage, options: DecodeOptions, signal: AbortSignal): Promise<Pixels>;
  encode(pixels: Pixels, options: EncodeOptions, signal: AbortSignal): Promise<Buffer>;
  /**
   * Converts an image to another format, in 8-bit sRGB and without metadata. The pixels are rotated because the EXIF
   * orientation is removed with the metadata. Transparent pixels are blended with white if the format has no alpha.
   */
  convert(image: CheckedImage, options: EncodeOptions, signal: AbortSignal): Promise<Buffer>;
  /**
   * Makes the background of an image transparent (docs/transparency.md). The result is rotated according to the EXIF
   * orientation and has no metadata.
   */
  removeBackground(
    image: CheckedImage,
    matte: MatteOptions,
    options: EncodeOptions,
    signal: AbortSignal,
  ): Promise<Buffer>;
  /** Draws an image on a canvas. Resolves with a PNG in sRGB without metadata, rotated according to the EXIF orientation. */
  drawOnCanvas(image: CheckedImage, canvas: Canvas, signal: AbortSignal): Promise<Buffer>;
  /**
   * Crops or extends an image to a rectangle of its upright pixels. Resolves with a PNG in 8-bit sRGB without metadata. Pixels of the
   * image stay exact, and the part beyond the image repeats its edge pixels.
   */
  cropOrExtend(image: CheckedImage, area: PixelArea, signal: AbortSignal): Promise<Buffer>;
  /** Draws a mask of the size of a rectangle. Resolves with a PNG whose alpha is 255 over the image and 0 beyond its edges. */
  drawAreaMask(image: Edges, area: PixelArea, signal: AbortSignal): Promise<Buffer>;
  /**
   * Draws a mask on a canvas. Resolves with a PNG in which each pixel is either open or closed. A pixel is open if its alpha in
   * the mask is below 255. The canvas outside the area is closed. `alpha`: open pixels have alpha 0, closed pixels have alpha
   * 255. `white`: the PNG has no alpha; open pixels are white, closed pixels are black.
   */
  drawMask(
    mask: CheckedImage,
    canvas: Canvas,
    form: 'alpha' | 'white',
    signal: AbortSignal,
  ): Promise<Buffer>;
  /**
   * Composites `drawn` over the source where the mask permits changes. `drawn` shows the whole canvas, in any size. Where the
   * alpha of the mask is 255, the result has the pixels of the source. Where the alpha is 0, the result has the pixels of
   * `drawn`. Between these values, both are blended.
   */
  composite(
    drawn: CheckedImage,
    masked: MaskedSource,
    options: EncodeOptions,
    signal: AbortSignal,
  ): Promise<Buffer>;
  /**
   * Resolves with the image with `content` in its only XMP packet. All other bytes of the container stay the same, and share their
   * memory with `image`. A source type that the image has stays. A packet that cannot be merged is replaced if a record is written;
   * its source type stays.
   */
  writeXmp(
    image: ImageInParts,
    content: XmpContent,
    signal: AbortSignal,
  ): Promise<ImageInParts | XmpFault>;
  /** Resolves with the source type (IPTC) in the XMP of the image, usually a URL. Resolves with undefined if there is none. */
  readSourceType(image: EncodedImage, signal: AbortSignal): Promise<string | undefined>;
  /**
   * Resolves with the size in the file of the signed C2PA manifests of the image, in bytes: 0 if there is none, and infinity if they
   * have too many parts. Any change to the file makes a manifest invalid.
   */
  manifestBytes(image: EncodedImage, signal: AbortSignal): Promise<number>;
  /**
   * Resolves with the C2PA manifest store of the image, which is the content of a `.c2pa` file. Resolves with undefined if there
   * is none, or if there are several.
   */
  manifestStore(image: EncodedImage, signal: AbortSignal): Promise<Buffer | undefined>;
  /** Resolves with true if the XMP of the image names C2PA credentials on a server. */
  hasCredentialLink(image: EncodedImage, signal: AbortSignal): Promise<boolean>;
  /**
   * Resolves with the bytes of the image without its C2PA manifests, unless they have too many parts. All other bytes stay the
   * same.
   */
  withoutManifest(image: ImageInParts, signal: AbortSignal): Promise<Buffer>;
}

/**
 * The functions on images. `doctor`, the other commands and the providers call these functions on the engine itself, without a
 * scope.
 */
export interface ImageEngine extends ImageTools {
  /**
   * Returns the functions for the requests of one scope. Scopes take turns. Requests can use two slots. Decodes of more than 8
   * megapixels for one scope never use both slots at the same time.
   */
  forScope(scope: string): ImageTools;
  /** Returns the functions for the deliveries and thumbnails of one scope. At least one slot is always left for this work. */
  forDelivery(scope: string): ImageTools;
  /** Closes the engine. Resolves when none of its work is running. */
  close(): Promise<void>;
}

/** Returns the dimensions of an image as it is displayed. EXIF orientations 5 to 8 swap width and height. */
export function uprightEdges({
  width,
  height,
  orientation,
}: Edges & Pick<CheckedImage, 'orientation'>): Edges {
  return orientation >= 5 ? { width: height, height: width } : { width, height };
}

/**
 * Returns the fault for the limit that an image of this size exceeds, or undefined. An image above a limit is never decoded.
 */
export function overLimits(
  { bytes, width, height }: Edges & { readonly bytes: number },
  limits: Omit<ImageLimits, 'max_decode_ms'>,
): ImageFault | undefined {
  if (bytes > limits.max_encoded_bytes) return 'too_many_bytes';
  if (Math.max(width, height) > limits.max_edge) return 'edge_too_long';
  return width * height > limits.max_pixels ? 'too_many_pixels' : undefined;
}
