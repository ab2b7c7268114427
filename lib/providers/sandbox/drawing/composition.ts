import type { Palette } from './palette.ts';
import type { Prng } from './prng.ts';

/** The coordinates: the image's centre is 0,0 and `unit` pixels make a length of 1. */
export interface Frame {
  readonly width: number;
  readonly height: number;
  readonly unit: number;
  /** Half the image's edges in units. */
  readonly halfWidth: number;
  readonly halfHeight: number;
}

export interface Scene {
  readonly frame: Frame;
  readonly palette: Palette;
  /** Read in an order that does not depend on size or detail: they must not change the layout. */
  readonly random: Prng;
  /** How many sizes of fine structure are drawn: 0 (few) to 2 (all). */
  readonly detail: number;
}

/** Writes row `y`, counted from the top: three numbers a pixel, gamma-coded sRGB, 0..1 (a little beyond is cut off later). */
export type RowShader = (y: number, row: Float32Array) => void;

/** One kind of image. */
export interface Composition {
  /** What it shows, for the revised prompt. */
  readonly phrase: string;
  shader(scene: Scene): RowShader;
}

/** A wide image is not a stretched square one: it shows more of the same scene. */
export function frameOf(width: number, height: number): Frame {
  const unit = Math.max(Math.min(width, height), Math.max(width, height) / 4);
  return { width, height, unit, halfWidth: width / unit / 2, halfHeight: height / unit / 2 };
}
