import type { Size } from '../images/measure-image.ts';
import { type CanvasArea, isWhole } from './canvas-area.ts';
import { clipTo, type Plane, type Rect, scaled } from './plane.ts';
import { createTiles } from './tiles.ts';

/**
 * Creates the function that measures the share of a canvas that may change: the masked part of the image, and the area beyond
 * the image. `source` is the size of the image.
 */
export function createShare(plane: Plane, source: Size) {
  const part = createPartSum(plane);
  return {
    /** Must be called with the changed rectangle after each change of the plane. */
    change: part.change,

    /** Returns the share as a fraction from 0 to 1. */
    of(canvas: CanvasArea): number {
      if (isWhole(canvas, source)) return plane.share();
      const seen = clipTo(source, canvas);
      if (seen === undefined) return 1;
      const all = canvas.width * canvas.height;
      const inside = seen.width * seen.height;
      const rect = clipTo(plane, scaled(seen, plane.width / source.width));
      const isAll = inside === source.width * source.height;
      const shared =
        isAll || rect === undefined
          ? plane.share()
          : part.of(rect) / (255 * rect.width * rect.height);
      return (all - inside + shared * inside) / all;
    },
  };
}

/**
 * Creates an object that adds up the pixel values of a part of the plane. Only tiles that have changed are added up again, because
 * reading millions of pixels for each move of the brush takes longer than a frame.
 */
function createPartSum(plane: Plane) {
  const { indicesOf, rectOf } = createTiles(plane);
  const sums = new Map<number, number>();
  let counted: Rect | undefined;

  /** Returns the part of a tile that is inside a rectangle, which touches the tile. */
  function inside(index: number, rect: Rect): Rect {
    const tile = rectOf(index);
    const x = Math.max(tile.x, rect.x);
    const y = Math.max(tile.y, rect.y);
    return {
      x,
      y,
      width: Math.min(tile.x + tile.width, rect.x + rect.width) - x,
      height: Math.min(tile.y + tile.height, rect.y + rect.height) - y,
    };
  }

  return {
    change(rect: Rect): void {
      for (const index of indicesOf(rect)) sums.delete(index);
    },
    of(rect: Rect): number {
      if (!isSame(rect, counted)) sums.clear();
      counted = rect;
      let total = 0;
      for (const index of indicesOf(rect)) {
        const sum = sums.get(index) ?? plane.sumOf(inside(index, rect));
        sums.set(index, sum);
        total += sum;
      }
      return total;
    },
  };
}

function isSame({ x, y, width, height }: Rect, other: Rect | undefined): boolean {
  return x === other?.x && y === other.y && width === other.width && height === other.height;
}
