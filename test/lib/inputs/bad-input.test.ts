import { describe, expect, it } from 'vitest';
import { isSameType } from '../../../lib/inputs/bad-input.ts';

describe('isSameType', () => {
  it.each([
    ['image/png', 'IMAGE/PNG', true],
    ['image/jpg', 'image/jpeg', true],
    ['image/jpg', 'image/png', false],
    ['image/png', 'image/png ', false],
  ])('compares %s with %s', (one, other, expected) => {
    expect(isSameType(one, other)).toBe(expected);
  });
});
