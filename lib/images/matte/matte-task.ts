import type { Rgb } from '../color.ts';

/** One image to cut out of its flat background: all that decides its pixels, and nothing else. */
export interface MatteTask {
  /** 8-bit sRGB with alpha, rows from the top, four bytes a pixel, not premultiplied. Changed in this buffer. */
  readonly data: ArrayBuffer;
  readonly width: number;
  readonly height: number;
  /** The requested colour; the actual one is near it. */
  readonly key: Rgb;
  /** Up to this distance from the key a pixel becomes transparent. */
  readonly transparentThreshold: number;
  /** From this distance on it stays opaque; above `transparentThreshold`. */
  readonly opaqueThreshold: number;
  readonly despill: boolean;
  /** One 32-bit integer: any value but 0 ends the work early. */
  readonly stop: SharedArrayBuffer;
}

/** An image, and one byte for each pixel from each pass of the matte. */
export interface Plate {
  readonly pixels: Uint8Array;
  readonly width: number;
  readonly height: number;
  /** The greatest channel difference to the key. */
  readonly distances: Uint8Array;
  /** Steps to the nearest pixel that is not fully opaque, along rows and columns; `FAR` if there is none within reach. */
  readonly steps: Uint8Array;
}

/** Within so many steps of a cleared pixel the key may have spilled on the subject (contract.md 2). */
export const SPILL_REACH = 2;
export const FAR = SPILL_REACH + 1;
