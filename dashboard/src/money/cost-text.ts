import { type Cost, formatDollars } from './money.ts';
import { text } from './money-text.ts';

/** Returns a cost in words: an amount, nothing, not known, or the known part of a sum. */
export function toCostText({ amount, known_amount: part, basis }: Cost): string {
  if (basis === 'free') return text('money.cost.free');
  if (amount !== undefined) return formatDollars(amount);
  if (part !== undefined && Number(part) > 0) {
    return text('money.cost.part', { amount: formatDollars(part) });
  }
  return text('money.cost.unknown');
}
