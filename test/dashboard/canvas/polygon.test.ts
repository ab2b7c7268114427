import { describe, expect, it } from 'vitest';
import { boundsOf, coverOf } from '../../../dashboard/src/canvas/polygon.ts';

const PLANE = { width: 10, height: 10 };
const at = (x: number, y: number) => ({ x, y });

/** Returns the cover of a polygon over the whole plane, in rows. */
function rows(...points: readonly { x: number; y: number }[]) {
  const cover = coverOf(points, { x: 0, y: 0, ...PLANE });
  return (x: number, y: number) => cover[y * PLANE.width + x];
}

describe('boundsOf', () => {
  it('returns the whole pixels around a polygon inside the plane', () => {
    expect(boundsOf([at(-5, 2.5), at(4.2, 2.5), at(4.2, 20)], PLANE)).toEqual({
      x: 0,
      y: 2,
      width: 5,
      height: 8,
    });
  });

  it('returns nothing for a line or a polygon outside the plane', () => {
    expect(boundsOf([at(1, 1), at(5, 5)], PLANE)).toBeUndefined();
    expect(boundsOf([at(20, 1), at(25, 1), at(20, 5)], PLANE)).toBeUndefined();
  });
});

describe('coverOf', () => {
  it('covers whole pixels completely and pixels at an edge in part', () => {
    const cover = rows(at(2, 2), at(6.5, 2), at(6.5, 8), at(2, 8));

    expect([cover(1, 4), cover(2, 2), cover(5, 7), cover(6, 4), cover(7, 4)]).toEqual([
      0, 255, 255, 128, 0,
    ]);
    expect([cover(4, 1), cover(4, 8)]).toEqual([0, 0]);
  });

  it('has no hole where an outline crosses itself in the same direction', () => {
    const square = [at(2, 2), at(8, 2), at(8, 8), at(2, 8)];

    expect(rows(...square, ...square)(5, 5)).toBe(255);
  });
});
