import type { ImageResponse } from '../api/schemas.ts';

export type Cost = NonNullable<ImageResponse['cost']>;

/** Returns the known amount of a cost in US dollars, which is 0 if no part of the cost is known. */
export function knownDollars({ amount, known_amount: part }: Cost): number {
  return Number(amount ?? part ?? 0);
}

/** Formats a decimal amount in US dollars with two significant digits or cents, for example $0.16, $0.0042 or $12.40. */
export function formatDollars(amount: string): string {
  const dollars = Number(amount);
  const digits = dollars > 0 && dollars < 0.1 ? { maximumSignificantDigits: 2 } : {};
  return new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', ...digits }).format(
    dollars,
  );
}
