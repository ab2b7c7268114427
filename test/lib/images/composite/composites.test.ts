import { describe, expect, it } from 'vitest';
import { areaIn } from '../../../../lib/images/composite/composites.ts';

const canvas = { width: 100, height: 50, area: { left: 10, top: 5, width: 80, height: 40 } };

describe('areaIn', () => {
  it.each([
    ['the size of the canvas', { width: 100, height: 50 }, canvas.area],
    ['twice the size', { width: 200, height: 100 }, { left: 20, top: 10, width: 160, height: 80 }],
    ['another ratio', { width: 50, height: 100 }, { left: 5, top: 10, width: 40, height: 80 }],
    ['one pixel', { width: 1, height: 1 }, { left: 0, top: 0, width: 1, height: 1 }],
  ])('returns the area in an image of %s', (_, image, area) => {
    expect(areaIn(canvas, image)).toEqual(area);
  });

  it('returns at least one pixel inside the image', () => {
    const corner = {
      width: 1000,
      height: 1000,
      area: { left: 999, top: 999, width: 1, height: 1 },
    };

    expect(areaIn(corner, { width: 10, height: 10 })).toEqual({
      left: 9,
      top: 9,
      width: 1,
      height: 1,
    });
  });
});
