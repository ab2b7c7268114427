import type { Size } from '../images/measure-image.ts';

/** A rectangle in the pixels of a source, which may reach beyond its edges. */
export interface CanvasArea extends Size {
  readonly x: number;
  readonly y: number;
}

export function wholeOf({ width, height }: Size): CanvasArea {
  return { x: 0, y: 0, width, height };
}

/** Returns true if the rectangle is exactly the image. */
export function isWhole({ x, y, width, height }: CanvasArea, source: Size): boolean {
  return x === 0 && y === 0 && width === source.width && height === source.height;
}

/** Returns true if a part of the rectangle is beyond the edges of the image. */
export function isBeyond({ x, y, width, height }: CanvasArea, source: Size): boolean {
  return x < 0 || y < 0 || x + width > source.width || y + height > source.height;
}
