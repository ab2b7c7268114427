import { describe, expect, test } from 'vitest';
import {
  amountOfNumber,
  amountText,
  parseAmount,
  sumCosts,
  toWireCost,
} from '../../../../lib/contract/reply/cost.ts';

describe('amounts', () => {
  test.each([
    ['0', 0n],
    ['0.04', 400_000_000n],
    ['0.0000000001', 1n],
    ['12.5', 125_000_000_000n],
    ['99999999.9999999999', 999_999_999_999_999_999n],
  ])(
    'the text %s is an exact integer, and the integer is written as the same text',
    (text, amount) => {
      expect(parseAmount(text)).toBe(amount);
      expect(amountText(amount)).toBe(text);
    },
  );

  test.each(['', '-1', '+1', '.5', '1.', '1e3', '0.00000000001', '100000000', ' 1', '1,5'])(
    'the text "%s" is not an amount',
    (text) => {
      expect(parseAmount(text)).toBeUndefined();
    },
  );

  test('a number of dollars is rounded to the nearest unit, and other numbers are no amounts', () => {
    expect(amountOfNumber(0.1 + 0.2)).toBe(3_000_000_000n);
    expect(amountOfNumber(0.00000125)).toBe(12_500n);
    for (const number of [-0.01, Number.NaN, Number.POSITIVE_INFINITY, 1e12]) {
      expect(amountOfNumber(number)).toBeUndefined();
    }
  });

  test('the sum of a million prices of one token is exact', () => {
    const price = parseAmount('0.00000125') ?? 0n;
    expect(amountText(price * 1_000_000n)).toBe('1.25');
  });
});

describe('sumCosts', () => {
  const reported = { amount: 400_000_000n, basis: 'reported' } as const;

  test('the basis of a sum is the weakest basis of its parts', () => {
    const priced = { amount: 100_000_000n, basis: 'priced' } as const;
    expect(toWireCost(sumCosts([reported, { amount: 0n, basis: 'free' }]))).toEqual({
      amount: '0.04',
      currency: 'USD',
      basis: 'reported',
    });
    expect(toWireCost(sumCosts([reported, priced]))).toEqual({
      amount: '0.05',
      currency: 'USD',
      basis: 'priced',
    });
  });

  test('a sum with an unknown part has no amount, and names its known part', () => {
    const unknown = { amount: 0n, basis: 'unknown' } as const;
    expect(toWireCost(sumCosts([unknown]))).toEqual({ basis: 'unknown' });
    expect(toWireCost(sumCosts([reported, unknown]))).toEqual({
      known_amount: '0.04',
      currency: 'USD',
      basis: 'unknown',
    });
  });
});
