import type { Size } from '../images/measure-image.ts';

/** A rectangle in whole pixels. */
export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A position and a radius of the brush, in pixels of the plane. */
export interface Dab {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
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

    /** Moves a round brush. Returns the smallest rectangle that contains all changes, or undefined without changes. */
    paint(from: Dab, to: Dab, tool: Tool): Rect | undefined {
      const rect = clipTo(size, reachOf(from, to));
      if (rect === undefined) return undefined;
      const full = tool === 'brush' ? 255 : 0;
      const coverage = coverageOf(from, to);
      const changed = { left: width, top: height, right: -1, bottom: -1 };
      for (let y = rect.y; y < rect.y + rect.height; y += 1) {
        for (let x = rect.x; x < rect.x + rect.width; x += 1) {
          const index = y * width + x;
          const old = pixels[index] ?? 0;
          if (old === full) continue;
          const cover = coverage(x + 0.5, y + 0.5);
          const next = tool === 'brush' ? Math.max(old, cover) : Math.min(old, 255 - cover);
          if (next === old) continue;
          set(index, next);
          if (x < changed.left) changed.left = x;
          if (x > changed.right) changed.right = x;
          if (y < changed.top) changed.top = y;
          changed.bottom = y;
        }
      }
      return toRect(changed);
    },

    /** Adds or removes an area of any shape. `cover` has one byte per pixel of `rect`, from 0 to 255. */
    stamp(rect: Rect, cover: Readonly<Uint8Array>, tool: Tool): void {
      for (let y = 0; y < rect.height; y += 1) {
        for (let x = 0; x < rect.width; x += 1) {
          const covered = cover[y * rect.width + x] ?? 0;
          if (covered === 0) continue;
          const index = (rect.y + y) * width + rect.x + x;
          const old = pixels[index] ?? 0;
          set(index, tool === 'brush' ? Math.max(old, covered) : Math.min(old, 255 - covered));
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

    /** Returns the fraction of a rectangle inside the plane that may change, from 0 to 1. */
    shareOf(rect: Rect): number {
      let part = 0;
      for (let y = rect.y; y < rect.y + rect.height; y += 1) {
        for (let x = rect.x; x < rect.x + rect.width; x += 1) part += pixels[y * width + x] ?? 0;
      }
      return part / (255 * rect.width * rect.height);
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

/** Returns the rectangle between edges, which are inside the rectangle. Undefined if nothing lies between the edges. */
function toRect({ left, top, right, bottom }: Record<'left' | 'top' | 'right' | 'bottom', number>) {
  if (bottom < 0) return undefined;
  return { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
}

/** Returns the area that a moving brush can change. */
export function reachOf(from: Dab, to: Dab): Rect {
  const reach = Math.max(from.radius, to.radius) + 1;
  const [x, y] = [Math.min(from.x, to.x) - reach, Math.min(from.y, to.y) - reach];
  return {
    x,
    y,
    width: Math.max(from.x, to.x) + reach - x,
    height: Math.max(from.y, to.y) + reach - y,
  };
}

/** Returns the whole pixels of an area that are inside an image, or undefined if the area is outside. */
export function clipTo(size: Size, area: Rect): Rect | undefined {
  const x = Math.max(0, Math.floor(area.x));
  const y = Math.max(0, Math.floor(area.y));
  const width = Math.min(size.width, Math.ceil(area.x + area.width)) - x;
  const height = Math.min(size.height, Math.ceil(area.y + area.height)) - y;
  return width > 0 && height > 0 ? { x, y, width, height } : undefined;
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

export function unite(a: Rect | undefined, b: Rect | undefined): Rect | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const x = Math.min(a.x, b.x);
  const y = Math.min(a.y, b.y);
  return {
    x,
    y,
    width: Math.max(a.x + a.width, b.x + b.width) - x,
    height: Math.max(a.y + a.height, b.y + b.height) - y,
  };
}

/** Returns a function that computes how much of a pixel a moving brush covers, from 0 to 255. */
function coverageOf(from: Dab, to: Dab): (x: number, y: number) => number {
  const dx = to.x - from.x;
  const dy = to.y - from.y;
  const growth = to.radius - from.radius;
  const squared = dx * dx + dy * dy;
  return (x, y) => {
    const px = x - from.x;
    const py = y - from.y;
    const along = squared === 0 ? 1 : Math.min(1, Math.max(0, (px * dx + py * dy) / squared));
    const ox = px - along * dx;
    const oy = py - along * dy;
    const inside = from.radius + along * growth - Math.sqrt(ox * ox + oy * oy) + 0.5;
    return Math.round(255 * Math.min(1, Math.max(0, inside)));
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
