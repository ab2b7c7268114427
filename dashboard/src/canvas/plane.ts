import type { Size } from '../images/measure-image.ts';
import { coverageOf, type Dab, reachOf, spansOf } from './dab.ts';

/** A rectangle in whole pixels. */
export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The brush enlarges the area that may change. The eraser reduces this area. */
export type Tool = 'brush' | 'eraser';

export type Plane = ReturnType<typeof createPlane>;

/** Creates a mask plane with one byte per pixel, from 0 (must not change) to 255 (may change). */
export function createPlane(width: number, height: number) {
  const size = { width, height };
  const pixels = new Uint8Array(width * height);
  let sum = 0;

  function set(index: number, value: number): void {
    sum += value - (pixels[index] ?? 0);
    pixels[index] = value;
  }

  return {
    width,
    height,
    pixels: pixels as Readonly<typeof pixels>,
    /** Returns the fraction of the image that may change, from 0 to 1. */
    share: () => sum / (255 * pixels.length),

    /**
     * Moves a round brush. `isCovered` is true if the tool has covered `from` already, so that these pixels are skipped.
     * Returns the smallest rectangle that contains all changes, or undefined without changes.
     */
    paint(from: Dab, to: Dab, tool: Tool, isCovered = false): Rect | undefined {
      const reach = clipTo(size, reachOf(from, to));
      if (reach === undefined) return undefined;
      const { rect, change } = paintPath(pixels, width, reach, { from, to, tool, isCovered });
      sum += change;
      return rect;
    },

    /** Adds or removes an area of any shape. `cover` has one byte per pixel of `rect`, from 0 to 255. */
    stamp(rect: Rect, cover: Readonly<Uint8Array>, tool: Tool): void {
      for (let y = 0; y < rect.height; y += 1) {
        for (let x = 0; x < rect.width; x += 1) {
          const share = cover[y * rect.width + x] ?? 0;
          if (share === 0) continue;
          const index = (rect.y + y) * width + rect.x + x;
          const old = pixels[index] ?? 0;
          set(index, covered(old, share, tool));
        }
      }
    },

    fill(area: Rect, tool: Tool): Rect | undefined {
      const rect = clipTo(size, area);
      if (rect === undefined) return undefined;
      for (let y = rect.y; y < rect.y + rect.height; y += 1) {
        for (let x = rect.x; x < rect.x + rect.width; x += 1) {
          set(y * width + x, tool === 'brush' ? 255 : 0);
        }
      }
      return rect;
    },

    invert(): Rect {
      for (let index = 0; index < pixels.length; index += 1) {
        pixels[index] = 255 - (pixels[index] ?? 0);
      }
      sum = 255 * pixels.length - sum;
      return { x: 0, y: 0, width, height };
    },

    /** Returns the sum of the pixels in a rectangle inside the plane. */
    sumOf(rect: Rect): number {
      let part = 0;
      for (let y = rect.y; y < rect.y + rect.height; y += 1) {
        for (let x = rect.x; x < rect.x + rect.width; x += 1) part += pixels[y * width + x] ?? 0;
      }
      return part;
    },

    /** Restores pixels that `cut` has returned. */
    put(rect: Rect, part: Readonly<Uint8Array>): void {
      for (let y = 0; y < rect.height; y += 1) {
        for (let x = 0; x < rect.width; x += 1) {
          set((rect.y + y) * width + rect.x + x, part[y * rect.width + x] ?? 0);
        }
      }
    },
  };
}

/** Returns the value of a pixel after a tool has covered a share of it. All values are from 0 to 255. */
function covered(old: number, share: number, tool: Tool): number {
  return tool === 'brush' ? Math.max(old, share) : Math.min(old, 255 - share);
}

interface Path {
  readonly from: Dab;
  readonly to: Dab;
  readonly tool: Tool;
  readonly isCovered: boolean;
}

/** Paints the path of a brush. Returns the rectangle around all changes, and the change of the sum of all pixels. */
function paintPath(
  pixels: Uint8Array,
  width: number,
  reach: Rect,
  { from, to, tool, isCovered }: Path,
) {
  const coverage = coverageOf(from, to);
  const spans = spansOf(from, to, isCovered);
  const full = tool === 'brush' ? 255 : 0;
  const changed = { left: width, top: Infinity, right: -1, bottom: -1 };
  let change = 0;
  for (let y = reach.y; y < reach.y + reach.height; y += 1) {
    for (const { start, end, isFull } of spans(y, reach)) {
      for (let x = start; x < end; x += 1) {
        const old = pixels[y * width + x] ?? 0;
        if (old === full) continue;
        const next = isFull ? full : covered(old, coverage(x + 0.5, y + 0.5), tool);
        if (next === old) continue;
        pixels[y * width + x] = next;
        change += next - old;
        if (x < changed.left) changed.left = x;
        if (x > changed.right) changed.right = x;
        if (y < changed.top) changed.top = y;
        changed.bottom = y;
      }
    }
  }
  return { rect: toRect(changed), change };
}

/** Returns the rectangle between edges, which are inside the rectangle. Undefined if nothing lies between the edges. */
function toRect({ left, top, right, bottom }: Record<'left' | 'top' | 'right' | 'bottom', number>) {
  if (bottom < 0) return undefined;
  return { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
}

/** Returns the whole pixels of an area that are inside an image, or undefined if the area is outside. */
export function clipTo(size: Size, area: Rect): Rect | undefined {
  const x = Math.max(0, Math.floor(area.x));
  const y = Math.max(0, Math.floor(area.y));
  const width = Math.min(size.width, Math.ceil(area.x + area.width)) - x;
  const height = Math.min(size.height, Math.ceil(area.y + area.height)) - y;
  return width > 0 && height > 0 ? { x, y, width, height } : undefined;
}

/** Returns a rectangle of the source in pixels of the plane, with its edges rounded. */
export function scaled(rect: Rect, scale: number): Rect {
  const [x, y] = [Math.round(rect.x * scale), Math.round(rect.y * scale)];
  return {
    x,
    y,
    width: Math.round((rect.x + rect.width) * scale) - x,
    height: Math.round((rect.y + rect.height) * scale) - y,
  };
}

/** Copies a rectangle from an array of pixels. `width` is the number of pixels in a row of the array. */
export function cut(pixels: Readonly<Uint8Array>, width: number, rect: Rect): Uint8Array {
  const part = new Uint8Array(rect.width * rect.height);
  for (let y = 0; y < rect.height; y += 1) {
    const start = (rect.y + y) * width + rect.x;
    part.set(pixels.subarray(start, start + rect.width), y * rect.width);
  }
  return part;
}

/** Returns the smallest rectangle around two rectangles. An empty rectangle adds nothing. */
export function unite(a: Rect | undefined, b: Rect | undefined): Rect | undefined {
  if (a === undefined || a.width === 0) return b ?? a;
  if (b === undefined || b.width === 0) return a;
  const x = Math.min(a.x, b.x);
  const y = Math.min(a.y, b.y);
  return {
    x,
    y,
    width: Math.max(a.x + a.width, b.x + b.width) - x,
    height: Math.max(a.y + a.height, b.y + b.height) - y,
  };
}

/** The maximum number of pixels of a plane. The mask of a larger image is enlarged when it is saved. */
const MAX_PIXELS = 4096 * 4096;

/** Returns the size of the plane for an image, in pixels. */
export function planeSize({ width, height }: Size): Size {
  const scale = Math.min(1, Math.sqrt(MAX_PIXELS / (width * height)));
  return {
    width: Math.max(1, Math.floor(width * scale)),
    height: Math.max(1, Math.floor(height * scale)),
  };
}

/** Returns a percentage. 0 and 100 mean exactly 0 and 1. Tenths are returned only below 10 percent. */
export function toPercent(share: number): number {
  if (share <= 0) return 0;
  if (share >= 1) return 100;
  const percent = share * 100;
  if (percent < 10) return Math.max(0.1, Math.round(percent * 10) / 10);
  return Math.min(99, Math.round(percent));
}
