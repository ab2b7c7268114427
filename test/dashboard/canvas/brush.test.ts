import { describe, expect, it } from 'vitest';
import {
  clampSize,
  firstSize,
  fromPosition,
  stepSize,
  toPosition,
} from '../../../dashboard/src/canvas/brush.ts';

const SOURCE = { width: 1344, height: 896 };

describe('the size of a brush', () => {
  it('lies between two pixels and half of the longest edge', () => {
    expect(clampSize(0, SOURCE)).toBe(2);
    expect(clampSize(5000, SOURCE)).toBe(672);
    expect(firstSize(SOURCE)).toBe(134);
    expect(clampSize(5, { width: 1, height: 1 })).toBe(3);
  });

  it('grows and shrinks by at least a pixel', () => {
    expect(stepSize(2, 1, SOURCE)).toBe(3);
    expect(stepSize(3, -1, SOURCE)).toBe(2);
    expect(stepSize(2, -1, SOURCE)).toBe(2);
    expect(stepSize(100, 1, SOURCE)).toBe(115);
    expect(stepSize(672, 1, SOURCE)).toBe(672);
  });

  it('covers a slider from end to end', () => {
    expect(toPosition(2, SOURCE)).toBe(0);
    expect(toPosition(672, SOURCE)).toBe(100);
    expect(fromPosition(0, SOURCE)).toBe(2);
    expect(fromPosition(100, SOURCE)).toBe(672);
    expect(toPosition(fromPosition(40, SOURCE), SOURCE)).toBe(40);
  });
});
