import type { Size } from '../../images/measure-image.ts';

/** A rectangle in the pixels of a source, which may reach beyond its edges. */
export interface CanvasArea extends Size {
  readonly x: number;
  readonly y: number;
}

export type CanvasText = Readonly<Record<keyof CanvasArea, string>>;

/** The maximum number of pixels of a canvas, the default value of the setting `images.max_pixels`. */
const MAX_PIXELS = 8192 * 8192;
const WHOLE = /^[-−]?\d{1,5}$/;

export function wholeOf({ width, height }: Size): CanvasArea {
  return { x: 0, y: 0, width, height };
}

export function toCanvasText({ x, y, width, height }: CanvasArea): CanvasText {
  return { x: String(x), y: String(y), width: String(width), height: String(height) };
}

/** Returns the typed rectangle, or the name of the first field that is not valid. */
export function parseCanvas(typed: CanvasText, source: Size): CanvasArea | keyof CanvasText {
  const bad = (['x', 'y', 'width', 'height'] as const).find((name) => !WHOLE.test(typed[name]));
  if (bad !== undefined) return bad;
  const numberOf = (value: string) => Number(value.replace('−', '-'));
  const area = {
    x: numberOf(typed.x),
    y: numberOf(typed.y),
    width: numberOf(typed.width),
    height: numberOf(typed.height),
  };
  if (area.width < 1 || area.width * area.height > MAX_PIXELS) return 'width';
  if (area.height < 1) return 'height';
  if (area.x >= source.width || area.x + area.width <= 0) return 'x';
  if (area.y >= source.height || area.y + area.height <= 0) return 'y';
  return area;
}

/** Returns the smallest rectangle of this ratio (width divided by height) around the whole image. */
export function extendTo(ratio: number, { width, height }: Size): CanvasArea {
  if (width / height < ratio) {
    const wider = Math.round(height * ratio);
    return { x: -Math.floor((wider - width) / 2), y: 0, width: wider, height };
  }
  const higher = Math.round(width / ratio);
  return { x: 0, y: -Math.floor((higher - height) / 2), width, height: higher };
}

/** Returns the largest rectangle of this ratio (width divided by height) in the middle of the image. */
export function cropTo(ratio: number, { width, height }: Size): CanvasArea {
  if (width / height > ratio) {
    const narrower = Math.max(1, Math.round(height * ratio));
    return { x: Math.floor((width - narrower) / 2), y: 0, width: narrower, height };
  }
  const lower = Math.max(1, Math.round(width / ratio));
  return { x: 0, y: Math.floor((height - lower) / 2), width, height: lower };
}

/** Returns true if the rectangle is exactly the image. */
export function isWhole({ x, y, width, height }: CanvasArea, source: Size): boolean {
  return x === 0 && y === 0 && width === source.width && height === source.height;
}

/** Returns true if a part of the rectangle is beyond the edges of the image. */
export function isBeyond({ x, y, width, height }: CanvasArea, source: Size): boolean {
  return x < 0 || y < 0 || x + width > source.width || y + height > source.height;
}
