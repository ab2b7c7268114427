import type { Rect } from '../plane.ts';
import { createLayer } from './canvas.ts';
import { TILE } from './edge-tiles.ts';

const DARK = 'oklch(0.15 0 0 / 0.7)';
/** In CSS pixels. */
const LIGHT_WIDTH = 1.75;
const DARK_WIDTH = 2.75;

/** How far an edge reaches beyond what it surrounds, in CSS pixels. */
export const EDGE_REACH = Math.ceil(DARK_WIDTH + 1);

const EIGHT_WAYS = Array.from({ length: 8 }, (_, index) => {
  const angle = (index * Math.PI) / 4;
  return { x: Math.cos(angle), y: Math.sin(angle) };
});

/**
 * Draws the edge of a white area, light with a dark line around it, for a canvas of this density, tile by tile. `paint`
 * draws the area on a context of the canvas's coordinates.
 */
export function createEdge(density: number, paint: (context: CanvasRenderingContext2D) => void) {
  const margin = EDGE_REACH * density;
  const side = TILE + 2 * margin;
  const area = createLayer(side, side);
  const ring = createLayer(side, side);

  /** The area, larger by so many CSS pixels, over what the ring has. */
  function spread(width: number): void {
    for (const { x, y } of EIGHT_WAYS) {
      ring.drawImage(area.canvas, x * width * density, y * width * density);
    }
  }

  return (out: CanvasRenderingContext2D, { x, y, width, height }: Rect): void => {
    for (const layer of [area, ring]) {
      layer.resetTransform();
      layer.globalCompositeOperation = 'source-over';
      layer.clearRect(0, 0, side, side);
    }
    area.translate(margin - x, margin - y);
    paint(area);
    spread(DARK_WIDTH);
    ring.globalCompositeOperation = 'source-in';
    ring.fillStyle = DARK;
    ring.fillRect(0, 0, side, side);
    ring.globalCompositeOperation = 'source-over';
    spread(LIGHT_WIDTH);
    ring.globalCompositeOperation = 'destination-out';
    ring.drawImage(area.canvas, 0, 0);
    out.drawImage(ring.canvas, margin, margin, width, height, x, y, width, height);
  };
}
