import type { Size } from '../images/measure-image.ts';
import { clipTo, type Rect } from './plane.ts';

/** The edge of a tile in pixels. */
const TILE = 256;

/** Divides a plane into tiles, which are counted from left to right and from top to bottom. */
export function createTiles(plane: Size) {
  const columns = Math.ceil(plane.width / TILE);
  return {
    rectOf(index: number): Rect {
      const [x, y] = [(index % columns) * TILE, Math.floor(index / columns) * TILE];
      const rect = clipTo(plane, { x, y, width: TILE, height: TILE });
      if (rect === undefined) throw new Error('a tile is outside the plane');
      return rect;
    },

    /** Returns the indices of the tiles that an area touches. */
    indicesOf(area: Rect): readonly number[] {
      const rect = clipTo(plane, area);
      if (rect === undefined) return [];
      const indices: number[] = [];
      for (let y = Math.floor(rect.y / TILE); y * TILE < rect.y + rect.height; y += 1) {
        for (let x = Math.floor(rect.x / TILE); x * TILE < rect.x + rect.width; x += 1) {
          indices.push(y * columns + x);
        }
      }
      return indices;
    },
  };
}
