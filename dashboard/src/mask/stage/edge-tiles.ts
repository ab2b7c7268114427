import { clipTo, type Plane, type Rect } from '../plane.ts';
import { planeAt, type View } from './stage-view.ts';

export const TILE = 128;

/**
 * The tiles of a canvas, within `box`, that show an edge of what may change, or come nearer to one than `reach`. The view
 * is in the canvas's pixels.
 */
export function edgeTiles(plane: Plane, view: View, box: Rect, reach: number): readonly Rect[] {
  const tiles: Rect[] = [];
  const [bottom, right] = [box.y + box.height, box.x + box.width];
  for (let y = Math.floor(box.y / TILE) * TILE; y < bottom; y += TILE) {
    for (let x = Math.floor(box.x / TILE) * TILE; x < right; x += TILE) {
      const seen = {
        x: x - reach,
        y: y - reach,
        width: TILE + 2 * reach,
        height: TILE + 2 * reach,
      };
      const part = clipTo(plane, planeAt(seen, view));
      if (part !== undefined && !isUniform(plane, part))
        tiles.push({ x, y, width: TILE, height: TILE });
    }
  }
  return tiles;
}

function isUniform({ pixels, width }: Plane, rect: Rect): boolean {
  const first = pixels[rect.y * width + rect.x];
  for (let y = rect.y; y < rect.y + rect.height; y += 1) {
    const start = y * width + rect.x;
    for (let index = start; index < start + rect.width; index += 1) {
      if (pixels[index] !== first) return false;
    }
  }
  return true;
}
