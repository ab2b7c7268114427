import { describe, expect, it } from 'vitest';
import { makeEdge, toEdgeTask } from '../../../dashboard/src/canvas/make-edge.ts';
import { createPlane, type Rect } from '../../../dashboard/src/canvas/plane.ts';

const SIZE = 100;
const WHOLE: Rect = { x: 0, y: 0, width: SIZE, height: SIZE };

/** Returns the pixels of a mask with a square in the middle and this edge. */
function made(edge: { feather: number; grow: number }, rect = WHOLE) {
  const plane = createPlane(SIZE, SIZE);
  plane.fill({ x: 40, y: 40, width: 20, height: 20 }, 'brush');
  const pixels = makeEdge(toEdgeTask(plane, rect, edge, 1));
  return (x: number, y: number) => pixels[(y - rect.y) * rect.width + x - rect.x];
}

describe('makeEdge', () => {
  it('grows a mask by a distance in every direction, with round corners', () => {
    const grown = made({ feather: 0, grow: 10 });

    expect([grown(30, 50), grown(29, 50), grown(50, 69), grown(50, 70)]).toEqual([255, 0, 255, 0]);
    expect([grown(33, 33), grown(31, 31)]).toEqual([255, 0]);
  });

  it('shrinks a mask by a distance', () => {
    const shrunk = made({ feather: 0, grow: -5 });

    expect([shrunk(44, 50), shrunk(45, 50), shrunk(54, 50), shrunk(55, 50)]).toEqual([
      0, 255, 255, 0,
    ]);
  });

  it('makes a soft edge of the width of the feather on each side', () => {
    const soft = made({ feather: 8, grow: 0 });

    const values = [31, 34, 39, 44, 50].map((x) => soft(x, 50) ?? 0);
    expect(values[0]).toBe(0);
    expect(values[1]).toBeGreaterThan(0);
    expect(values[2]).toBeGreaterThan(values[1] ?? 0);
    expect(values[3]).toBeGreaterThan(200);
    expect(values[4]).toBe(255);
    expect((values[2] ?? 0) + (soft(40, 50) ?? 0)).toBeCloseTo(255, -1);
  });

  it('makes the same pixels for a part as for the whole mask', () => {
    const edge = { feather: 6, grow: 4 };
    const rect = { x: 30, y: 35, width: 20, height: 15 };
    const [whole, part] = [made(edge), made(edge, rect)];

    for (let y = rect.y; y < rect.y + rect.height; y += 1) {
      for (let x = rect.x; x < rect.x + rect.width; x += 1) expect(part(x, y)).toBe(whole(x, y));
    }
  });

  it('makes no soft edge along the edges of the image', () => {
    const plane = createPlane(SIZE, SIZE);
    plane.fill({ x: 0, y: 20, width: 30, height: 60 }, 'brush');
    const soft = makeEdge(toEdgeTask(plane, WHOLE, { feather: 10, grow: 0 }, 1));

    expect([soft[50 * SIZE], soft[50 * SIZE + 45]]).toEqual([255, 0]);
    expect(soft[50 * SIZE + 30]).toBeGreaterThan(0);
  });

  it('fills a plane that may change completely, and leaves an empty plane', () => {
    const plane = createPlane(20, 20);
    const rect = { x: 0, y: 0, width: 20, height: 20 };
    const sums = [false, true].map((isOpen) => {
      if (isOpen) plane.invert();
      const pixels = makeEdge(toEdgeTask(plane, rect, { feather: 4, grow: 3 }, 1));
      return pixels.reduce((sum, value) => sum + value, 0);
    });

    expect(sums).toEqual([0, 255 * 400]);
  });
});
