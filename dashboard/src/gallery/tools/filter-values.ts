import type { JobFilter } from '../../jobs/job-filter.ts';
import { formatShortDate, text } from '../../text/text.ts';

/** The parts of the filter that each chip sets, as the changes that remove them. */
export const CHIPS = {
  model: { model: undefined },
  size: { size: undefined },
  operation: { operation: undefined },
  label: { label: undefined },
  date: { from: undefined, to: undefined },
} as const;

export type ChipName = keyof typeof CHIPS;

export const CHIP_NAMES = Object.keys(CHIPS) as readonly ChipName[];

/** Returns the value of a filter in words. Undefined if the filter is not set. */
export function chipValue(name: ChipName, filter: JobFilter): string | undefined {
  if (name === 'operation') {
    return filter.operation && text(`gallery.operation.${filter.operation}`);
  }
  if (name !== 'date') return filter[name]?.replace('x', name === 'size' ? ' × ' : 'x');
  const [from, to] = [filter.from, filter.to].map((date) => date && formatShortDate(date));
  if (from !== undefined && to !== undefined) {
    return from === to ? from : text('gallery.date.range', { from, to });
  }
  if (from !== undefined) return text('gallery.date.since', { from });
  return to === undefined ? undefined : text('gallery.date.until', { to });
}

/** Returns a date in local time, such as 2026-11-28. `days` is added to the date. */
export function toDate(time: number, days = 0): string {
  const date = new Date(time);
  date.setDate(date.getDate() + days);
  const pad = (part: number, digits = 2) => String(part).padStart(digits, '0');
  return `${pad(date.getFullYear(), 4)}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
}
