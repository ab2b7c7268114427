import { effect, type ReadonlySignal, type Signal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Size } from '../../images/measure-image.ts';
import { clipTo, type Rect, unite } from '../plane.ts';
import type { ShownMask, ShownPlane } from '../shown-mask.ts';
import { planeAt, scaledBy, seenAt, type View } from './stage-view.ts';

interface Deps {
  readonly shown: ShownMask;
  /** The rectangle of the result, in pixels of the plane. */
  readonly area: ReadonlySignal<Rect>;
  readonly stage: RefObject<HTMLElement | null>;
  readonly canvas: RefObject<HTMLCanvasElement | null>;
  readonly view: ReadonlySignal<View>;
  /** The size of the stage in CSS pixels, which is kept up to date. */
  readonly size: Signal<Size>;
}

/** Keeps the overlay up to date, at most once per frame. If the view has not moved, only the changed area is drawn. */
export function useOverlay({ stage, canvas, shown, area, view, size }: Deps): void {
  useEffect(() => {
    if (canvas.current === null || stage.current === null) return;
    const overlay = createOverlay(canvas.current, shown.plane, Math.min(2, devicePixelRatio));
    let frame = 0;
    let changed: Rect | undefined;
    let drawn: { view: View; size: Size; area: Rect } | undefined;

    function draw(): void {
      frame = 0;
      const next = { view: view.peek(), size: size.peek(), area: area.peek() };
      const isMoved =
        drawn?.view !== next.view || drawn.size !== next.size || drawn.area !== next.area;
      if (drawn?.size !== next.size) overlay.resize(next.size);
      if (changed !== undefined) overlay.draw(next, changed);
      if (isMoved) overlay.draw(next);
      drawn = next;
      changed = undefined;
    }
    function schedule(): void {
      if (frame === 0) frame = requestAnimationFrame(draw);
    }

    const stopPainting = shown.subscribe((rect) => {
      changed = unite(changed, rect);
      schedule();
    });
    const stopMoving = effect(() => {
      void view.value;
      void area.value;
      schedule();
    });
    const observer = new ResizeObserver(([entry]) => {
      const { width = 1, height = 1 } = entry?.contentRect ?? {};
      size.value = { width, height };
    });
    observer.observe(stage.current);
    return () => {
      cancelAnimationFrame(frame);
      observer.disconnect();
      stopPainting();
      stopMoving();
    };
  }, [stage, canvas, shown, area, view, size]);
}

// The colours are the same in both themes, because they are drawn over an image.
const TINT = 'oklch(0.55 0.17 250 / 0.45)';
const LINE = 'oklch(0.985 0 0 / 0.85)';

/** Lengths in CSS pixels. */
const HATCH = 14;
const LINE_WIDTH = 1.25;

/** The maximum number of rows that are copied at once, which limits the memory for the copy. */
const BAND = 256;

/** The colour over the part of the image that a crop removes. */
const CUT_AWAY = 'oklch(0.12 0 0 / 0.66)';

/**
 * Creates an overlay that hatches the area that may change and darkens the part of the image that a crop removes. The canvas has
 * `density` pixels per CSS pixel.
 */
function createOverlay(canvas: HTMLCanvasElement, plane: ShownPlane, density: number) {
  const out = contextOf(canvas);
  const whole: Rect = { x: 0, y: 0, width: plane.width, height: plane.height };
  const mask = createLayer(plane.width, plane.height);
  const hatch = createHatch(density);
  const drawEdge = createEdge(density, paint);
  let image = whole;
  copy(plane, mask, whole);

  function paint(context: CanvasRenderingContext2D): void {
    context.drawImage(mask.canvas, image.x, image.y, image.width, image.height);
  }

  return {
    /** Sets the size in CSS pixels, and clears the canvas. */
    resize({ width, height }: Size): void {
      canvas.width = Math.max(1, Math.round(width * density));
      canvas.height = Math.max(1, Math.round(height * density));
    },

    /** Draws the changed area of the plane, or the whole plane if no area is given. */
    draw({ view, area }: { readonly view: View; readonly area: Rect }, changed?: Rect): void {
      if (changed !== undefined) copy(plane, mask, changed);
      const own = scaledBy(view, density);
      const reach = Math.ceil(EDGE_REACH * density + own.scale);
      image = seenAt(whole, own);
      const box = changed
        ? around(seenAt(changed, own), reach)
        : { x: 0, y: 0, width: canvas.width, height: canvas.height };
      out.save();
      clip(out, box);
      out.clearRect(box.x, box.y, box.width, box.height);
      hatch.setTransform(new DOMMatrix().translate(image.x, image.y));
      out.save();
      clip(out, image);
      paint(out);
      out.globalCompositeOperation = 'source-in';
      out.fillStyle = hatch;
      out.fillRect(box.x, box.y, box.width, box.height);
      out.globalCompositeOperation = 'source-over';
      if (!plane.isSoft) {
        for (const tile of edgeTiles(plane, own, box, reach)) drawEdge(out, tile);
      }
      out.restore();
      const result = seenAt(area, own);
      fillBetween(out, hatch, result, image);
      fillBetween(out, CUT_AWAY, image, result);
      out.restore();
    },
  };
}

/** Copies the plane as white pixels whose alpha is the value of the plane. */
function copy(
  { width, pixels: values }: ShownPlane,
  mask: CanvasRenderingContext2D,
  rect: Rect,
): void {
  for (let y = rect.y; y < rect.y + rect.height; y += BAND) {
    const height = Math.min(BAND, rect.y + rect.height - y);
    const image = new ImageData(rect.width, height);
    // Alpha is the highest byte of each number, because all supported machines are little-endian.
    const pixels = new Uint32Array(image.data.buffer);
    for (let row = 0; row < height; row += 1) {
      const from = (y + row) * width + rect.x;
      for (let x = 0; x < rect.width; x += 1) {
        pixels[row * rect.width + x] = ((values[from + x] ?? 0) << 24) | 0xffffff;
      }
    }
    mask.putImageData(image, rect.x, y);
  }
}

/** Returns a tinted pattern with lines that rise to the right. */
function createHatch(density: number): CanvasPattern {
  const side = Math.round(HATCH * density);
  const tile = createLayer(side, side);
  tile.fillStyle = TINT;
  tile.fillRect(0, 0, side, side);
  tile.strokeStyle = LINE;
  tile.lineWidth = LINE_WIDTH * density;
  tile.beginPath();
  for (const shift of [-side, 0, side]) {
    tile.moveTo(shift - side / 2, side * 1.5);
    tile.lineTo(shift + side * 1.5, -side / 2);
  }
  tile.stroke();
  return patternOf(tile);
}

/** Fills the part of an area that is outside another area. */
function fillBetween(
  context: CanvasRenderingContext2D,
  style: CanvasPattern | string,
  area: Rect,
  other: Rect,
): void {
  context.save();
  clip(context, area);
  context.beginPath();
  context.rect(area.x, area.y, area.width, area.height);
  context.rect(other.x, other.y, other.width, other.height);
  context.fillStyle = style;
  // The rectangles are clipped to `area`, so the even-odd rule leaves exactly the difference.
  context.fill('evenodd');
  context.restore();
}

function clip(context: CanvasRenderingContext2D, { x, y, width, height }: Rect): void {
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
}

/** Returns the whole pixels that contain an area, extended by `reach` on every side. */
function around({ x, y, width, height }: Rect, reach: number): Rect {
  const [left, top] = [Math.floor(x), Math.floor(y)];
  const [right, bottom] = [Math.ceil(x + width), Math.ceil(y + height)];
  return extended({ x: left, y: top, width: right - left, height: bottom - top }, reach);
}

const DARK = 'oklch(0.15 0 0 / 0.7)';
/** Widths in CSS pixels. */
const LIGHT_WIDTH = 1.75;
const DARK_WIDTH = 2.75;

/** The distance, in CSS pixels, by which the lines around an area extend beyond the area. */
const EDGE_REACH = Math.ceil(DARK_WIDTH + 1);

const EIGHT_WAYS = Array.from({ length: 8 }, (_, index) => {
  const angle = (index * Math.PI) / 4;
  return { x: Math.cos(angle), y: Math.sin(angle) };
});

/**
 * Returns a function that draws a light and a dark line around the area in one tile. `density` is the number of canvas
 * pixels per CSS pixel. `paint` draws the area in white, in canvas coordinates.
 */
function createEdge(density: number, paint: (context: CanvasRenderingContext2D) => void) {
  const margin = Math.ceil(EDGE_REACH * density);
  const side = TILE + 2 * margin;
  const area = createLayer(side, side);
  const ring = createLayer(side, side);

  /** Draws the area onto the ring, enlarged by `by` CSS pixels on every side. */
  function spread(by: number, width: number, height: number): void {
    for (const { x, y } of EIGHT_WAYS) {
      const [left, top] = [x * by * density, y * by * density];
      ring.drawImage(area.canvas, 0, 0, width, height, left, top, width, height);
    }
  }

  return (out: CanvasRenderingContext2D, { x, y, width, height }: Rect): void => {
    const [wide, high] = [width + 2 * margin, height + 2 * margin];
    for (const layer of [area, ring]) {
      layer.resetTransform();
      layer.globalCompositeOperation = 'source-over';
      layer.clearRect(0, 0, wide, high);
    }
    area.translate(margin - x, margin - y);
    paint(area);
    spread(DARK_WIDTH, wide, high);
    ring.globalCompositeOperation = 'source-in';
    ring.fillStyle = DARK;
    ring.fillRect(0, 0, wide, high);
    ring.globalCompositeOperation = 'source-over';
    spread(LIGHT_WIDTH, wide, high);
    ring.globalCompositeOperation = 'destination-out';
    ring.drawImage(area.canvas, 0, 0);
    out.drawImage(ring.canvas, margin, margin, width, height, x, y, width, height);
  };
}

/** The maximum width and height of a tile in canvas pixels. */
export const TILE = 128;

/**
 * Divides `box` into tiles, and returns those that are nearer than `reach` to an edge of the mask, in canvas pixels. The tiles start
 * at the corner of the box, so that a stroke draws only few and small tiles in each frame.
 */
export function edgeTiles(
  plane: ShownPlane,
  view: View,
  box: Rect,
  reach: number,
): readonly Rect[] {
  const tiles: Rect[] = [];
  const [bottom, right] = [box.y + box.height, box.x + box.width];
  for (let y = box.y; y < bottom; y += TILE) {
    for (let x = box.x; x < right; x += TILE) {
      const tile = { x, y, width: Math.min(TILE, right - x), height: Math.min(TILE, bottom - y) };
      const part = clipTo(plane, planeAt(extended(tile, reach), view));
      if (part !== undefined && !isUniform(plane, part)) tiles.push(tile);
    }
  }
  return tiles;
}

function extended({ x, y, width, height }: Rect, by: number): Rect {
  return { x: x - by, y: y - by, width: width + 2 * by, height: height + 2 * by };
}

function isUniform({ pixels, width }: ShownPlane, rect: Rect): boolean {
  const first = pixels[rect.y * width + rect.x];
  for (let y = rect.y; y < rect.y + rect.height; y += 1) {
    const start = y * width + rect.x;
    for (let index = start; index < start + rect.width; index += 1) {
      if (pixels[index] !== first) return false;
    }
  }
  return true;
}

/** Creates a canvas that is not part of the document. */
export function createLayer(width: number, height: number): CanvasRenderingContext2D {
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  return contextOf(canvas);
}

/** Returns the 2D context of a canvas. Throws if the browser does not have enough memory for the canvas. */
export function contextOf(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('not enough memory for a canvas');
  return context;
}

/** Returns a repeating pattern. Throws if the browser does not have enough memory for the pattern. */
export function patternOf(tile: CanvasRenderingContext2D): CanvasPattern {
  const pattern = tile.createPattern(tile.canvas, 'repeat');
  if (pattern === null) throw new Error('not enough memory for a pattern');
  return pattern;
}
