import { type JobDays, MAX_DAYS } from '../contract/resources/job-history.ts';
import { type JobPeriod, PERIOD_SECS } from './job-history-port.ts';

type Day = JobDays['days'][number];

const HOUR_SECS = 3600;
const DAY_SECS = 24 * HOUR_SECS;
/** The longest day, in which a clock is set back, has at most so many hours. */
const LONGEST_DAY_SECS = 26 * HOUR_SECS;

/** Adds the periods up to days in a time zone, newest first. `isComplete` is false if older periods were not read. */
export function toDays(
  periods: readonly JobPeriod[],
  timeZone: string,
  isComplete: boolean,
): JobDays {
  const localAt = createLocalTimes(timeZone);
  const days: Day[] = [];
  let current: Day | undefined;
  for (const { startSecs, count } of periods) {
    if (current !== undefined && startSecs >= current.start) {
      current.count += count;
      continue;
    }
    if (days.length === MAX_DAYS) return { days, more: true };
    const local = localAt(startSecs);
    current = { date: local.date, start: startOfDay(startSecs, local, localAt), count };
    days.push(current);
  }
  // The last of these days may have further periods.
  if (!isComplete && days.length > 1) days.pop();
  return { days, more: !isComplete };
}

/** The date of a time, such as 2026-11-28, and the time of day on the clock of a time zone. */
interface LocalTime {
  readonly date: string;
  readonly daySecs: number;
}

/** Returns a function that converts a time to the local time. */
function createLocalTimes(timeZone: string): (secs: number) => LocalTime {
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    calendar: 'iso8601',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  return (secs) => {
    const parts: Partial<Record<Intl.DateTimeFormatPartTypes, string>> = {};
    for (const { type, value } of format.formatToParts(secs * 1000)) parts[type] = value;
    const { year, month, day, hour, minute, second } = parts;
    return {
      date: `${year?.padStart(4, '0')}-${month}-${day}`,
      daySecs: Number(hour) * HOUR_SECS + Number(minute) * 60 + Number(second),
    };
  };
}

/** Returns the beginning of the first period of the day that contains the period which begins at `secs`. */
function startOfDay(
  secs: number,
  { date, daySecs }: LocalTime,
  localAt: (secs: number) => LocalTime,
): number {
  const usual = secs - daySecs;
  // The condition is false only if the clock was changed on this day. The search below takes several times as long.
  if (usual >= 0 && localAt(usual - 1).daySecs === DAY_SECS - 1) return usual;
  let [before, start] = [Math.max(0, secs - LONGEST_DAY_SECS), secs];
  if (localAt(before).date === date) return before;
  while (start - before > PERIOD_SECS) {
    const middle = before + Math.round((start - before) / 2 / PERIOD_SECS) * PERIOD_SECS;
    if (localAt(middle).date === date) start = middle;
    else before = middle;
  }
  return start;
}
