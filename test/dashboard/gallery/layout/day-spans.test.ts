import { describe, expect, it } from 'vitest';
import {
  addUnread,
  endOfDay,
  placeIn,
  spanAt,
} from '../../../../dashboard/src/gallery/layout/day-spans.ts';
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
  it('leaves no place below a day whose jobs share a card', () => {
    const shapes = cards(0, 3).map((shape, nth) => (nth === 0 ? { ...shape, count: 10 } : shape));
    const rows = layoutRows(shapes, FRAME);

    const layout = addUnread(rows, COUNTS, { hasNewest: true, hasOldest: false }, FRAME);

    expect(layout.spans[0]).toEqual({ ...COUNTS[0], top: 0, height: rows.height });
  });

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

describe('addUnread of a day that is read upwards', () => {
  const isUpward = (at: number) => at >= day(1);
  const part = (count: number) =>
    addUnread(
      layoutRows([...cards(1, count), ...cards(5, 6)], FRAME),
      COUNTS,
      { hasNewest: false, hasOldest: false, isUpward },
      FRAME,
    );

  it('puts the rest of the day above its cards', () => {
    const layout = part(18);

    const [newest, own, read] = layout.spans;
    // Six cards fill a row, so the other 42 cards fill seven.
    expect(layout.readTop).toBe((newest?.height ?? 0) + 7 * 110);
    expect(own).toMatchObject({ day: day(1), count: 60, top: newest?.height });
    expect(own?.height).toBe(7 * 110 + (layout.days[0]?.height ?? 0));
    expect(layout.days[0]?.top).toBe(layout.readTop);
    expect(read?.top).toBe(layout.days[1]?.top);
  });

  it('has no rest below its cards', () => {
    const layout = addUnread(
      layoutRows(cards(1, 18), FRAME),
      COUNTS.slice(0, 2),
      { hasNewest: false, hasOldest: false, isUpward },
      FRAME,
    );

    expect(layout.readBottom).toBe(layout.height);
  });
});

describe('placeIn', () => {
  const isUpward = (at: number) => at >= day(1);
  const read = (count: number, isNewest = false) =>
    addUnread(
      layoutRows([...cards(1, count).slice(0, count), ...cards(5, 6)], FRAME),
      COUNTS,
      { hasNewest: isNewest, hasOldest: false, isUpward },
      FRAME,
    );
  const [before, after] = [read(18), read(18, true)];

  it('keeps the distance from the cards just below the place', () => {
    const y = before.readTop - 100;

    expect(placeIn(after, before, y)).toBe(after.readTop - 100);
  });

  it('keeps the distance from the beginning of any other day', () => {
    const last = before.spans.at(-1)?.top ?? 0;

    expect(placeIn(after, before, last + 7)).toBe((after.spans.at(-1)?.top ?? 0) + 7);
  });

  it('stays within a day that has become lower', () => {
    const lower = { ...after, spans: after.spans.map((span) => ({ ...span, height: 10 })) };
    const last = before.spans.at(-1)?.top ?? 0;

    expect(placeIn(lower, before, last + 50)).toBe((after.spans.at(-1)?.top ?? 0) + 9);
  });

  it('keeps the place if the day is unknown', () => {
    expect(placeIn({ ...after, spans: [] }, before, 5)).toBe(5);
    expect(placeIn(after, { ...before, spans: [] }, 5)).toBe(5);
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
