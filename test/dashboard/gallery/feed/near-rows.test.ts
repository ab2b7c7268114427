import { describe, expect, it } from 'vitest';
import { nearRows } from '../../../../dashboard/src/gallery/feed/near-rows.ts';

/** Returns rows of 100 pixels, each with this number of cards. */
const rowsOf = (count: number, cards: number) =>
  Array.from({ length: count }, (_, row) => ({
    top: row * 100,
    height: 90,
    first: row * cards,
    end: (row + 1) * cards,
  }));

describe('nearRows', () => {
  it.each([
    [0, 0, [0, 1, 2]],
    [0, 2, [0, 1, 2, 3, 4]],
    [1000, 2, [8, 9, 10, 11, 12, 13, 14]],
    [1050, 0, [10, 11, 12, 13]],
    [1999, 1, [18, 19]],
  ])(
    'has the rows in a viewport of 300 pixels at %i, and %i beyond each edge',
    (top, spare, expected) => {
      expect(nearRows(rowsOf(20, 2), { top, height: 300 }, spare)).toEqual(expected);
    },
  );

  it('has the nearest rows if the viewport is beyond all rows', () => {
    expect(nearRows(rowsOf(20, 2), { top: 9000, height: 300 }, 1)).toEqual([18, 19]);
  });

  it('has at most 60 cards, unless more are in the viewport', () => {
    expect(nearRows(rowsOf(20, 12), { top: 500, height: 300 }, 3)).toEqual([4, 5, 6, 7, 8]);
    expect(nearRows(rowsOf(20, 30), { top: 500, height: 300 }, 3)).toEqual([5, 6, 7]);
  });

  it('has no row before the size of the viewport is known', () => {
    expect(nearRows(rowsOf(20, 2), { top: 0, height: 0 }, 3)).toEqual([]);
  });
});
