import type { Layout } from '../layout/row-layout.ts';

/** The part of the gallery that is in the viewport, in CSS pixels. */
export interface Viewport {
  readonly top: number;
  readonly height: number;
}

/** The largest number of rows that are rendered beyond each edge of the viewport. */
export const MAX_SPARE = 3;

/** The maximum number of rendered cards. If the rows in the viewport have more cards, all these cards are rendered. */
const MAX_CARDS = 60;

/**
 * Returns the indexes of the rows in the viewport, and of at most `spare` rows beyond each edge. Rows beyond the edges
 * are added only up to the maximum number of cards. If the viewport is beyond all rows, the nearest row counts as visible.
 */
export function nearRows(
  rows: Layout['rows'],
  { top, height }: Viewport,
  spare: number,
): readonly number[] {
  if (height === 0) return [];
  const first = Math.max(0, firstBelow(rows, top) - 1);
  const last = Math.max(first, firstBelow(rows, top + height - 1) - 1);
  const indexes: number[] = [];
  let cards = 0;
  const add = (index: number) => {
    const { first: from = 0, end = 0 } = rows[index] ?? {};
    const count = end - from;
    const isVisible = index >= first && index <= last;
    if (count === 0 || !(isVisible || cards + count <= MAX_CARDS)) return;
    indexes.push(index);
    cards += count;
  };
  for (let index = first; index <= last; index += 1) add(index);
  for (let step = 1; step <= spare; step += 1) {
    add(last + step);
    add(first - step);
  }
  return indexes.sort((a, b) => a - b);
}

/** Returns the index of the first row whose top is below `y`, or the number of rows. */
function firstBelow(rows: Layout['rows'], y: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle]?.top ?? 0) > y) high = middle;
    else low = middle + 1;
  }
  return low;
}
