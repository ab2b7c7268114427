import type { Size } from '../images/measure-image.ts';
import type { CanvasArea } from './canvas-area.ts';
import { clipTo } from './plane.ts';
import type { RectangleText } from './rectangle/rectangle.ts';

/** The maximum number of pixels of a canvas, the default value of the setting `images.max_pixels`. */
const MAX_PIXELS = 8192 * 8192;
const WHOLE = /^[-−]?\d{1,5}$/;

export function toCanvasText({ x, y, width, height }: CanvasArea): RectangleText {
  return { x: String(x), y: String(y), width: String(width), height: String(height) };
}

/** Returns the typed rectangle, or the name of the first field that is not valid. */
export function parseCanvas(typed: RectangleText, source: Size): CanvasArea | keyof RectangleText {
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

/** A handle of a canvas: each edge that the handle moves. `whole` moves the canvas without a change of its size. */
export const HANDLES = ['n', 's', 'e', 'w', 'ne', 'nw', 'se', 'sw'] as const;
export type Handle = (typeof HANDLES)[number] | 'whole';

/** `extend` keeps the whole image inside the canvas, `crop` keeps the canvas inside the image. */
export type Way = 'extend' | 'crop';

/**
 * Moves the edges of a canvas by whole pixels. Returns the nearest canvas that the way permits, or the same canvas if its pixels would
 * exceed the limit.
 */
export function moveHandle(
  area: CanvasArea,
  handle: Handle,
  by: { readonly x: number; readonly y: number },
  way: Way,
  source: Size,
): CanvasArea {
  const across = span([area.x, area.width], ways(handle, 'w', 'e'), by.x, way, source.width);
  const down = span([area.y, area.height], ways(handle, 'n', 's'), by.y, way, source.height);
  const next = { x: across[0], y: down[0], width: across[1], height: down[1] };
  return next.width * next.height > MAX_PIXELS ? area : next;
}

type Moved = 'start' | 'end' | 'both' | 'none';

function ways(handle: Handle, start: string, end: string): Moved {
  if (handle === 'whole') return 'both';
  if (handle.includes(start)) return 'start';
  return handle.includes(end) ? 'end' : 'none';
}

/** Moves one span of a canvas along an axis of the image. */
function span(
  [at, length]: readonly [number, number],
  moved: Moved,
  by: number,
  way: Way,
  edge: number,
): readonly [number, number] {
  if (moved === 'none') return [at, length];
  const [start, end] = [at, at + length];
  if (moved === 'both') {
    const free = edge - length;
    const [low, high] = [Math.min(0, free), Math.max(0, free)];
    return [clamp(at + by, low, high), length];
  }
  if (moved === 'start') {
    const next =
      way === 'extend' ? Math.min(0, start + by) : clamp(start + by, 0, Math.min(edge, end) - 1);
    return [next, end - next];
  }
  const next =
    way === 'extend' ? Math.max(edge, end + by) : clamp(end + by, Math.max(0, start) + 1, edge);
  return [start, next - start];
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(low, high), Math.max(low, value));
}

/** The place of an image on a canvas that differs from the image along one axis. */
export const PLACES = ['start', 'middle', 'end'] as const;
type ImagePlace = (typeof PLACES)[number];

/** Returns the axis along which the canvas is longer or shorter than the image, if there is exactly one. */
export function freeAxis({ width, height }: Size, source: Size): 'x' | 'y' | undefined {
  const isWide = width !== source.width;
  const isHigh = height !== source.height;
  if (isWide === isHigh) return undefined;
  return isWide ? 'x' : 'y';
}

/** Moves a canvas along an axis, so that the image sits at the place. */
export function placeImage(
  area: CanvasArea,
  axis: 'x' | 'y',
  place: ImagePlace,
  source: Size,
): CanvasArea {
  const free = axis === 'x' ? source.width - area.width : source.height - area.height;
  return { ...area, [axis]: { start: 0, middle: Math.trunc(free / 2), end: free }[place] };
}

/**
 * Returns a canvas with a smaller part beyond the image, in the same shares, so that the canvas has at most this number of pixels.
 * Returns undefined if the part of the image alone has more.
 */
export function shrinkTo(pixels: number, area: CanvasArea, source: Size): CanvasArea | undefined {
  const seen = clipTo(source, area);
  if (seen === undefined || seen.width * seen.height > pixels) return undefined;
  const [across, down] = [area.width - seen.width, area.height - seen.height];
  // The share of the part beyond the image that is kept solves (width + share · across) · (height + share · down) = pixels.
  const [a, b] = [across * down, seen.width * down + seen.height * across];
  const c = seen.width * seen.height - pixels;
  const share = Math.min(1, a === 0 ? -c / b : (Math.sqrt(b * b - 4 * a * c) - b) / (2 * a));
  return {
    x: seen.x - Math.floor((seen.x - area.x) * share),
    y: seen.y - Math.floor((seen.y - area.y) * share),
    width: seen.width + Math.floor(across * share),
    height: seen.height + Math.floor(down * share),
  };
}

/** Returns the part of the canvas beyond each edge of the image, in pixels. A part that a crop removes is negative. */
export function beyondEdges({ x, y, width, height }: CanvasArea, source: Size) {
  return {
    left: -x,
    top: -y,
    right: x + width - source.width,
    bottom: y + height - source.height,
  };
}
