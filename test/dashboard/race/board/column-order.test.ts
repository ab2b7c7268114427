import { describe, expect, it } from 'vitest';
import { columnOrder } from '../../../../dashboard/src/race/board/column-order.ts';

describe('columnOrder', () => {
  it('has each column once, and is the same for the same race', () => {
    const order = columnOrder('lake', 6);

    expect(order.toSorted()).toEqual([0, 1, 2, 3, 4, 5]);
    expect(columnOrder('lake', 6)).toEqual(order);
  });

  it('begins with each column about as often', () => {
    const firsts = Array.from({ length: 600 }, (_, race) => columnOrder(`race ${race}`, 6)[0]);

    for (const column of [0, 1, 2, 3, 4, 5]) {
      expect(firsts.filter((first) => first === column).length).toBeGreaterThan(60);
    }
  });
});
