import { describe, expect, it } from 'vitest';
import type { UsageReport } from '../../../dashboard/src/api/schemas.ts';
import { sumByProvider } from '../../../dashboard/src/usage/sum-by-provider.ts';

type Day = UsageReport['items'][number];
type Counts = Day['by_provider'][string];

const counts = (images: number, cost: Day['cost'], unknown_images = 0): Counts => ({
  images,
  failed: 0,
  unknown: 0,
  lost: 0,
  cost,
  unknown_images,
});
const day = (by_provider: Day['by_provider']): Day => ({
  ...counts(0, { basis: 'free' }),
  day: '2026-11-22',
  by_provider,
});

describe('sumByProvider', () => {
  it('adds the days of each provider, most images first', () => {
    const sums = sumByProvider([
      day({
        fal: counts(1, { basis: 'priced', amount: '0.25', currency: 'USD' }),
        local: counts(3, { basis: 'free' }),
      }),
      day({ fal: counts(4, { basis: 'reported', amount: '0.5', currency: 'USD' }) }),
    ]);

    expect(sums).toEqual([
      {
        provider: 'fal',
        images: 5,
        cost: { basis: 'priced', amount: '0.75', currency: 'USD' },
        unpriced: 0,
      },
      {
        provider: 'local',
        images: 3,
        cost: { basis: 'free', amount: '0', currency: 'USD' },
        unpriced: 0,
      },
    ]);
  });

  it('never calls a sum with an unknown part known', () => {
    const [sum] = sumByProvider([
      day({ fal: counts(1, { basis: 'priced', amount: '0.25', currency: 'USD' }) }),
      day({ fal: counts(2, { basis: 'unknown', known_amount: '0.5' }, 1) }),
    ]);

    expect(sum).toMatchObject({ cost: { basis: 'unknown', known_amount: '0.75' }, unpriced: 1 });
  });
});
