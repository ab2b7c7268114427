import { type Day, type Frame, type Layout, rowOf, type Shape } from './row-layout.ts';

/** The number of jobs of a day. `day` is its beginning in Unix milliseconds. */
export interface CountedDay {
  readonly day: number;
  readonly count: number;
}

/** The place of a day in the gallery, in CSS pixels. */
export interface DaySpan extends CountedDay {
  readonly top: number;
  readonly height: number;
}

/** A layout with the places of all days, of which only a part has been read. */
export interface WholeLayout extends Layout {
  /** All days, newest first. */
  readonly spans: readonly DaySpan[];
  /** The top and the bottom of the cards that have been read, in CSS pixels. */
  readonly readTop: number;
  readonly readBottom: number;
  /** True if no job is newer than those that have been read. */
  readonly hasNewest: boolean;
}

interface Reading {
  /** True if no job is newer or older than those that have been read. */
  readonly hasNewest: boolean;
  readonly hasOldest: boolean;
  /** Returns true for the days that are read from their last card upwards. */
  isUpward?(day: number): boolean;
}

/** The ratio (width divided by height) of a card that has not been read. */
const USUAL_RATIO = 1.3;

/**
 * Adds the days that have not been read, with the heights that their cards will probably have, so that the scroll bar covers the
 * whole list. `counts` has the numbers of jobs of all days, newest first.
 */
export function addUnread(
  layout: Layout,
  counts: readonly CountedDay[],
  { hasNewest, hasOldest, isUpward }: Reading,
  frame: Frame,
): WholeLayout {
  const ratio = meanRatio(layout, frame);
  const height = (count: number) => heightOf(count, ratio, frame);
  const [first, last] = [layout.days.at(0), layout.days.at(-1)];
  const spans: DaySpan[] = [];
  let top = 0;
  const add = (day: CountedDay, tall: number) => {
    spans.push({ ...day, top, height: tall });
    top += tall;
  };

  if (first !== undefined && !hasNewest) {
    for (const day of counts) if (day.day > first.day) add(day, frame.heading + height(day.count));
  }
  const counted = new Map(counts.map(({ day, count }) => [day, count]));
  const restOf = (day: Day) =>
    height(Math.max(0, (counted.get(day.day) ?? 0) - countOfDay(layout, day)));
  const restAbove = first && !hasNewest && isUpward?.(first.day) ? restOf(first) : 0;
  const readTop = top + restAbove;
  for (const day of layout.days) {
    const count = Math.max(countOfDay(layout, day), counted.get(day.day) ?? 0);
    add({ day: day.day, count }, day.height + (day === first ? restAbove : 0));
  }
  const readBottom = top;
  if (!hasOldest) {
    const lastSpan = spans.at(-1);
    // Below the cards of a day that is read upwards, nothing of the day is missing.
    if (lastSpan !== undefined && last !== undefined && !isUpward?.(last.day)) {
      const rest = restOf(last);
      spans[spans.length - 1] = { ...lastSpan, height: lastSpan.height + rest };
      top += rest;
    }
    for (const day of counts) {
      if (last === undefined || day.day < last.day) add(day, frame.heading + height(day.count));
    }
  }
  return {
    ...layout,
    days: layout.days.map((day) => ({ ...day, top: day.top + readTop })),
    rows:
      readTop === 0 ? layout.rows : layout.rows.map((row) => ({ ...row, top: row.top + readTop })),
    height: top,
    spans,
    readTop,
    readBottom,
    hasNewest,
  };
}

/** Returns the number of jobs that have been read of a day. */
function countOfDay({ rows, ids, counts }: Layout, { firstRow, endRow }: Day): number {
  const cards = ids.slice(rows[firstRow]?.first, rows[endRow - 1]?.end);
  return cards.reduce((sum, id) => sum + (counts.get(id) ?? 1), 0);
}

/** Returns the number of jobs that share these cards. */
export function sumCounts(cards: readonly Pick<Shape, 'count'>[]): number {
  return cards.reduce((sum, { count = 1 }) => sum + count, 0);
}

function heightOf(count: number, ratio: number, { width, rowHeight, gap }: Frame): number {
  if (count === 0) return 0;
  const aRow = Math.max(1, (width + gap) / (ratio * rowHeight + gap));
  return Math.ceil(count / aRow) * (rowHeight + gap);
}

function meanRatio({ rows, widths }: Layout, { gap }: Frame): number {
  let [sum, cards] = [0, 0];
  for (const { height, first, end } of rows.slice(0, 100)) {
    for (const width of widths.slice(first, end)) sum += (width + gap) / (height + gap);
    cards = end;
  }
  return cards === 0 ? USUAL_RATIO : sum / cards;
}

/** Returns the day at a place, or the nearest day. */
export function spanAt(spans: readonly DaySpan[], y: number): DaySpan | undefined {
  return spans.findLast(({ top }) => top <= y) ?? spans[0];
}

/**
 * Returns the position in a new layout of a position that shows no cards in the old layout. Above the cards of a day that is read
 * upwards, the position moves with these cards, because they are nearer than the top of the day.
 */
export function placeIn(after: WholeLayout, before: WholeLayout, y: number): number {
  const span = spanAt(before.spans, y);
  if (span === undefined) return y;
  const [first] = before.rows;
  const same = after.rows[rowOf(after, before.ids[0] ?? '') ?? -1];
  if (first && same && y < before.readTop && span.top + span.height > before.readTop) {
    return y + same.top - first.top;
  }
  const next = after.spans.find(({ day }) => day === span.day);
  if (next === undefined) return y;
  return next.top + Math.min(y - span.top, Math.max(0, next.height - 1));
}

/** Returns the end of a day in local time, in Unix seconds. */
export function endOfDay(day: number): number {
  const end = new Date(day);
  end.setDate(end.getDate() + 1);
  return Math.floor(end.getTime() / 1000);
}
