import type { UsageReport } from '../api/schemas.ts';
import { knownDollars } from '../money/money.ts';

type Day = UsageReport['items'][number];

/** The images and the cost of a provider over several days. */
export interface ProviderSum {
  readonly provider: string;
  readonly images: number;
  readonly cost: Day['cost'];
  /** The number of images whose cost is unknown. */
  readonly unpriced: number;
}

/** Adds up the days by provider. The provider with the most images is first. */
export function sumByProvider(items: readonly Day[]): readonly ProviderSum[] {
  const names = new Set(items.flatMap(({ by_provider: providers }) => Object.keys(providers)));
  return [...names]
    .map((provider) => {
      const days = items.flatMap(({ by_provider: providers }) => providers[provider] ?? []);
      return {
        provider,
        images: days.reduce((sum, { images }) => sum + images, 0),
        cost: sumCosts(days.map(({ cost }) => cost)),
        unpriced: days.reduce((sum, { unknown_images: unknown }) => sum + unknown, 0),
      };
    })
    .toSorted((one, two) => two.images - one.images);
}

const BASES = ['free', 'reported', 'priced', 'unknown'] as const;

/** Adds costs. The basis of the sum is its weakest basis. */
function sumCosts(costs: readonly Day['cost'][]): Day['cost'] {
  const basis = BASES[Math.max(...costs.map((cost) => BASES.indexOf(cost.basis)))] ?? 'unknown';
  const sum = String(costs.reduce((dollars, cost) => dollars + knownDollars(cost), 0));
  return basis === 'unknown'
    ? { basis, known_amount: sum }
    : { basis, amount: sum, currency: 'USD' };
}
