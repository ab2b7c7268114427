import { describe, expect, it } from 'vitest';
import { uprightEdges } from '../../../lib/images/image.ts';

describe('uprightEdges', () => {
  it.each([
    [1, 30, 20],
    [2, 30, 20],
    [3, 30, 20],
    [4, 30, 20],
    [5, 20, 30],
    [6, 20, 30],
    [7, 20, 30],
    [8, 20, 30],
  ])(
    'returns for an image of orientation %i the dimensions %i by %i',
    (orientation, width, height) => {
      const edges = uprightEdges({ width: 30, height: 20, orientation });

      expect(edges).toEqual({ width, height });
    },
  );
});
