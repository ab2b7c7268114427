import { describe, expect, it } from 'vitest';
import { planeSize } from '../../../dashboard/src/mask/plane.ts';

describe('planeSize', () => {
  it('is the size of an image of up to eight megapixels', () => {
    expect(planeSize({ width: 3840, height: 2160 })).toEqual({ width: 3840, height: 2160 });
    expect(planeSize({ width: 1, height: 1 })).toEqual({ width: 1, height: 1 });
  });

  it.each([
    { width: 8192, height: 8192 },
    { width: 16_384, height: 4096 },
    { width: 1, height: 16_384 },
  ])('is bounded and in the ratio of an image of $width × $height', ({ width, height }) => {
    const plane = planeSize({ width, height });

    expect(plane.width * plane.height).toBeLessThanOrEqual(2 ** 23);
    expect(Math.min(plane.width, plane.height)).toBeGreaterThanOrEqual(1);
    if (width > 1) expect(plane.width / plane.height).toBeCloseTo(width / height, 2);
  });
});
