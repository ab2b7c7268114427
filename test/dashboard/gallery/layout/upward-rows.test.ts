import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Frame,
  layoutRows,
  type Shape,
  tilesOf,
} from '../../../../dashboard/src/gallery/layout/row-layout.ts';
import {
  upwardRows,
  withoutOpenRow,
} from '../../../../dashboard/src/gallery/layout/upward-rows.ts';

const FRAME: Frame = { width: 1000, rowHeight: 200, gap: 6, heading: 38 };

const shapesOf = (ratios: readonly number[], day = 0): Shape[] =>
  ratios.map((ratio, index) => ({ id: `${day}-${ratios.length - index}`, ratio, day }));
const ratios = fc.array(fc.double({ min: 0.5, max: 3, noNaN: true }), {
  minLength: 1,
  maxLength: 60,
});

const upward = (shapes: readonly Shape[], isWhole = true) =>
  layoutRows(shapes, FRAME, (list, from, to) => ({
    ends: upwardRows(list, from, to, FRAME),
    isWhole,
  }));

/** Returns the rows without their tops, from the last to the first. */
const fromEnd = (shapes: readonly Shape[], isWhole = true) => {
  const layout = upward(shapes, isWhole);
  return layout.rows
    .map((row) => ({ height: row.height, tiles: tilesOf(layout, row) }))
    .toReversed();
};

describe('upwardRows', () => {
  it('keeps every card once and in order', () => {
    fc.assert(
      fc.property(ratios, (list) => {
        const shapes = shapesOf(list);

        const layout = upward(shapes);

        const tiles = layout.rows.flatMap((row) => tilesOf(layout, row));
        expect(tiles.map(({ id }) => id)).toEqual(shapes.map(({ id }) => id));
      }),
    );
  });

  it('fills the width exactly with every row except the first', () => {
    fc.assert(
      fc.property(ratios, (list) => {
        const layout = upward(shapesOf(list));
        for (const row of layout.rows.slice(1)) {
          const last = tilesOf(layout, row).at(-1);
          expect(last && last.left + last.width).toBe(FRAME.width);
        }
      }),
    );
  });

  it('changes at most the first row when newer cards are put above', () => {
    fc.assert(
      fc.property(ratios, ratios, (newer, older) => {
        const before = fromEnd(shapesOf(older));

        const after = fromEnd(shapesOf([...newer, ...older]));

        expect(after.slice(0, before.length - 1)).toEqual(before.slice(0, -1));
      }),
    );
  });

  it('lays out each day of its own', () => {
    const days = [...shapesOf([1, 1], 2), ...shapesOf([1.5], 1)];

    expect(upward(days).rows.map(({ end }) => end)).toEqual([2, 3]);
  });
});

describe('withoutOpenRow', () => {
  it('leaves out the cards of a first row that newer cards would change', () => {
    fc.assert(
      fc.property(ratios, ratios, (newer, older) => {
        const below = shapesOf([1], -1);
        const part = shapesOf(older);

        const shown = withoutOpenRow([...part, ...below], part.length, FRAME).slice(0, -1);

        const all = fromEnd(shapesOf([...newer, ...older]));
        const rows = shown.length === 0 ? [] : fromEnd(shown, false);
        expect(all.slice(0, rows.length)).toEqual(rows);
      }),
    );
  });

  it('leaves out no card if there are no others', () => {
    const only = shapesOf([1]);

    expect(withoutOpenRow(only, 1, FRAME)).toEqual(only);
  });
});
