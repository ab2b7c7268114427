import type { Size } from '../../images/size.ts';
import type { Plane, Rect } from '../plane.ts';
import { contextOf, createLayer, patternOf } from './canvas.ts';
import { createEdge, EDGE_REACH } from './edge.ts';
import { edgeTiles } from './edge-tiles.ts';
import { scaledBy, seenAt, type View } from './stage-view.ts';

// Over images, in both themes alike.
const TINT = 'oklch(0.55 0.17 250 / 0.45)';
const LINE = 'oklch(0.985 0 0 / 0.85)';

/** In CSS pixels. */
const HATCH = 14;
const LINE_WIDTH = 1.25;

/** Rows that are copied at once: bounds the memory for it. */
const BAND = 256;

/**
 * Draws what may change over the image: hatched, with a light edge and a dark one around it, equally wide at any zoom. In
 * a canvas that has `density` pixels for one of CSS.
 */
export function createOverlay(canvas: HTMLCanvasElement, plane: Plane, density: number) {
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
    /** In CSS pixels. Clears the canvas. */
    resize({ width, height }: Size): void {
      canvas.width = Math.max(1, Math.round(width * density));
      canvas.height = Math.max(1, Math.round(height * density));
    },

    /** Draws what has changed of the plane; all of it where nothing is named. */
    draw(view: View, changed?: Rect): void {
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
      clip(out, image);
      paint(out);
      out.globalCompositeOperation = 'source-in';
      hatch.setTransform(new DOMMatrix().translate(image.x, image.y));
      out.fillStyle = hatch;
      out.fillRect(box.x, box.y, box.width, box.height);
      out.globalCompositeOperation = 'source-over';
      for (const tile of edgeTiles(plane, own, box, reach)) drawEdge(out, tile);
      out.restore();
    },
  };
}

/** White where the plane may change, as opaque as it may. */
function copy(plane: Plane, mask: CanvasRenderingContext2D, rect: Rect): void {
  for (let y = rect.y; y < rect.y + rect.height; y += BAND) {
    const height = Math.min(BAND, rect.y + rect.height - y);
    const image = new ImageData(rect.width, height);
    // The bytes are red, green, blue, alpha, and every browser's machine is little-endian.
    const pixels = new Uint32Array(image.data.buffer);
    for (let row = 0; row < height; row += 1) {
      const from = (y + row) * plane.width + rect.x;
      for (let x = 0; x < rect.width; x += 1) {
        pixels[row * rect.width + x] = ((plane.pixels[from + x] ?? 0) << 24) | 0xffffff;
      }
    }
    mask.putImageData(image, rect.x, y);
  }
}

/** Lines that rise to the right, on the tint. */
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

function clip(context: CanvasRenderingContext2D, { x, y, width, height }: Rect): void {
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
}

/** Whole pixels that hold an area, and so many around it. */
function around({ x, y, width, height }: Rect, reach: number): Rect {
  const [left, top] = [Math.floor(x) - reach, Math.floor(y) - reach];
  return {
    x: left,
    y: top,
    width: Math.ceil(x + width) + reach - left,
    height: Math.ceil(y + height) + reach - top,
  };
}
