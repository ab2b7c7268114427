import { describe, expect, it } from 'vitest';
import type { UsageReport } from '../../../dashboard/src/api/schemas.ts';
import { sumByModel } from '../../../dashboard/src/usage/sum-by-model.ts';

type Day = UsageReport['items'][number];
type Entry = Day['by_model'][number];

const ONE = { provider: 'fal', model: 'flux' };
const counts = (images: number, cost: Day['cost'], unknown_images = 0) => ({
  ...{ images, failed: 0, unknown: 0, lost: 0 },
  ...{ cost, unknown_images },
});
const priced = (amount: string) => ({ basis: 'priced', amount, currency: 'USD' }) as const;
const day = (by_model: readonly Entry[]): Day => ({
  ...counts(0, { basis: 'free' }),
  ...{ day: '2026-11-22', by_provider: {}, by_model: [...by_model] },
});

describe('sumByModel', () => {
  it('adds the days of each model, most images first', () => {
    const sums = sumByModel([
      day([
        { ...ONE, ...counts(1, priced('0.25')) },
        { provider: 'local', model: 'flux', ...counts(3, { basis: 'free' }) },
      ]),
      day([
        { ...ONE, ...counts(4, { basis: 'reported', amount: '0.5', currency: 'USD' }) },
        { provider: 'fal', ...counts(2, { basis: 'unknown' }, 2) },
      ]),
    ]);

    expect(sums).toEqual([
      { ...ONE, images: 5, cost: priced('0.75'), unpriced: 0, each: 0.15 },
      {
        ...{ provider: 'local', model: 'flux', images: 3, unpriced: 0, each: undefined },
        cost: { basis: 'free', amount: '0', currency: 'USD' },
      },
      {
        ...{ provider: 'fal', model: undefined, images: 2, unpriced: 2, each: undefined },
        cost: { basis: 'unknown', known_amount: '0' },
      },
    ]);
  });

  it('never calls a sum with an unknown part known, and divides only its known part', () => {
    const [sum] = sumByModel([
      day([{ ...ONE, ...counts(1, priced('0.25')) }]),
      day([{ ...ONE, ...counts(2, { basis: 'unknown', known_amount: '0.25' }, 1) }]),
    ]);

    expect(sum).toMatchObject({
      ...{ cost: { basis: 'unknown', known_amount: '0.5' }, unpriced: 1, each: 0.25 },
    });
  });

  it('puts the sum of the other models last', () => {
    const sums = sumByModel([
      day([
        { others: 3, ...counts(90, { basis: 'free' }) },
        { ...ONE, ...counts(1, { basis: 'free' }) },
      ]),
    ]);

    expect(sums.map(({ provider, images }) => [provider, images])).toEqual([
      ['fal', 1],
      [undefined, 90],
    ]);
  });
});
