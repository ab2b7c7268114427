import { describe, expect, it } from 'vitest';
import { imageSource, needsFull } from '../../../../dashboard/src/job/state/job-images.ts';

const path = '/v1/artifacts/1';

describe('imageSource', () => {
  it('uses the original image if a preview would have as many pixels', () => {
    expect(imageSource({ path, size: { width: 2048, height: 1152 } })).toEqual({
      path,
      full: undefined,
      isReduced: false,
    });
  });

  it.each([[{ width: 3840, height: 2160 }], [undefined]])(
    'uses a preview first for an image of %j',
    (size) => {
      expect(imageSource({ path, size })).toEqual({
        path: `${path}/thumbnail?edge=2048`,
        full: path,
        isReduced: false,
      });
    },
  );

  it('never uses the original of an enormous image', () => {
    expect(imageSource({ path, size: { width: 16_384, height: 16_384 } })).toEqual({
      path: `${path}/thumbnail?edge=2048`,
      full: undefined,
      isReduced: true,
    });
  });
});

describe('needsFull', () => {
  it('returns true if more pixels are shown than a preview has', () => {
    expect(needsFull({ width: 1000, height: 600 }, 2, 1)).toBe(false);
    expect(needsFull({ width: 1000, height: 600 }, 2, 2)).toBe(true);
    expect(needsFull({ width: 600, height: 1000 }, 2.1, 1)).toBe(true);
  });
});
