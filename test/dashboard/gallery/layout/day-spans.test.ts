import { describe, expect, it } from 'vitest';
import { addUnread, endOfDay, spanAt } from '../../../../dashboard/src/gallery/layout/day-spans.ts';
import { layoutRows } from '../../../../dashboard/src/gallery/layout/row-layout.ts';

const FRAME = { width: 1000, rowHeight: 100, gap: 10, heading: 40 };
const DAY = new Date(2026, 10, 28).getTime();
const day = (before: number) => new Date(2026, 10, 28 - before).getTime();
const cards = (before: number, count: number) =>
  Array.from({ length: count }, (_, nth) => ({
    id: `${before}-${nth}`,
    ratio: 1.5,
    day: day(before),
  }));
const COUNTS = [
  { day: day(0), count: 12 },
  { day: day(1), count: 60 },
  { day: day(5), count: 6 },
  { day: day(9), count: 1 },
];

describe('addUnread', () => {
  it('adds the days above and below the cards that were read', () => {
    const layout = addUnread(
      layoutRows(cards(1, 18), FRAME),
      COUNTS,
      { hasNewest: false, hasOldest: false },
      FRAME,
    );

    expect(layout.spans.map((span) => span.day)).toEqual(COUNTS.map((span) => span.day));
    expect(layout.readTop).toBe(layout.spans[0]?.height);
    expect(layout.rows[0]?.top).toBe(layout.readTop + FRAME.heading);
    expect(layout.days[0]?.top).toBe(layout.readTop);
    expect(layout.readBottom).toBeGreaterThan(layout.readTop);
    expect(layout.height).toBeGreaterThan(layout.readBottom);
    const ends = layout.spans.map(({ top, height }) => top + height);
    expect(layout.spans.slice(1).map(({ top }) => top)).toEqual(ends.slice(0, -1));
    expect(ends.at(-1)).toBe(layout.height);
  });

  it('gives a day that was read in part the height of the rest', () => {
    const rows = layoutRows(cards(1, 18), FRAME);
    const part = addUnread(rows, COUNTS, { hasNewest: true, hasOldest: false }, FRAME);
    const all = addUnread(rows, COUNTS, { hasNewest: true, hasOldest: true }, FRAME);

    // Six cards fill a row, so the other 42 cards fill seven.
    expect(part.spans[0]?.height).toBe((all.spans[0]?.height ?? 0) + 7 * 110);
    expect(all.spans).toHaveLength(1);
    expect(all.height).toBe(rows.height);
  });

  it('leaves a layout unchanged if the days are not known', () => {
    const rows = layoutRows(cards(0, 5), FRAME);
    const layout = addUnread(rows, [], { hasNewest: true, hasOldest: false }, FRAME);

    expect(layout).toMatchObject(rows);
    expect(layout.spans).toEqual([{ day: DAY, count: 5, top: 0, height: rows.height }]);
  });
});

describe('spanAt', () => {
  const spans = [
    { day: day(0), count: 1, top: 0, height: 100 },
    { day: day(1), count: 1, top: 100, height: 50 },
  ];

  it.each([
    [-5, 0],
    [0, 0],
    [99, 0],
    [100, 1],
    [900, 1],
  ])('at %i px is the day %i', (y, index) => {
    expect(spanAt(spans, y)).toBe(spans[index]);
  });
});

describe('endOfDay', () => {
  it('is the beginning of the next date', () => {
    expect(endOfDay(DAY)).toBe(new Date(2026, 10, 29).getTime() / 1000);
  });
});
