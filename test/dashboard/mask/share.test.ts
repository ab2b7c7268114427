import { describe, expect, it } from 'vitest';
import { toPercent } from '../../../dashboard/src/mask/plane.ts';

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
