import type { OutputFormat } from '../contract/request/parameters.ts';

/** The limits under which every image is decoded, on its way in and out (`images.*`). */
export interface ImageLimits {
  readonly max_encoded_bytes: number;
  readonly max_edge: number;
  readonly max_pixels: number;
  readonly max_decode_ms: number;
}

/** An encoded image whose container and pixels were checked to the end (contract.md 1). */
export interface VerifiedImage {
  readonly bytes: Buffer;
  readonly format: OutputFormat;
  /** As stored, before any turning by EXIF. */
  readonly width: number;
  readonly height: number;
  /** The EXIF orientation, 1 to 8; 1 when there is none. */
  readonly orientation: number;
  /** `none`: no alpha channel. `opaque`: every alpha 255. `empty`: every alpha 0. `some`: anything else. */
  readonly alpha: 'none' | 'opaque' | 'some' | 'empty';
  /** Lowercase hexadecimal. */
  readonly sha256: string;
  /** Stored in 16 bits with a colour profile: its colours need care on their way to sRGB. */
  readonly hasDeepProfile?: boolean;
}

/** Why an image is not sound. Stable names that callers may pass on as a detail. */
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

/** A small PNG of an image that proved sound while it was made, or why the image is not. */
export type Thumbnail =
  | {
      readonly ok: true;
      /** Of the encoded image that it shows, lowercase hexadecimal. */
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
  /** With 3 what is transparent falls on white; with 4 what has no alpha is opaque. */
  readonly channels: 3 | 4;
  /** Scales to exactly these edges; `cover` crops to fill them, `fill` stretches. Left out: as stored, turned by EXIF. */
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
}

/** How a subject is told from its flat background. */
export interface MatteOptions {
  /** `#RRGGBB`, as it was asked for. */
  readonly keyColor: string;
  /** Up to this distance from the key colour a pixel becomes clear, 0..254. */
  readonly transparentThreshold: number;
  /** From this distance on it stays opaque, 1..255. */
  readonly opaqueThreshold: number;
  readonly despill: boolean;
}

/**
 * Functions on images, all of them off the main thread and under the decode gate. All reject with the signal's reason on
 * abort and with `overloaded` after `close`.
 */
export interface ImageEngine {
  /** Judges one encoded image by its bytes. Throws nothing about the image: a fault is an answer. */
  inspect(bytes: Buffer, signal: AbortSignal): Promise<Inspection>;
  /**
   * A verified PNG that fits a square of `edgePx`, never enlarged: turned by EXIF, in sRGB, with its alpha, without
   * metadata. The image is judged on the way, as `inspect` does. The same image always gives the same bytes.
   */
  thumbnail(bytes: Buffer, edgePx: number, signal: AbortSignal): Promise<Thumbnail>;
  /** The pixels of a verified image, turned by its EXIF orientation and converted to sRGB. */
  decode(image: VerifiedImage, options: DecodeOptions, signal: AbortSignal): Promise<Pixels>;
  encode(pixels: Pixels, options: EncodeOptions, signal: AbortSignal): Promise<Buffer>;
  /**
   * Another format with the same pixels, 8-bit sRGB, without metadata and therefore turned by EXIF; alpha falls on white
   * where the format has none.
   */
  convert(image: VerifiedImage, options: EncodeOptions, signal: AbortSignal): Promise<Buffer>;
  /** The subject alone, on a clear background (contract.md 2); turned by EXIF and without metadata. */
  removeBackground(
    image: VerifiedImage,
    matte: MatteOptions,
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
  /** Resolves when nothing of it runs any more. */
  close(): Promise<void>;
}
