import { describe, expect, it } from 'vitest';
import { toScaleTop, toStepLine } from '../../../../dashboard/src/system/chart/step-line.ts';

const FRAME = { from: 1000, to: 2000, top: 4, width: 100, height: 40 };

describe('toStepLine', () => {
  it('holds a value until the next one, and the last one to the right edge', () => {
    const points = [
      { at: 1200, value: 1 },
      { at: 1500, value: 4 },
    ];

    expect(toStepLine(points, FRAME)).toEqual({
      line: 'M20 30H50V0H100',
      area: 'M20 40V30H50V0H100V40Z',
    });
  });

  it('starts at the left edge with the earlier value', () => {
    expect(toStepLine([{ at: 500, value: 2 }], FRAME).line).toBe('M0 20H100');
  });

  it('keeps space above the line', () => {
    expect(toStepLine([{ at: 1000, value: 4 }], { ...FRAME, above: 8 }).line).toBe('M0 8H100');
  });

  it('interrupts the line while nothing was read', () => {
    const points = [
      { at: 1000, value: 1 },
      { at: 1100, value: 1 },
      { at: 1800, value: 2 },
      { at: 1900, value: 2 },
    ];

    const { line, area } = toStepLine(points, { ...FRAME, gap: 200 });

    expect(line).toBe('M0 30H10V30H10M80 20H90V20H100');
    expect(area).toBe('M0 40V30H10V30H10V40ZM80 40V20H90V20H100V40Z');
  });

  it('skips runs that ended before the left edge', () => {
    expect(toStepLine([{ at: 100, value: 1 }], { ...FRAME, gap: 200 }).line).toBe('');
  });

  it('returns empty paths without points', () => {
    expect(toStepLine([], FRAME)).toEqual({ line: '', area: '' });
  });
});

describe('toScaleTop', () => {
  it.each([
    [0, 1],
    [1, 1],
    [3, 4],
    [5, 6],
    [7, 10],
    [10, 10],
    [11, 20],
    [61, 100],
    [1001, 2000],
  ])('rounds %i up to %i', (value, top) => {
    expect(toScaleTop(value)).toBe(top);
  });
});
