import type { OutputFormat } from '../contract/request/parameters.ts';

/** The limits for every image, received or generated (`images.*`). */
export interface ImageLimits {
  readonly max_encoded_bytes: number;
  readonly max_edge: number;
  readonly max_pixels: number;
  readonly max_decode_ms: number;
}

/** An encoded image whose container and pixels were checked to the last byte (contract.md 1). */
export interface VerifiedImage {
  readonly bytes: Buffer;
  readonly format: OutputFormat;
  /** In pixels, as stored: not rotated by EXIF. */
  readonly width: number;
  readonly height: number;
  /** The EXIF orientation, 1 to 8; 1 when there is none. */
  readonly orientation: number;
  /** `none`: no alpha channel. `opaque`: every alpha 255. `empty`: every alpha 0. `some`: anything else. */
  readonly alpha: 'none' | 'opaque' | 'some' | 'empty';
  /** Lowercase hexadecimal. */
  readonly sha256: string;
  /** Stored in 16 bits with a colour profile: converting it to sRGB needs special care. */
  readonly hasDeepProfile?: boolean;
}

/** Why an image is not valid. The names are stable: they appear in error details. */
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

export type Inspection =
  | { readonly ok: true; readonly image: VerifiedImage }
  | { readonly ok: false; readonly fault: ImageFault };

/** A small PNG of an image that was verified by the same decode, or why the image is not valid. */
export type Thumbnail =
  | {
      readonly ok: true;
      /** Of the encoded source image, lowercase hexadecimal. */
      readonly sha256: string;
      readonly image: VerifiedImage;
    }
  | { readonly ok: false; readonly fault: ImageFault };

/** Decoded 8-bit sRGB pixels, rows from the top, 3 or 4 interleaved channels, alpha not premultiplied. */
export interface Pixels {
  readonly data: Buffer;
  readonly width: number;
  readonly height: number;
  readonly channels: 3 | 4;
}

export interface DecodeOptions {
  /** 3: transparent pixels are blended with white. 4: an image without alpha becomes opaque. */
  readonly channels: 3 | 4;
  /** Scales to exactly these edges; `cover` crops to fill them, `fill` stretches. Absent: as stored, rotated by EXIF. */
  readonly resize?: {
    readonly width: number;
    readonly height: number;
    readonly fit: 'cover' | 'fill';
  };
}

export interface EncodeOptions {
  readonly format: OutputFormat;
  /** 0..100, the contract's `output_compression`; jpeg and webp only. */
  readonly compression?: number;
  /** webp only: every sample is kept, those of transparent pixels too. */
  readonly lossless?: boolean;
}

/** How a subject is separated from its flat background. */
export interface MatteOptions {
  /** `#RRGGBB`, as it was requested. */
  readonly keyColor: string;
  /** Up to this distance from the key colour a pixel becomes transparent, 0..254. */
  readonly transparentThreshold: number;
  /** From this distance on it stays opaque, 1..255. */
  readonly opaqueThreshold: number;
  readonly despill: boolean;
}

/** A size that a model supports, in pixels, and the part of it that shows the source. The rest repeats the source's edges. */
export interface Canvas {
  readonly width: number;
  readonly height: number;
  readonly area: {
    readonly left: number;
    readonly top: number;
    readonly width: number;
    readonly height: number;
  };
}

/** A source, and where an image that a model made of it may differ from it. */
export interface MaskedSource {
  readonly source: VerifiedImage;
  /** Rotated by EXIF, it has the edges of the source: alpha 0 may change, 255 must not. */
  readonly mask: VerifiedImage;
  /** What the model was given. */
  readonly canvas: Canvas;
}

/**
 * Functions on images. Pixels are decoded and encoded off the main thread, at most three images at a time. All functions
 * reject with the signal's reason on abort. Throws `overloaded` after `close` of the engine.
 */
export interface ImageTools {
  /** Verifies one encoded image. An invalid image is a result, not an exception. */
  inspect(bytes: Buffer, signal: AbortSignal): Promise<Inspection>;
  /**
   * A verified PNG that fits a square of `edgePx`, never enlarged: rotated by EXIF, in sRGB, with its alpha, without
   * metadata. The image itself is verified too, as `inspect` does. The same image always gives the same bytes.
   */
  thumbnail(bytes: Buffer, edgePx: number, signal: AbortSignal): Promise<Thumbnail>;
  /** The pixels of a verified image, rotated by its EXIF orientation and converted to sRGB. */
  decode(image: VerifiedImage, options: DecodeOptions, signal: AbortSignal): Promise<Pixels>;
  encode(pixels: Pixels, options: EncodeOptions, signal: AbortSignal): Promise<Buffer>;
  /**
   * The same pixels in another format, in 8-bit sRGB, without metadata and therefore rotated by EXIF. Transparent pixels are
   * blended with white if the format has no alpha.
   */
  convert(image: VerifiedImage, options: EncodeOptions, signal: AbortSignal): Promise<Buffer>;
  /** The subject on a transparent background (contract.md 2), rotated by EXIF and without metadata. */
  removeBackground(
    image: VerifiedImage,
    matte: MatteOptions,
    options: EncodeOptions,
    signal: AbortSignal,
  ): Promise<Buffer>;
  /** The image on a canvas, as a PNG: rotated by EXIF, in sRGB, without metadata. */
  drawOnCanvas(image: VerifiedImage, canvas: Canvas, signal: AbortSignal): Promise<Buffer>;
  /**
   * A mask on a canvas, as a PNG of two values. What may change at all (alpha below 255) is open, what lies around the area is
   * not. `alpha`: 0 where it is open, 255 elsewhere. `white`: no alpha, white where it is open, black elsewhere.
   */
  drawMask(
    mask: VerifiedImage,
    canvas: Canvas,
    form: 'alpha' | 'white',
    signal: AbortSignal,
  ): Promise<Buffer>;
  /**
   * The source with what the mask lets through of `drawn`, an image of the canvas in any size. Where the mask's alpha is 255,
   * the decoded samples are the source's own, where it is 0 they are those of `drawn`; between them both are blended.
   */
  composite(
    drawn: VerifiedImage,
    masked: MaskedSource,
    options: EncodeOptions,
    signal: AbortSignal,
  ): Promise<Buffer>;
  /**
   * The same image with `record`, as `toXmpJson` writes it, in its one XMP packet. Everything else of the container stays
   * byte for byte. Undefined for an image with more XMP than can be edited.
   */
  embedRecord(
    image: VerifiedImage,
    record: string,
    signal: AbortSignal,
  ): Promise<Buffer | undefined>;
  /** Resolves to true if the image carries a signed C2PA manifest, which any change of the file makes invalid. */
  hasManifest(
    image: Pick<VerifiedImage, 'bytes' | 'format'>,
    signal: AbortSignal,
  ): Promise<boolean>;
}

/** The functions on images, by themselves for what the bridge does for no caller. */
export interface ImageEngine extends ImageTools {
  /**
   * The same functions for the requests of one scope. Scopes take turns, and two slots are for requests; decodes of more
   * than 8 megapixels of one scope never hold both.
   */
  forScope(scope: string): ImageTools;
  /** The same functions for the deliveries and thumbnails of one scope, which have a third slot of their own. */
  forDelivery(scope: string): ImageTools;
  /** Resolves when no work of the engine runs any more. */
  close(): Promise<void>;
}
