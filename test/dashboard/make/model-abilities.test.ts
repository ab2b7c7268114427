import { describe, expect, it } from 'vitest';
import { mostImages, takesReferences } from '../../../dashboard/src/make/model-abilities.ts';

const IMAGES = { support: 'native', max_count: 5, max_bytes_each: 1, max_bytes_total: 1 } as const;

describe('mostImages', () => {
  it('returns the larger of the limits for sources and for references', () => {
    const model = { edit_images: IMAGES, reference_images: { ...IMAGES, max_count: 3 } };

    expect(mostImages(model)).toBe(5);
  });

  it('returns 0 if the model supports no images', () => {
    const none = { ...IMAGES, support: 'unsupported' } as const;

    expect(mostImages({ edit_images: none, reference_images: none })).toBe(0);
  });
});

describe('takesReferences', () => {
  const limits = {
    support: 'native',
    max_count: 2,
    max_bytes_each: 10,
    max_bytes_total: 15,
  } as const;

  it.each([
    ['accepts images within all limits', [10, 5], true],
    ['rejects more images than the maximum count', [1, 1, 1], false],
    ['rejects an image above the maximum size', [11], false],
    ['rejects images that together exceed the maximum size', [10, 6], false],
  ])('%s', (_, sizes, expected) => {
    expect(takesReferences({ reference_images: limits }, sizes)).toBe(expected);
  });

  it('rejects every image if the model supports no reference images', () => {
    const none = { ...limits, support: 'unsupported' } as const;

    expect(takesReferences({ reference_images: none }, [1])).toBe(false);
  });
});
