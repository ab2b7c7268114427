import { describe, expect, test } from 'vitest';
import { DAY_MS, dateOf, today } from '../../../lib/platform/days.ts';

const at = (text: string) => ({ nowMs: () => Date.parse(text) });

describe('today', () => {
  test('is 0 on the first day of the Unix epoch', () => {
    expect(today(at('1970-01-01T23:59:59.999Z'))).toBe(0);
  });

  test('changes at midnight UTC', () => {
    const before = today(at('2026-11-24T23:59:59.999Z'));

    expect(today(at('2026-11-24T00:00:00Z'))).toBe(before);
    expect(today(at('2026-11-25T00:00:00Z'))).toBe(before + 1);
  });
});

describe('dateOf', () => {
  test.each(['1970-01-01', '2024-02-29', '2026-11-24', '2026-12-31'])(
    'returns %s for the day of that date',
    (date) => {
      expect(dateOf(today(at(`${date}T12:00:00Z`)))).toBe(date);
    },
  );

  test('returns consecutive dates for consecutive days', () => {
    const day = Date.parse('2026-02-28') / DAY_MS;

    expect([day, day + 1].map(dateOf)).toEqual(['2026-02-28', '2026-03-01']);
  });
});
