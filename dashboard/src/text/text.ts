import en from './en.json';

/** A text with a count in it has a form for each plural category that the language has; English has one for 1 alone. */
interface Plural {
  readonly one: string;
  readonly other: string;
}

export type TextKey = keyof typeof en;

const texts: Record<TextKey, string | Plural> = en;
const language = 'en';

/** Formatters are made when they are first needed: each costs milliseconds, and the first view needs few of them. */
function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/**
 * The text of a key, with `{name}` replaced by the value of that name. A plural text is chosen by `count`. Numbers are
 * written as the language writes them.
 */
export function text(key: TextKey, values: Readonly<Record<string, string | number>> = {}): string {
  const entry = texts[key];
  const template =
    typeof entry === 'string' ? entry : entry[values['count'] === 1 ? 'one' : 'other'];
  return template.replace(/\{(\w+)\}/g, (hole, name: string) => {
    const value = values[name];
    if (value === undefined) return hole;
    return typeof value === 'number' ? formatNumber(value) : isolate(value);
  });
}

/** A name that turns the direction of writing does so for itself alone, not for the words around it. */
function isolate(value: string): string {
  return /[\u202a-\u202e\u2066-\u2069]/.test(value) ? `\u2068${value}\u2069` : value;
}

/** Whether there is a text under a key that was put together from what the bridge says. */
export function hasText(key: string): key is TextKey {
  return Object.hasOwn(texts, key);
}

const numbers = once(() => new Intl.NumberFormat(language));

/** Small whole numbers are their digits; the first view has no others, and needs no formatter. */
export function formatNumber(value: number): string {
  if (Number.isInteger(value) && value >= 0 && value < 1000) return String(value);
  return numbers().format(value);
}

const BYTE_UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** Bytes in the unit that leaves one to three digits before the point (decimal units, as disks are sold). */
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

/** Milliseconds as a running clock: 0:14, 12:05, 1:02:09. */
export function formatClock(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const pad = (value: number) => String(value).padStart(2, '0');
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}:${pad(seconds % 60)}`;
  return `${Math.floor(minutes / 60)}:${pad(minutes % 60)}:${pad(seconds % 60)}`;
}

/** Milliseconds as a measured duration, in seconds: 0.01, 8.09, 124. */
export function formatSeconds(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  return new Intl.NumberFormat(language, {
    minimumFractionDigits: seconds < 100 ? 2 : 0,
    maximumFractionDigits: seconds < 100 ? 2 : 0,
  }).format(seconds);
}

/** Milliseconds in words, in the two largest units that it has: 3 days, 4 hours. */
export function formatDuration(milliseconds: number): string {
  return toDurationParts(milliseconds)
    .map(({ count, unit }) =>
      new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(count),
    )
    .join(text('list.separator'));
}

const weekday = once(() => new Intl.DateTimeFormat(language, { weekday: 'long' }));
const dateOfYear = once(() => new Intl.DateTimeFormat(language, { day: 'numeric', month: 'long' }));
const fullDate = once(() => new Intl.DateTimeFormat(language, { dateStyle: 'long' }));
const timeOfDay = once(
  () =>
    new Intl.DateTimeFormat(language, {
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    }),
);

/** The day of a Unix time in seconds, as a heading: Today, Yesterday, Monday, 3 March. */
export function formatDay(seconds: number, now: Date): string {
  const date = new Date(seconds * 1000);
  const days = Math.round((startOfDay(date) - startOfDay(now)) / 86_400_000);
  if (days === 0) return text('day.today');
  if (days === -1) return text('day.yesterday');
  if (days > -7 && days < 0) return weekday().format(date);
  return (date.getFullYear() === now.getFullYear() ? dateOfYear : fullDate)().format(date);
}

/** The day of a Unix time in seconds: 3 March 2026. */
export function formatDate(seconds: number): string {
  return fullDate().format(seconds * 1000);
}

const utcDay = once(
  () => new Intl.DateTimeFormat(language, { day: 'numeric', month: 'long', timeZone: 'UTC' }),
);

/** A day as the bridge names it, 2026-03-03: 3 March. */
export function formatUtcDay(day: string): string {
  return utcDay().format(Date.parse(day));
}

/** The time of day of a Unix time in seconds: 11:56. */
export function formatTime(seconds: number): string {
  return timeOfDay().format(seconds * 1000);
}

const timeWithSeconds = once(
  () =>
    new Intl.DateTimeFormat(language, {
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
    }),
);

/** The time of day of a Unix time in milliseconds: 11:56:03. */
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

interface DurationPart {
  readonly count: number;
  readonly unit: (typeof DURATION_UNITS)[number]['unit'];
}

/** Milliseconds in the largest unit that they fill, and the rest in the next one if they fill that; else in seconds. */
export function toDurationParts(milliseconds: number): readonly DurationPart[] {
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
