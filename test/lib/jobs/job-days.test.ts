import { describe, expect, test } from 'vitest';
import { toDays } from '../../../lib/jobs/job-days.ts';

const secs = (time: string) => Date.parse(time) / 1000;
const period = (time: string, count = 1) => ({ startSecs: secs(time), count });

describe('toDays', () => {
  test('periods of the same local date are one day, newest first', () => {
    const periods = [
      period('2026-11-28T23:30:00Z', 2),
      period('2026-11-28T21:45:00Z', 3),
      period('2026-11-27T22:00:00Z', 4),
    ];

    expect(toDays(periods, 'UTC', true)).toEqual({
      days: [
        { date: '2026-11-28', start: secs('2026-11-28T00:00Z'), count: 5 },
        { date: '2026-11-27', start: secs('2026-11-27T00:00Z'), count: 4 },
      ],
      more: false,
    });
    expect(toDays(periods, 'Europe/Tallinn', true).days).toEqual([
      { date: '2026-11-29', start: secs('2026-11-28T22:00Z'), count: 2 },
      { date: '2026-11-28', start: secs('2026-11-27T22:00Z'), count: 7 },
    ]);
  });

  test.each([
    // The clock is set back, forward, and forward at midnight; an offset of quarter hours.
    ['Europe/Tallinn', '2026-10-25T21:45:00Z', '2026-10-24T21:00:00Z', '2026-10-25'],
    ['Europe/Tallinn', '2026-03-29T20:45:00Z', '2026-03-28T22:00:00Z', '2026-03-29'],
    ['America/Santiago', '2026-09-06T20:00:00Z', '2026-09-06T04:00:00Z', '2026-09-06'],
    // The clock is set back to midnight, so the first hour of the day occurs twice.
    ['America/Havana', '2026-11-01T18:00:00Z', '2026-11-01T04:00:00Z', '2026-11-01'],
    ['Asia/Kathmandu', '2026-11-28T10:00:00Z', '2026-11-27T18:15:00Z', '2026-11-28'],
    ['UTC', '1970-01-01T03:00:00Z', '1970-01-01T00:00:00Z', '1970-01-01'],
  ])('a day in %s that has a job at %s begins at %s', (timeZone, job, start, date) => {
    expect(toDays([period(job)], timeZone, true).days).toEqual([
      { date, start: secs(start), count: 1 },
    ]);
  });

  test('the last day is omitted if its older periods were not read', () => {
    const periods = [period('2026-11-28T23:30:00Z'), period('2026-11-27T22:00:00Z')];

    expect(toDays(periods, 'UTC', false)).toEqual({
      days: [{ date: '2026-11-28', start: secs('2026-11-28T00:00Z'), count: 1 }],
      more: true,
    });
  });

  test('a thousand days are returned, and older days are left', () => {
    const periods = Array.from({ length: 1001 }, (_, nth) => ({
      startSecs: secs('2026-11-28T12:00Z') - nth * 86_400,
      count: 1,
    }));

    const { days, more } = toDays(periods, 'Europe/Tallinn', true);

    expect(days).toHaveLength(1000);
    expect(more).toBe(true);
  });
});
