import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  columnsFor,
  fitInto,
  longestShown,
  seenOf,
} from '../../../../dashboard/src/job/stage/geometry.ts';

const PANE = { width: 1000, height: 600 };
const edge = fc.integer({ min: 1, max: 16_384 });
const size = fc.record({ width: edge, height: edge });

describe('fitInto', () => {
  it('shows the whole image in the centre', () => {
    expect(fitInto({ width: 1536, height: 1024 }, PANE, 4000)).toEqual({
      left: 50,
      top: 0,
      width: 900,
      height: 600,
    });
  });

  it('enlarges a small image up to its limit', () => {
    const small = { width: 64, height: 64 };

    expect(fitInto(small, PANE, longestShown([small]))).toMatchObject({ width: 128, height: 128 });
  });

  it('keeps the ratio of every image and stays inside the pane', () => {
    fc.assert(
      fc.property(size, size, (image, pane) => {
        const { left, top, width, height } = fitInto(image, pane, longestShown([image]));
        expect(width / height).toBeCloseTo(image.width / image.height, 5);
        expect(left).toBeGreaterThanOrEqual(-1e-6);
        expect(top).toBeGreaterThanOrEqual(-1e-6);
        expect(left + width).toBeLessThanOrEqual(pane.width + 1e-6);
      }),
    );
  });
});

describe('seenOf', () => {
  it('returns the rectangle of an image that is not zoomed', () => {
    const place = { left: 50, top: 0, width: 900, height: 600 };

    expect(seenOf(place, { x: 0, y: 0, k: 1 }, PANE)).toEqual(place);
  });

  it('returns the pane if the image extends beyond it', () => {
    const place = { left: 50, top: 0, width: 900, height: 600 };

    expect(seenOf(place, { x: -500, y: -300, k: 2 }, PANE)).toEqual({ left: 0, top: 0, ...PANE });
  });
});

describe('columnsFor', () => {
  it.each([
    [4, 1.5, 2],
    [2, 1.5, 2],
    [2, 0.5, 2],
    [3, 3, 1],
    [6, 1, 3],
    [1, 1, 1],
  ])('arranges %i images of the ratio %f in %i columns', (count, ratio, columns) => {
    expect(columnsFor(count, ratio, PANE)).toBe(columns);
  });
});
