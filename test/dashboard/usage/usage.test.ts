import { describe, expect, it } from 'vitest';
import { usageColumns } from '../../../dashboard/src/usage/usage.ts';

const counts = { images: 0, failed: 0, unknown: 0, lost: 0, unknown_images: 0 };
const cost = { amount: '0', currency: 'USD', basis: 'free' } as const;
const day = { day: '2026-03-03', ...counts, cost, by_provider: {}, by_model: [] };

describe('usageColumns', () => {
  it('always contains `images` and `failed`', () => {
    expect(usageColumns([])).toEqual(['images', 'failed']);
    expect(usageColumns([day])).toEqual(['images', 'failed']);
  });

  it.each(['unknown', 'lost'] as const)('contains `%s` if any day counts such images', (column) => {
    const days = [day, { ...day, [column]: 2 }, day];

    expect(usageColumns(days)).toEqual(['images', 'failed', column]);
  });
});
