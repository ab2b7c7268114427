import type { DaySpan } from '../layout/day-spans.ts';

/** A month or a year on the rail. */
export interface DateMark {
  /** The first day of the gallery in this month. */
  readonly day: number;
  readonly kind: 'month' | 'year';
  /** The place between the top of the gallery, 0, and its end, 1. */
  readonly at: number;
}

/** Returns the months of the days, newest first. The first month of an earlier year is marked as this year. */
export function toMarks(spans: readonly DaySpan[], height: number): readonly DateMark[] {
  const marks: DateMark[] = [];
  let [month, year] = [Number.NaN, Number.NaN];
  for (const { day, top } of spans) {
    const date = new Date(day);
    if (date.getMonth() === month && date.getFullYear() === year) continue;
    const isOtherYear = marks.length > 0 && date.getFullYear() !== year;
    [month, year] = [date.getMonth(), date.getFullYear()];
    marks.push({ day, kind: isOtherYear ? 'year' : 'month', at: height > 0 ? top / height : 0 });
  }
  return marks;
}

/** Returns the marks that have room. Years have precedence over months, and newer marks over older ones. */
export function spaced(marks: readonly DateMark[], least: number): readonly DateMark[] {
  const kept: DateMark[] = [];
  const isFree = (at: number) => kept.every((mark) => Math.abs(mark.at - at) >= least);
  for (const kind of ['year', 'month'] as const) {
    for (const mark of marks) if (mark.kind === kind && isFree(mark.at)) kept.push(mark);
  }
  return kept.toSorted((a, b) => a.at - b.at);
}
