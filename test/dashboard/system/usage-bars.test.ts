import { describe, expect, it } from 'vitest';
import type { UsageReport } from '../../../dashboard/src/api/schemas.ts';
import { CHART_DAYS, toUsageBars } from '../../../dashboard/src/system/usage/usage-bars.ts';

type Day = UsageReport['items'][number];
type Count = Day['by_provider'][string];

const NOW = Date.parse('2026-11-23T10:00:00Z');

function count(images: number, amount?: string): Count {
  const cost: Count['cost'] =
    amount === undefined
      ? { basis: 'unknown', known_amount: '0' }
      : { basis: 'priced', amount, currency: 'USD' };
  return { images, failed: 0, unknown: 0, lost: 0, unknown_images: 0, cost } as Count;
}

function day(name: string, providers: Readonly<Record<string, Count>>): Day {
  return { ...count(0), day: name, by_provider: providers } as Day;
}

describe('toUsageBars', () => {
  it('has one bar for each of the last days, empty without images', () => {
    const { bars } = toUsageBars([day('2026-11-22', { one: count(3) })], NOW);

    expect(bars).toHaveLength(CHART_DAYS);
    expect([bars[0]?.day, bars.at(-1)?.day]).toEqual(['2026-11-10', '2026-11-23']);
    expect(bars.at(-2)).toEqual({ day: '2026-11-22', parts: [3], total: 3 });
    expect(bars.at(-1)?.total).toBe(0);
  });

  it('shows the costs if one is known, with the largest providers first and the others together', () => {
    const { measure, names, hasOthers, bars } = toUsageBars(
      [
        day('2026-11-23', { a: count(1, '1'), b: count(1, '4'), c: count(9, '0.5'), d: count(9) }),
        day('2026-11-21', { a: count(1, '2'), e: count(1, '0.25') }),
      ],
      NOW,
    );

    expect([measure, names, hasOthers]).toEqual(['cost', ['b', 'a'], true]);
    expect(bars.at(-1)).toEqual({ day: '2026-11-23', parts: [4, 1, 0.5], total: 5.5 });
    expect(bars.at(-3)).toEqual({ day: '2026-11-21', parts: [0, 2, 0.25], total: 2.25 });
  });

  it('leaves out the days before, and counts images if no cost is known', () => {
    const { measure, bars } = toUsageBars(
      [day('2026-11-23', { a: count(2) }), day('2026-10-01', { a: count(9, '3') })],
      NOW,
    );

    expect([measure, bars.at(-1)?.total]).toEqual(['images', 2]);
    expect(bars.reduce((sum, { total }) => sum + total, 0)).toBe(2);
  });
});
