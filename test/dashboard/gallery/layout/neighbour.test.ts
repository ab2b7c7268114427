import { describe, expect, it } from 'vitest';
import {
  type Direction,
  layoutRows,
  neighbour,
} from '../../../../dashboard/src/gallery/layout/row-layout.ts';

const shape = (id: string, ratio: number, day: number) => ({ id, ratio, day });

// Three days, one row each: a (left half) and b; c, d, e; f over the left quarter.
const layout = layoutRows(
  [
    shape('a', 2.5, 3),
    shape('b', 2.5, 3),
    shape('c', 1, 2),
    shape('d', 3, 2),
    shape('e', 1, 2),
    shape('f', 1, 1),
  ],
  { width: 1000, rowHeight: 200, gap: 0, heading: 0 },
);

describe('neighbour', () => {
  it.each<[string, Direction, string | undefined]>([
    ['a', 'right', 'b'],
    ['b', 'right', 'c'],
    ['c', 'left', 'b'],
    ['a', 'left', undefined],
    ['f', 'right', undefined],
    ['a', 'down', 'c'],
    ['b', 'down', 'e'],
    ['e', 'up', 'b'],
    ['c', 'up', 'a'],
    ['e', 'down', 'f'],
    ['a', 'up', undefined],
    ['f', 'down', undefined],
    ['d', 'first', 'a'],
    ['a', 'last', 'f'],
  ])('leads from %s by %s to %s', (from, direction, to) => {
    expect(neighbour(layout, from, direction)).toBe(to);
  });

  it('leads nowhere from a card that is not there', () => {
    expect(neighbour(layout, 'x', 'left')).toBeUndefined();
  });
});
