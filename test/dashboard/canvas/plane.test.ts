import { describe, expect, it } from 'vitest';
import { coverageOf, type Dab } from '../../../dashboard/src/canvas/dab.ts';
import {
  createPlane,
  cut,
  planeSize,
  type Tool,
  toPercent,
  unite,
} from '../../../dashboard/src/canvas/plane.ts';
import type { Size } from '../../../dashboard/src/images/measure-image.ts';

const at = (plane: ReturnType<typeof createPlane>, x: number, y: number) =>
  plane.pixels[y * plane.width + x];

/** Returns numbers from 0 to 1 that are the same in each run. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Paints every pixel of a plane by its distance from the path of the brush. */
function cover(pixels: Uint8Array, { width }: Size, from: Dab, to: Dab, tool: Tool): void {
  const coverage = coverageOf(from, to);
  for (const [index, old] of pixels.entries()) {
    const covered = coverage((index % width) + 0.5, Math.floor(index / width) + 0.5);
    pixels[index] = tool === 'brush' ? Math.max(old, covered) : Math.min(old, 255 - covered);
  }
}

const shareOf = (pixels: Uint8Array) =>
  pixels.reduce((sum, value) => sum + value, 0) / (255 * pixels.length);

describe('createPlane', () => {
  it('paints the path of a brush with round ends', () => {
    const plane = createPlane(60, 30);

    const rect = plane.paint({ x: 15, y: 15, radius: 8 }, { x: 45, y: 15, radius: 8 }, 'brush');

    expect(at(plane, 15, 15)).toBe(255);
    expect(at(plane, 30, 8)).toBe(255);
    expect(at(plane, 51, 15)).toBe(255);
    expect(at(plane, 30, 4)).toBe(0);
    expect(at(plane, 8, 8)).toBe(0);
    expect(rect).toEqual({ x: 7, y: 7, width: 46, height: 16 });
  });

  it('covers an area as large as the brush', () => {
    const plane = createPlane(100, 100);

    plane.paint({ x: 50, y: 50, radius: 30 }, { x: 50, y: 50, radius: 30 }, 'brush');

    expect(plane.share()).toBeCloseTo((Math.PI * 30 ** 2) / 100 ** 2, 2);
  });

  it('keeps edges soft when they are painted twice', () => {
    const plane = createPlane(20, 20);
    const dab = { x: 10.3, y: 10.3, radius: 5 };
    plane.paint(dab, dab, 'brush');
    const once = [...plane.pixels];

    plane.paint(dab, dab, 'brush');

    expect([...plane.pixels]).toEqual(once);
    expect(once.some((value) => value > 0 && value < 255)).toBe(true);
  });

  it('erases painted pixels', () => {
    const plane = createPlane(40, 40);
    const dab = { x: 20, y: 20, radius: 10 };
    plane.paint(dab, dab, 'brush');

    plane.paint(dab, dab, 'eraser');
    plane.fill({ x: 0, y: 0, width: 40, height: 40 }, 'eraser');

    expect(plane.share()).toBe(0);
    expect([...new Set(plane.pixels)]).toEqual([0]);
  });

  it('reports only the area that a further move has changed', () => {
    const plane = createPlane(100, 100);
    const at = (x: number) => ({ x, y: 50, radius: 20 });

    plane.paint(at(30), at(30), 'brush');
    const moved = plane.paint(at(30), at(34), 'brush');
    const again = plane.paint(at(30), at(34), 'brush');

    expect(moved).toMatchObject({ y: 30, height: 40 });
    expect(moved?.x).toBeGreaterThanOrEqual(30);
    expect(again).toBeUndefined();
  });

  it.each(['brush', 'eraser'] as const)(
    'gives each pixel its coverage when a %s of changing size moves along any path',
    (tool) => {
      const random = randomFrom(7);
      for (let stroke = 0; stroke < 40; stroke += 1) {
        const plane = createPlane(72, 56);
        if (tool === 'eraser') plane.invert();
        const expected = Uint8Array.from(plane.pixels);
        const isLevel = stroke % 4 === 0;
        const next = (): Dab => ({
          x: -10 + 92 * random(),
          y: isLevel ? 20.5 : -10 + 76 * random(),
          radius: stroke % 3 === 0 ? 9.5 : 0.5 + 24 * random(),
        });
        let from = next();
        let isCovered = false;
        for (let move = 0; move < 5; move += 1) {
          const to = move === 0 ? from : next();
          plane.paint(from, to, tool, isCovered);
          cover(expected, plane, from, to, tool);
          isCovered = to.radius <= from.radius;
          from = to;
        }

        expect(plane.pixels).toEqual(expected);
        expect(plane.share()).toBeCloseTo(shareOf(expected), 12);
      }
    },
  );

  it('changes nothing if the brush is outside the plane', () => {
    const plane = createPlane(10, 10);

    expect(
      plane.paint({ x: -50, y: 5, radius: 3 }, { x: -40, y: 5, radius: 3 }, 'brush'),
    ).toBeUndefined();
    expect(plane.fill({ x: 10, y: 0, width: 5, height: 5 }, 'brush')).toBeUndefined();
    expect(plane.share()).toBe(0);
  });

  it('fills exactly the pixels of a rectangle, cut at its edges', () => {
    const plane = createPlane(10, 10);

    const rect = plane.fill({ x: 6, y: 7, width: 100, height: 2 }, 'brush');

    expect(rect).toEqual({ x: 6, y: 7, width: 4, height: 2 });
    expect(plane.share()).toBe(0.08);
    expect(at(plane, 5, 7)).toBe(0);
    expect(at(plane, 6, 8)).toBe(255);
    expect(at(plane, 6, 9)).toBe(0);
  });

  it('inverts the pixels and the share', () => {
    const plane = createPlane(10, 10);
    plane.fill({ x: 0, y: 0, width: 10, height: 3 }, 'brush');

    plane.invert();

    expect(plane.share()).toBeCloseTo(0.7);
    expect(at(plane, 0, 0)).toBe(0);
    expect(at(plane, 0, 5)).toBe(255);
  });

  it('restores a part that was cut out', () => {
    const plane = createPlane(10, 10);
    const rect = { x: 2, y: 3, width: 4, height: 5 };
    plane.fill(rect, 'brush');
    const part = cut(plane.pixels, plane.width, rect);
    plane.fill({ x: 0, y: 0, width: 10, height: 10 }, 'eraser');

    plane.put(rect, part);

    expect(plane.share()).toBe(0.2);
    expect(at(plane, 2, 3)).toBe(255);
    expect(at(plane, 6, 3)).toBe(0);
  });
});

describe('unite', () => {
  it('returns the smallest area that contains both', () => {
    const a = { x: 1, y: 2, width: 3, height: 4 };
    expect(unite(a, { x: 10, y: 0, width: 1, height: 1 })).toEqual({
      x: 1,
      y: 0,
      width: 10,
      height: 6,
    });
    expect(unite(undefined, a)).toBe(a);
    expect(unite(a, undefined)).toBe(a);
  });

  it('ignores an empty area', () => {
    const a = { x: 10, y: 20, width: 3, height: 4 };
    const empty = { x: 0, y: 0, width: 0, height: 0 };

    expect(unite(a, empty)).toBe(a);
    expect(unite(empty, a)).toBe(a);
    expect(unite(empty, undefined)).toBe(empty);
  });
});

describe('planeSize', () => {
  it('returns the size of an image of up to eight megapixels', () => {
    expect(planeSize({ width: 3840, height: 2160 })).toEqual({ width: 3840, height: 2160 });
    expect(planeSize({ width: 1, height: 1 })).toEqual({ width: 1, height: 1 });
  });

  it.each([
    { width: 8192, height: 8192 },
    { width: 16_384, height: 4096 },
    { width: 1, height: 16_384 },
  ])('limits the size and keeps the ratio of an image of $width × $height', ({ width, height }) => {
    const plane = planeSize({ width, height });

    expect(plane.width * plane.height).toBeLessThanOrEqual(2 ** 24);
    expect(Math.min(plane.width, plane.height)).toBeGreaterThanOrEqual(1);
    if (width > 1) expect(plane.width / plane.height).toBeCloseTo(width / height, 2);
  });
});

describe('toPercent', () => {
  it.each([
    [0, 0],
    [0.00001, 0.1],
    [0.0449, 4.5],
    [0.31, 31],
    [0.999, 99],
    [1, 100],
  ])('shows %d as %d', (share, percent) => {
    expect(toPercent(share)).toBe(percent);
  });
});
