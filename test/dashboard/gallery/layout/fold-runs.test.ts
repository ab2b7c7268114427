import { describe, expect, it } from 'vitest';
import { foldRuns } from '../../../../dashboard/src/gallery/layout/fold-runs.ts';
import type { Shape } from '../../../../dashboard/src/gallery/layout/row-layout.ts';

/** Returns the shapes of a list, such as 'ixx|x': i is an image, x a card with nothing to show, and a bar begins another day. */
function shapesOf(list: string): Shape[] {
  return list
    .split('|')
    .flatMap((day, index) =>
      [...day].map((kind) => ({ ratio: 1.5, day: -index, isEmpty: kind === 'x' })),
    )
    .map((shape, index) => ({ id: String(index), ...shape }));
}

describe('foldRuns', () => {
  it.each([
    ['xxx', [3]],
    ['ixxxxi', [1, 4, 1]],
    ['xxixx', [1, 1, 1, 1, 1]],
    ['xxxixxx', [3, 1, 3]],
    ['xxx|xxxx', [3, 4]],
    ['xx|xx', [1, 1, 1, 1]],
    ['iiii', [1, 1, 1, 1]],
    ['', []],
  ])('%s has cards for these numbers of jobs: %j', (list, counts) => {
    const { cards, runs } = foldRuns(shapesOf(list));

    expect(cards.map(({ count = 1 }) => count)).toEqual(counts);
    expect(cards.flatMap(({ id }) => runs.get(id) ?? [id])).toEqual(
      shapesOf(list).map(({ id }) => id),
    );
  });
});
