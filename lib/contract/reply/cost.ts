import * as v from 'valibot';
import { documented } from '../schema/fields.ts';

/** An amount of money as an integer number of 10^-10 US dollars. Prices of single tokens are exact in this unit. */
export type Amount = bigint;

const DECIMALS = 10;
const ONE_DOLLAR = 10n ** BigInt(DECIMALS);

/** The largest cost of a call. A larger figure is a mistake of the service or of a price. */
export const MAX_CALL_COST: Amount = 10_000n * ONE_DOLLAR;

/** The text of an amount: at most 8 digits, and at most 10 decimals. */
export const AMOUNT = /^(\d{1,8})(?:\.(\d{1,10}))?$/;

/** Parses the decimal text of an amount in US dollars. Returns undefined for any other text. */
export function parseAmount(text: string): Amount | undefined {
  const [, whole, decimals = ''] = AMOUNT.exec(text) ?? [];
  if (whole === undefined) return undefined;
  return BigInt(whole) * ONE_DOLLAR + BigInt(decimals.padEnd(DECIMALS, '0'));
}

/**
 * Converts a number of US dollars from a reply to an amount, rounded to 10^-10 US dollars. Returns undefined for a number that
 * cannot be an amount.
 */
export function amountOfNumber(dollars: number): Amount | undefined {
  return dollars >= 0 && dollars < 1e8 ? parseAmount(dollars.toFixed(DECIMALS)) : undefined;
}

/** Returns the decimal text of an amount in US dollars, without trailing zeros. */
export function amountText(amount: Amount): string {
  const sign = amount < 0n ? '-' : '';
  const digits = (amount < 0n ? -amount : amount).toString().padStart(DECIMALS + 1, '0');
  const decimals = digits.slice(-DECIMALS).replace(/0+$/, '');
  return `${sign}${digits.slice(0, -DECIMALS)}${decimals === '' ? '' : `.${decimals}`}`;
}

/** The bases of a cost. The basis of a sum is the last of the bases of its parts in this order. */
export const COST_BASES = ['free', 'reported', 'priced', 'unknown'] as const;
export type CostBasis = (typeof COST_BASES)[number];

const AmountText = v.pipe(v.string(), v.regex(AMOUNT));

export const costEntries = {
  amount: documented(
    v.optional(AmountText),
    'The amount as decimal text. Absent if the cost is unknown, because an unknown cost is never 0.',
  ),
  known_amount: documented(
    v.optional(AmountText),
    'The known part of a sum whose basis is `unknown`.',
  ),
  currency: documented(v.optional(v.literal('USD')), 'Present with an amount.'),
  basis: documented(
    v.picklist(COST_BASES),
    '`reported` by the provider, `priced` from the price list, `free`, or `unknown`. The basis of a sum is its weakest basis.',
  ),
};

/** The cost of work that has ended. */
export const WireCost = v.strictObject(costEntries);
export type WireCost = v.InferOutput<typeof WireCost>;

/** A cost, or a sum of costs. */
export interface Cost {
  /** The amount. If the basis is `unknown`, the amount is the known part of the sum. */
  readonly amount: Amount;
  readonly basis: CostBasis;
}

/** The sum of no costs. */
export const NO_COST: Cost = { amount: 0n, basis: 'free' };

/** A cost of which nothing is known. */
export const UNKNOWN_COST: Cost = { amount: 0n, basis: 'unknown' };

/** Returns the sum of two costs. The basis of the sum is the weaker basis. */
export function addCosts(one: Cost, other: Cost): Cost {
  return { amount: one.amount + other.amount, basis: weaker(one.basis, other.basis) };
}

/** Returns the sum of costs. */
export function sumCosts(costs: readonly Cost[]): Cost {
  return costs.reduce(addCosts, NO_COST);
}

function weaker(one: CostBasis, other: CostBasis): CostBasis {
  return COST_BASES.indexOf(one) > COST_BASES.indexOf(other) ? one : other;
}

/** Converts a cost to its form in replies and records. */
export function toWireCost({ amount, basis }: Cost): WireCost {
  if (basis !== 'unknown') return { amount: amountText(amount), currency: 'USD', basis };
  if (amount === 0n) return { basis };
  return { known_amount: amountText(amount), currency: 'USD', basis };
}
