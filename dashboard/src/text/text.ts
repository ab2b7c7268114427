import en from './en.json';

export type TextKey = keyof typeof en;

/** A text, or its two forms if the text has a count. In English, `one` applies only to 1. */
type Entry = string | { readonly one: string; readonly other: string };
export type TextValues = Readonly<Record<string, string | number>>;

const texts: Record<TextKey, Entry> = en;
const language = 'en';

/** Returns a function that creates a value on its first call, because creating a formatter takes milliseconds. */
function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** Returns a text. `{name}` is replaced by the value of that name, and `count` chooses the plural form. */
export function text(key: TextKey, values?: TextValues): string {
  return fill(texts[key], values);
}

/** Fills the places of a text, as `text` describes. */
export function fill(entry: Entry, values: TextValues = {}): string {
  const template =
    typeof entry === 'string' ? entry : entry[values['count'] === 1 ? 'one' : 'other'];
  return template.replace(/\{(\w+)\}/g, (hole, name: string) => {
    const value = values[name];
    if (value === undefined) return hole;
    return typeof value === 'number' ? formatNumber(value) : isolate(value);
  });
}

/** Isolates a value that changes the text direction, so that the surrounding text keeps its own direction. */
function isolate(value: string): string {
  return /[\u202a-\u202e\u2066-\u2069]/.test(value) ? `\u2068${value}\u2069` : value;
}

/** Returns true if a text exists for a key that was composed from values that the bridge sent. */
export function hasText(key: string): key is TextKey {
  return Object.hasOwn(texts, key);
}

const numbers = once(() => new Intl.NumberFormat(language));

/** Formats a number. Small whole numbers need no formatter, so that the first view is fast. */
export function formatNumber(value: number): string {
  if (Number.isInteger(value) && value >= 0 && value < 1000) return String(value);
  return numbers().format(value);
}

const BYTE_UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** Formats bytes in the decimal unit that leaves one to three digits before the decimal point. */
export function formatBytes(bytes: number): string {
  const power =
    bytes < 1000 ? 0 : Math.min(BYTE_UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  return new Intl.NumberFormat(language, {
    style: 'unit',
    unit: BYTE_UNITS[power] ?? 'byte',
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: power > 0 && value < 10 ? 1 : 0,
  }).format(value);
}

/** Formats milliseconds as a running clock, for example 0:14, 12:05 or 1:02:09. */
export function formatClock(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const pad = (value: number) => String(value).padStart(2, '0');
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}:${pad(seconds % 60)}`;
  return `${Math.floor(minutes / 60)}:${pad(minutes % 60)}:${pad(seconds % 60)}`;
}

/** Formats milliseconds as a duration in seconds, for example 0.01, 8.09 or 124. */
export function formatSeconds(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  return new Intl.NumberFormat(language, {
    minimumFractionDigits: seconds < 100 ? 2 : 0,
    maximumFractionDigits: seconds < 100 ? 2 : 0,
  }).format(seconds);
}

/** Formats milliseconds in words with the two largest units, for example "3 days, 4 hours". */
export function formatDuration(milliseconds: number): string {
  return toDurationParts(milliseconds)
    .map(({ count, unit }) =>
      new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(count),
    )
    .join(text('list.separator'));
}

const dates = (options: Intl.DateTimeFormatOptions) =>
  once(() => new Intl.DateTimeFormat(language, options));
const weekday = dates({ weekday: 'long' });
const month = dates({ month: 'short' });
const shortOfYear = dates({ day: 'numeric', month: 'short' });
const shortDate = dates({ day: 'numeric', month: 'short', year: 'numeric' });
const dateOfYear = dates({ day: 'numeric', month: 'long' });
const fullDate = dates({ dateStyle: 'long' });
const utcDay = dates({ day: 'numeric', month: 'long', timeZone: 'UTC' });
const timeOfDay = dates({ timeStyle: 'short', hourCycle: 'h23' });
const timeWithSeconds = dates({ timeStyle: 'medium', hourCycle: 'h23' });

/** Formats the day of a Unix time in seconds as a heading, for example Today, Yesterday, Monday or March 3. */
export function formatDay(seconds: number, now: Date): string {
  const date = new Date(seconds * 1000);
  const days = Math.round((startOfDay(date) - startOfDay(now)) / 86_400_000);
  if (days === 0) return text('day.today');
  if (days === -1) return text('day.yesterday');
  if (days > -7 && days < 0) return weekday().format(date);
  return (date.getFullYear() === now.getFullYear() ? dateOfYear : fullDate)().format(date);
}

/** Formats the day of a Unix time in seconds, for example March 3, 2026. */
export function formatDate(seconds: number): string {
  return fullDate().format(seconds * 1000);
}

/** Formats the month of a day in Unix milliseconds, for example Nov. */
export function formatMonth(day: number): string {
  return month().format(day);
}

/** Formats a day in Unix milliseconds as short as possible, for example 28 Nov. */
export function formatShortDay(day: number): string {
  return shortOfYear().format(day);
}

/** Formats a date such as 2026-11-28 as short as possible, for example 28 Nov. The year is shown if it is not the current year. */
export function formatShortDate(date: string): string {
  const day = new Date(`${date}T00:00`);
  return (day.getFullYear() === new Date().getFullYear() ? shortOfYear : shortDate)().format(day);
}

/** Formats a day that the bridge reports as 2026-03-03, for example as March 3. */
export function formatUtcDay(day: string): string {
  return utcDay().format(Date.parse(day));
}

/** Formats the time of day of a Unix time in seconds, for example 11:56. */
export function formatTime(seconds: number): string {
  return timeOfDay().format(seconds * 1000);
}

/** Formats the time of day of a Unix time in milliseconds, for example 11:56:03. */
export function formatTimeWithSeconds(milliseconds: number): string {
  return timeWithSeconds().format(milliseconds);
}

function startOfDay(date: Date): number {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}

const DURATION_UNITS = [
  { unit: 'day', milliseconds: 86_400_000 },
  { unit: 'hour', milliseconds: 3_600_000 },
  { unit: 'minute', milliseconds: 60_000 },
  { unit: 'second', milliseconds: 1000 },
] as const;

/** Splits milliseconds into the largest unit that fits and the next smaller unit. The smallest unit is seconds. */
export function toDurationParts(milliseconds: number) {
  const first = DURATION_UNITS.findIndex((each) => milliseconds >= each.milliseconds);
  const largest = first === -1 ? DURATION_UNITS.length - 1 : first;
  let left = milliseconds;
  return DURATION_UNITS.slice(largest, largest + 2)
    .map((each) => {
      const count = Math.floor(left / each.milliseconds);
      left -= count * each.milliseconds;
      return { count, unit: each.unit };
    })
    .filter(({ count }, index) => index === 0 || count > 0);
}
