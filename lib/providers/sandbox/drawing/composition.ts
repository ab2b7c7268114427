import type { Palette } from './palette.ts';
import type { Prng } from './prng.ts';

/** Coordinate system. The image's centre is 0,0 and `unit` pixels make a length of 1. */
export interface Frame {
  readonly width: number;
  readonly height: number;
  readonly unit: number;
  /** Half the image's dimensions in units. */
  readonly halfWidth: number;
  readonly halfHeight: number;
}

export interface Scene {
  readonly frame: Frame;
  readonly palette: Palette;
  /** Must be read in an order that does not depend on size or detail, because these must not change the layout. */
  readonly random: Prng;
  /** Number of sizes of fine structure: 0 (few) to 2 (all). */
  readonly detail: number;
}

/**
 * Writes row `y`, counted from the top: three numbers for each pixel, gamma-coded sRGB from 0 to 1. Values slightly
 * outside are clamped later.
 */
export type RowShader = (y: number, row: Float32Array) => void;

/** One kind of image. */
export interface Composition {
  /** Description of the image for the revised prompt. */
  readonly phrase: string;
  shader(scene: Scene): RowShader;
}

/**
 * Returns the frame of an image. A wide image shows more of the same scene than a square image, which is not stretched.
 */
export function frameOf(width: number, height: number): Frame {
  const unit = Math.max(Math.min(width, height), Math.max(width, height) / 4);
  return { width, height, unit, halfWidth: width / unit / 2, halfHeight: height / unit / 2 };
}
