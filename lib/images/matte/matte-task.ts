import type { Rgb } from '../color.ts';

/** One image to cut out of its flat background: all that decides its pixels, and nothing else. */
export interface MatteTask {
  /** 8-bit sRGB with alpha, rows from the top, four bytes a pixel, not premultiplied. Changed in place. */
  readonly data: ArrayBuffer;
  readonly width: number;
  readonly height: number;
  /** The colour that was asked for; the real one is found near it. */
  readonly key: Rgb;
  /** Up to this distance from the key a pixel becomes clear. */
  readonly transparentThreshold: number;
  /** From this distance on it stays opaque; above `transparentThreshold`. */
  readonly opaqueThreshold: number;
  readonly despill: boolean;
  /** One 32-bit integer: anything but 0 ends the work early. */
  readonly stop: SharedArrayBuffer;
}

/** An image with what the passes of a matte know of its pixels, one byte each. */
export interface Plate {
  readonly pixels: Uint8Array;
  readonly width: number;
  readonly height: number;
  /** The greatest channel difference to the key. */
  readonly distances: Uint8Array;
  /** Steps to the nearest pixel that is not fully opaque, along rows and columns; `FAR` stands for all that is beyond. */
  readonly steps: Uint8Array;
}

/** So many steps from what was cleared, the key may have spilled on the subject (contract.md 2). */
export const SPILL_REACH = 2;
export const FAR = SPILL_REACH + 1;
