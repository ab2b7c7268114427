import { describe, expect, test } from 'vitest';
import { checkCalls } from './ledger-model.ts';
import type { Sale } from './services.ts';

function sale(more: Partial<Sale>): Sale {
  return {
    ...{ requestId: 'request', action: 'a1', service: 'first', indices: [0], attempt: 1, life: 1 },
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
