import { describe, expect, it } from 'vitest';
import { createPlane } from '../../../../dashboard/src/canvas/plane.ts';
import { edgeTiles, TILE } from '../../../../dashboard/src/canvas/stage/overlay.ts';

const VIEW = { left: 0, top: 0, scale: 1 };
const BOX = { x: 0, y: 0, width: 5 * TILE, height: 3 * TILE };

describe('edgeTiles', () => {
  it('returns no tiles if nothing or everything may change', () => {
    const plane = createPlane(5 * TILE, 3 * TILE);

    expect(edgeTiles(plane, VIEW, BOX, 4)).toEqual([]);
    plane.invert();
    expect(edgeTiles(plane, VIEW, BOX, 4)).toEqual([]);
  });

  it('returns the tiles that contain an edge or are near one', () => {
    const plane = createPlane(5 * TILE, 3 * TILE);
    plane.fill({ x: TILE, y: TILE, width: 20, height: 20 }, 'brush');

    expect(edgeTiles(plane, VIEW, BOX, 4).map(({ x, y }) => [x / TILE, y / TILE])).toEqual([
      [0, 0],
      [1, 0],
      [0, 1],
      [1, 1],
    ]);
    expect(edgeTiles(plane, VIEW, BOX, 0).map(({ x, y }) => [x / TILE, y / TILE])).toEqual([
      [1, 1],
    ]);
  });

  it('returns only the parts of tiles that are inside a small box', () => {
    const plane = createPlane(5 * TILE, 3 * TILE);
    plane.fill({ x: TILE - 10, y: TILE - 10, width: 20, height: 20 }, 'brush');
    const box = { x: TILE - 20, y: TILE - 20, width: 40, height: 40 };

    expect(edgeTiles(plane, VIEW, box, 4)).toEqual([box]);
    expect(edgeTiles(plane, VIEW, { ...box, width: TILE + 40 }, 4)).toEqual([
      { ...box, width: TILE },
    ]);
  });

  it('searches the visible part of the plane', () => {
    const plane = createPlane(100, 100);
    plane.fill({ x: 0, y: 0, width: 10, height: 10 }, 'brush');
    const view = { left: 2 * TILE, top: TILE, scale: 0.5 };

    expect(edgeTiles(plane, view, BOX, 0).map(({ x, y }) => [x / TILE, y / TILE])).toEqual([
      [2, 1],
    ]);
  });
});
