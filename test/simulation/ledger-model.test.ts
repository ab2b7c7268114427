import { describe, expect, test } from 'vitest';
import { checkBudgets, checkCalls, checkKeys, checkSpending } from './ledger-model.ts';
import type { Sale } from './services.ts';

function sale(more: Partial<Sale>): Sale {
  return {
    ...{ requestId: 'request', action: 'a1', service: 'first', indices: [0], attempt: 1, life: 1 },
    atMs: 0,
    price: 2n,
    ...{
      isDispatched: true,
      sold: 0,
      isKnown: true,
      hasTicket: false,
      isTicketStored: false,
      good: [],
    },
    ...more,
  };
}

describe('checkCalls', () => {
  test.each<[string, readonly Sale[]]>([
    ['a call of a sold output', [sale({ sold: 1 }), sale({ attempt: 2 })]],
    ['a call of an unknown output', [sale({ isKnown: false }), sale({ attempt: 2 })]],
    [
      'a fallback after an unknown outcome',
      [sale({ isKnown: false }), sale({ service: 'second' })],
    ],
    ['a fallback after an image', [sale({ sold: 1, good: [0] }), sale({ service: 'second' })]],
    ['a job in two processes', [sale({}), sale({ indices: [1], life: 2 })]],
  ])('finds %s', (_, sales) => {
    const found: string[] = [];

    checkCalls({ sales }, (violation) => found.push(violation));

    expect(found).toHaveLength(1);
  });

  test.each<[string, readonly Sale[]]>([
    ['a retry of a call that made nothing', [sale({}), sale({ attempt: 2 })]],
    ['calls of different outputs', [sale({ sold: 1 }), sale({ indices: [1] })]],
    [
      'a job with a ticket in two processes',
      [sale({ hasTicket: true }), sale({ indices: [1], life: 2 })],
    ],
  ])('allows %s', (_, sales) => {
    const found: string[] = [];

    checkCalls({ sales }, (violation) => found.push(violation));

    expect(found).toEqual([]);
  });
});

describe('checkKeys', () => {
  const again = (atMs: number) => sale({ requestId: 'again', sold: 1, atMs });
  test.each<[string, readonly Sale[], number]>([
    ['finds two requests that sold something', [sale({ sold: 1 }), again(9)], 1],
    ['allows a request after the key was perhaps forgotten', [sale({ sold: 1 }), again(11)], 0],
    ['allows a request after one that sold nothing', [sale({}), again(9)], 0],
    [
      'finds a request after two others',
      [sale({ sold: 1 }), again(11), sale({ requestId: 'third', sold: 1, atMs: 12 })],
      1,
    ],
  ])('%s', (_, sales, count) => {
    const found: string[] = [];
    const rules = {
      isKeyed: () => true,
      areKept: true,
      mayBeForgotten: (one: Sale, later: Sale) => later.atMs - one.atMs > 10,
    };

    checkKeys({ sales }, rules, (violation) => found.push(violation));

    expect(found).toHaveLength(count);
  });
});

describe('the checks of money', () => {
  const payers = { tokens: [{ name: 'birch', budgetPerDay: 10n }], tokenOf: () => 'birch' };
  const day = (amount: number, period = '2026-01-01') => ({ token: 'birch', period, amount });

  test.each([
    ['allow a budget that is used up on each of two days', [day(10), day(10, '2026-01-02')], [], 0],
    ['find a day beyond the budget', [day(11)], [sale({ sold: 1 })], 1],
    ['allow the price of an image that was not requested', [day(12)], [sale({ sold: 2 })], 0],
    ['find more than this price', [day(13)], [sale({ sold: 2 })], 1],
  ])('%s', (_, spending, sales, count) => {
    const found: string[] = [];

    checkBudgets({ spending: () => spending }, { sales }, payers, (text) => found.push(text));

    expect(found).toHaveLength(count);
  });

  test.each([
    [
      'find images that are sold and not charged',
      [day(3)],
      [sale({ sold: 1 }), sale({ sold: 1 })],
      1,
    ],
    ['allow a charge for an image that may have been sold', [day(4)], [sale({ sold: 1 })], 0],
    ['allow an unknown image that was not requested', [day(2)], [sale({ sold: 2 })], 0],
  ])('%s', (_, spending, sales, count) => {
    const found: string[] = [];

    checkSpending({ spending: () => spending }, { sales }, payers, (text) => found.push(text));

    expect(found).toHaveLength(count);
  });
});
