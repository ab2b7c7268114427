import type { UsageReport } from '../api/schemas.ts';
import { knownDollars } from '../money/money.ts';

type Day = UsageReport['items'][number];
type Entry = Day['by_model'][number];

/** The name of a model. Without `model`, the images of a provider whose model is not recorded, or of all models without a name. */
export interface ModelName {
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
}

/** The images and the cost of a model over several days. */
export interface ModelSum extends ModelName {
  readonly images: number;
  readonly cost: Day['cost'];
  /** The number of images whose cost is unknown. */
  readonly unpriced: number;
  /** The average cost of an image whose cost is known, in US dollars. Undefined if no cost is known, or if all images are free. */
  readonly each: number | undefined;
}

/** Returns a text that is equal for equal models. */
export function modelKey({ provider, model }: ModelName): string {
  return JSON.stringify([provider, model]);
}

/** Adds up the days by model, the most images first. The sum of the models without a name is last. */
export function sumByModel(items: readonly Day[]): readonly ModelSum[] {
  const entries = items.flatMap(({ by_model: models }) => models);
  return [...Map.groupBy(entries, modelKey).values()]
    .flatMap((own) => {
      const [first] = own;
      if (first === undefined) return [];
      const { provider, model } = first;
      const add = (of: (entry: Entry) => number) => own.reduce((sum, entry) => sum + of(entry), 0);
      const cost = sumCosts(own.map((entry) => entry.cost));
      const unpriced = add((entry) => entry.unknown_images);
      const images = add((entry) => entry.images);
      const priced = add((entry) => entry.images + entry.unknown) - unpriced;
      const dollars = knownDollars(cost);
      const each = dollars > 0 && priced > 0 ? dollars / priced : undefined;
      return [{ provider, model, images, cost, unpriced, each }];
    })
    .toSorted(
      (one, two) =>
        Number(one.provider === undefined) - Number(two.provider === undefined) ||
        two.images - one.images,
    );
}

const BASES = ['free', 'reported', 'priced', 'unknown'] as const;

/** Adds costs. The basis of the sum is its weakest basis. */
export function sumCosts(costs: readonly Day['cost'][]): Day['cost'] {
  const basis = BASES[Math.max(0, ...costs.map((cost) => BASES.indexOf(cost.basis)))] ?? 'unknown';
  const sum = String(costs.reduce((dollars, cost) => dollars + knownDollars(cost), 0));
  return basis === 'unknown'
    ? { basis, known_amount: sum }
    : { basis, amount: sum, currency: 'USD' };
}
