import { describe, expect, it } from 'vitest';
import { inParts } from '../../../../dashboard/src/gallery/actions/save-images.ts';

describe('inParts', () => {
  it('divides files in order into parts of at most the given number of bytes', () => {
    const files = [40, 60, 10, 120, 5].map((bytes) => ({ bytes }));

    expect(inParts(files, 100).map((part) => part.map(({ bytes }) => bytes))).toEqual([
      [40, 60],
      [10],
      [120],
      [5],
    ]);
  });
});
