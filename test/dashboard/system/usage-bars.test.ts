import { describe, expect, it } from 'vitest';
import type { UsageReport } from '../../../dashboard/src/api/schemas.ts';
import { firstDay, toUsageBars } from '../../../dashboard/src/system/usage/usage-bars.ts';

type Day = UsageReport['items'][number];
type Count = Omit<Day['by_model'][number], 'provider' | 'model' | 'others'>;

const NOW = Date.parse('2026-11-23T10:00:00Z');

function count(images: number, amount?: string): Count {
  const cost: Count['cost'] =
    amount === undefined
      ? { basis: 'unknown', known_amount: '0' }
      : { basis: 'priced', amount, currency: 'USD' };
  return { images, failed: 0, unknown: 0, lost: 0, unknown_images: 0, cost } as Count;
}

function day(name: string, models: Readonly<Record<string, Count>>): Day {
  const entries = Object.entries(models).map(([model, counts]) => {
    return { provider: 'p', ...(model === '' ? {} : { model }), ...counts };
  });
  return { ...count(0), day: name, by_provider: {}, by_model: entries } as Day;
}

const modelsOf = ({ names }: ReturnType<typeof toUsageBars>) => names.map(({ model }) => model);

describe('toUsageBars', () => {
  it('has one bar for each of the last days, empty without images', () => {
    const { bars } = toUsageBars([day('2026-11-22', { one: count(3) })], 'days', NOW);

    expect(bars).toHaveLength(14);
    expect([bars[0]?.day, bars.at(-1)?.day]).toEqual(['2026-11-10', '2026-11-23']);
    expect(bars.at(-2)).toEqual({ day: '2026-11-22', parts: [3], total: 3 });
    expect(bars.at(-1)?.total).toBe(0);
  });

  it('shows the costs if one is known, with the largest models first and the others together', () => {
    const chart = toUsageBars(
      [
        day('2026-11-23', { a: count(1, '1'), b: count(1, '4'), c: count(9, '0.5'), d: count(9) }),
        day('2026-11-21', { a: count(1, '2'), e: count(1, '0.25') }),
      ],
      'days',
      NOW,
    );

    const { measure, hasOthers, bars } = chart;
    expect([measure, modelsOf(chart), hasOthers]).toEqual(['cost', ['b', 'a'], true]);
    expect(bars.at(-1)).toEqual({ day: '2026-11-23', parts: [4, 1, 0.5], total: 5.5 });
    expect(bars.at(-3)).toEqual({ day: '2026-11-21', parts: [0, 2, 0.25], total: 2.25 });
  });

  it('leaves out the days before, and counts images if no cost is known', () => {
    const { measure, bars } = toUsageBars(
      [day('2026-11-23', { a: count(2) }), day('2026-10-01', { a: count(9, '3') })],
      'days',
      NOW,
    );

    expect([measure, bars.at(-1)?.total]).toEqual(['images', 2]);
    expect(bars.reduce((sum, { total }) => sum + total, 0)).toBe(2);
  });

  it('adds up the days of each of the last twelve weeks', () => {
    const { bars } = toUsageBars(
      [
        day('2026-11-23', { a: count(2) }),
        day('2026-11-17', { a: count(3) }),
        day('2026-11-16', { a: count(4) }),
        day('2026-09-01', { a: count(5) }),
        day('2026-08-31', { a: count(9) }),
      ],
      'weeks',
      NOW,
    );

    expect(bars).toHaveLength(12);
    expect(bars.at(-1)).toEqual({ day: '2026-11-17', parts: [5], total: 5 });
    expect(bars.at(-2)?.total).toBe(4);
    expect(bars[0]).toEqual({ day: '2026-09-01', parts: [5], total: 5 });
    expect(firstDay('weeks', NOW)).toBe('2026-09-01');
  });

  it('counts images without a recorded model with the others, however many they are', () => {
    const chart = toUsageBars([day('2026-11-23', { '': count(9), a: count(1) })], 'days', NOW);

    expect(modelsOf(chart)).toEqual(['a']);
    expect(chart.bars.at(-1)?.parts).toEqual([1, 9]);
  });
});
