import { describe, expect, it } from 'vitest';
import { spaced, toMarks } from '../../../../dashboard/src/gallery/dates/date-marks.ts';

const span = (date: string, top: number) => ({
  day: new Date(`${date}T00:00`).getTime(),
  count: 1,
  top,
  height: 100,
});

describe('toMarks', () => {
  it('marks the newest day of each month in proportion, and the first month of an earlier year as the year', () => {
    const spans = [
      span('2026-02-28', 0),
      span('2026-02-03', 100),
      span('2026-01-31', 200),
      span('2025-12-24', 300),
      span('2025-11-01', 400),
    ];

    const marks = toMarks(spans, 500).map(({ kind, at }) => [kind, at]);

    expect(marks).toEqual([
      ['month', 0],
      ['month', 0.4],
      ['year', 0.6],
      ['month', 0.8],
    ]);
  });
});

describe('spaced', () => {
  it('keeps years before months, and leaves out marks without room', () => {
    const marks = [
      { day: 3, kind: 'month' as const, at: 0 },
      { day: 2, kind: 'month' as const, at: 0.05 },
      { day: 1, kind: 'year' as const, at: 0.1 },
      { day: 0, kind: 'month' as const, at: 0.4 },
    ];

    expect(spaced(marks, 0.08).map(({ day }) => day)).toEqual([3, 1, 0]);
  });
});
