import { type JobDays, MAX_DAYS } from '../contract/resources/job-history.ts';
import { type JobPeriod, PERIOD_SECS } from './job-history-port.ts';

type Day = JobDays['days'][number];

const HOUR_SECS = 3600;
/** The longest day, in which a clock is set back, has at most so many hours. */
const LONGEST_DAY_SECS = 26 * HOUR_SECS;

/** Adds the periods up to days in a time zone, newest first. `isComplete` is false if older periods were not read. */
export function toDays(
  periods: readonly JobPeriod[],
  timeZone: string,
  isComplete: boolean,
): JobDays {
  const dateAt = createDates(timeZone);
  const days: Day[] = [];
  let current: Day | undefined;
  for (const { startSecs, count } of periods) {
    if (current !== undefined && startSecs >= current.start) {
      current.count += count;
      continue;
    }
    if (days.length === MAX_DAYS) return { days, more: true };
    const date = dateAt(startSecs);
    current = { date, start: startOfDay(startSecs, date, dateAt), count };
    days.push(current);
  }
  // The last of these days may have further periods.
  if (!isComplete && days.length > 1) days.pop();
  return { days, more: !isComplete };
}

/** Returns a function that returns the date of a time, such as 2026-11-28. */
function createDates(timeZone: string): (secs: number) => string {
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    calendar: 'iso8601',
    numberingSystem: 'latn',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  return (secs) => {
    const parts = new Map(
      format.formatToParts(secs * 1000).map(({ type, value }) => [type, value]),
    );
    return `${parts.get('year')?.padStart(4, '0')}-${parts.get('month')}-${parts.get('day')}`;
  };
}

/** Returns the beginning of the first period with this date. `secs` is the beginning of a period with this date. */
function startOfDay(secs: number, date: string, dateAt: (secs: number) => string): number {
  let [before, start] = [Math.max(0, secs - LONGEST_DAY_SECS), secs];
  if (dateAt(before) === date) return before;
  while (start - before > PERIOD_SECS) {
    const middle = before + Math.round((start - before) / 2 / PERIOD_SECS) * PERIOD_SECS;
    if (dateAt(middle) === date) start = middle;
    else before = middle;
  }
  return start;
}
