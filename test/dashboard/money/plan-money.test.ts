import { describe, expect, it } from 'vitest';
import type { ImagePlan, UsageReport } from '../../../dashboard/src/api/schemas.ts';
import { resetsAt, toPlanMoney } from '../../../dashboard/src/money/plan-money.ts';

type Route = ImagePlan['routes'][number];
type Budget = NonNullable<UsageReport['caller']['budget']>;

const route = (cost: Route['cost'], change: Partial<Route> = {}): Route => ({
  provider: 'openai',
  model: 'gpt-image-2',
  ready: true,
  calls: 1,
  effective: {} as Route['effective'],
  normalizations: [],
  warnings: [],
  ...(cost && { cost }),
  ...change,
});
const priced = (amount: string, bound: 'exact' | 'at_most' = 'exact'): Route =>
  route({ amount, currency: 'USD', basis: 'priced', bound });
const free = route({ basis: 'free' });
const unknown = route({ basis: 'unknown' });
const planOf = (...routes: Route[]): ImagePlan => ({ chosen: 0, routes });
const budget = (change: Partial<Budget> = {}): Budget => ({
  currency: 'USD',
  per_day: '1.00',
  used_today: '0.70',
  used_this_month: '2',
  unknown_cost: 'refuse',
  ...change,
});

describe('toPlanMoney', () => {
  it.each([
    ['an exact price', [priced('0.16')], 'exactly'],
    ['an upper bound', [priced('0.16', 'at_most')], 'atMost'],
    ['a fallback of another price', [priced('0.16'), free], 'orFallback'],
    ['a fallback of the same price', [priced('0.16'), priced('0.16')], 'exactly'],
    ['no price at all', [unknown], 'unknown'],
    ['a service of the own machine', [free], 'free'],
  ] as const)('tells %s apart', (_, routes, basis) => {
    expect(toPlanMoney(planOf(...routes), 4, undefined)).toMatchObject({ basis, isBeyond: false });
  });

  it('says nothing about a request that the model refuses', () => {
    const error = { code: 'unsupported_capability', details: {}, message: '', suggestions: [] };
    const refused = route(undefined, {
      error: { ...error, retryable: false } as Route['error'] & {},
    });

    expect(toPlanMoney(planOf(refused), 1, undefined)).toBeUndefined();
  });

  it('finds how many images the budget still permits', () => {
    expect(toPlanMoney(planOf(priced('0.4')), 4, budget())).toMatchObject({
      isBeyond: true,
      affordable: 3,
      left: { period: 'day', budget: 1 },
    });
    expect(toPlanMoney(planOf(priced('0.3')), 3, budget())).toMatchObject({ isBeyond: false });
  });

  it('takes the most expensive route, because the bridge reserves its cost', () => {
    expect(toPlanMoney(planOf(free, priced('0.4')), 1, budget())?.isBeyond).toBe(true);
  });

  it('takes the budget of which less is left', () => {
    const both = budget({ per_month: '2.10' });

    expect(toPlanMoney(planOf(free), 1, both)?.left?.period).toBe('month');
  });

  it('counts unknown costs as the token says', () => {
    expect(toPlanMoney(planOf(unknown), 1, budget())).toMatchObject({
      counted: 'refused',
      isBeyond: true,
    });
    expect(toPlanMoney(planOf(unknown), 2, budget({ unknown_cost: '0.1' }))).toMatchObject({
      counted: 0.1,
      isBeyond: false,
    });
    expect(toPlanMoney(planOf(unknown), 4, budget({ unknown_cost: '0.1' }))).toMatchObject({
      isBeyond: true,
      affordable: 3,
    });
    expect(toPlanMoney(planOf(unknown), 4, undefined)?.counted).toBeUndefined();
  });
});

describe('resetsAt', () => {
  it.each([
    ['day', '2026-11-30T23:59:00Z', '2026-12-01T00:00:00Z'],
    ['month', '2026-12-05T10:00:00Z', '2027-01-01T00:00:00Z'],
  ] as const)('is the next %s in UTC', (period, now, start) => {
    expect(resetsAt(period, Date.parse(now))).toBe(Date.parse(start) / 1000);
  });
});
