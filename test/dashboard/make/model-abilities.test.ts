import { describe, expect, it } from 'vitest';
import { mostImages } from '../../../dashboard/src/make/model-abilities.ts';

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
