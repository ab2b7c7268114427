import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Direction,
  type Frame,
  type Layout,
  layoutRows,
  neighbour,
  rowFrame,
  rowOf,
  type Shape,
  tileRatio,
  tilesOf,
} from '../../../../dashboard/src/gallery/layout/row-layout.ts';
import { artifacts, summary } from '../../support/job-summary.ts';

const FRAME: Frame = { width: 1000, rowHeight: 200, gap: 6, heading: 38 };

const shapesOf = (ratios: readonly number[], day = 0): Shape[] =>
  ratios.map((ratio, index) => ({ id: `${day}-${index}`, ratio, day }));

const ratios = fc.array(fc.double({ min: 0.5, max: 3, noNaN: true }), { maxLength: 60 });

const tilesOfRow = (layout: Layout, index: number) => tilesOf(layout, layout.rows[index]);

function widthOf(layout: Layout, index: number): number | undefined {
  const tile = tilesOfRow(layout, index).at(-1);
  return tile && tile.left + tile.width;
}

describe('layoutRows', () => {
  it('fills the width exactly with every row except the last', () => {
    fc.assert(
      fc.property(ratios, (list) => {
        const layout = layoutRows(shapesOf(list), FRAME);
        for (let index = 0; index < layout.rows.length - 1; index += 1) {
          expect(widthOf(layout, index)).toBe(FRAME.width);
        }
      }),
    );
  });

  it('keeps every card once, in reading order, without overlaps', () => {
    fc.assert(
      fc.property(ratios, (list) => {
        const shapes = shapesOf(list);
        const layout = layoutRows(shapes, FRAME);
        const { rows } = layout;
        expect(rows.flatMap((row) => tilesOf(layout, row).map(({ id }) => id))).toEqual(
          shapes.map(({ id }) => id),
        );
        for (const [index, row] of rows.entries()) {
          const tiles = tilesOf(layout, row);
          const below = rows[index + 1];
          if (below) expect(below.top).toBeGreaterThanOrEqual(row.top + row.height + FRAME.gap);
          for (const [at, tile] of tiles.entries()) {
            expect(rowOf(layout, tile.id)).toBe(index);
            const next = tiles[at + 1];
            if (next) expect(next.left).toBe(tile.left + tile.width + FRAME.gap);
          }
        }
      }),
    );
  });

  it('gives each card approximately its own ratio', () => {
    const { rows, widths } = layoutRows(shapesOf([1.5, 1, 0.66, 1.5, 1, 1.78, 0.56, 1]), FRAME);
    expect((widths[0] ?? 0) / (rows[0]?.height ?? 1)).toBeCloseTo(1.5, 1);
  });

  it('chooses the number of cards whose height is nearest to the target', () => {
    // A row of five squares would be 195 px high, a row of four 245 px.
    expect(layoutRows(shapesOf([1, 1, 1, 1, 1, 1]), FRAME).rows[0]?.end).toBe(5);
    // With the panorama the row would be 142 px high, without it 245 px.
    const { rows } = layoutRows(shapesOf([1, 1, 1, 1, 3, 1]), FRAME);
    expect(rows[0]?.end).toBe(4);
  });

  it('keeps the height of a last row unless the row is nearly full', () => {
    const short = layoutRows(shapesOf([1, 1]), FRAME);
    expect(short.rows[0]).toMatchObject({ height: 200 });
    expect(widthOf(short, 0)).toBe(406);

    const nearlyFull = layoutRows(shapesOf([1, 1, 1, 1]), FRAME);
    expect(widthOf(nearlyFull, 0)).toBe(1000);
  });

  it('starts each day below its own heading', () => {
    const layout = layoutRows([...shapesOf([1, 1], 2), ...shapesOf([1.5], 1)], FRAME);
    expect(layout.days).toEqual([
      { day: 2, top: 0, height: 38 + 206, firstRow: 0, endRow: 1 },
      { day: 1, top: 244, height: 38 + 206, firstRow: 1, endRow: 2 },
    ]);
    expect(layout.rows.map(({ top }) => top)).toEqual([38, 282]);
    expect(layout.height).toBe(488);
  });

  it('changes only the last row when cards are appended', () => {
    fc.assert(
      fc.property(ratios, ratios, (before, more) => {
        const short = layoutRows(shapesOf(before), FRAME).rows.slice(0, -1);
        const long = layoutRows(shapesOf([...before, ...more]), FRAME).rows;
        expect(long.slice(0, short.length)).toEqual(short);
      }),
    );
  });

  it('limits a card that is too wide to the width of the frame', () => {
    const { rows, widths } = layoutRows(shapesOf([3, 3]), { ...FRAME, width: 320 });
    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatchObject({ height: 107, first: 0, end: 1 });
    expect(widths).toEqual([320, 320]);
  });

  it('returns an empty layout without cards', () => {
    expect(layoutRows([], FRAME)).toMatchObject({ days: [], rows: [], height: 0 });
  });
});

describe('rowFrame', () => {
  it.each([
    [360, 128, 4],
    [768, 168, 6],
    [1280, 190, 6],
    [1920, 236, 8],
    [3840, 320, 8],
  ])(
    'returns for a window of %d px rows of %d px with gaps of %d px',
    (windowWidth, rowHeight, gap) => {
      expect(rowFrame(windowWidth, 300, 1)).toMatchObject({ width: 300, rowHeight, gap });
    },
  );

  it('applies the chosen scale if the window is wide enough', () => {
    expect(rowFrame(1280, 800, 1.5).rowHeight).toBe(285);
    expect(rowFrame(390, 366, 1.5).rowHeight).toBe(128);
  });
});

describe('tileRatio', () => {
  it.each([
    ['one image', 1, 1.5],
    ['two, beside each other', 2, 3],
    ['three: one large, two small beside it', 3, 2.25],
    ['four, in two rows', 4, 1.5],
    ['nine, of which four are seen', 9, 1.5],
  ])('returns the ratio of the images: %s', (_what, count, ratio) => {
    const job = summary({ status: 'succeeded', artifacts: artifacts(count, 1536, 1024) });
    expect(tileRatio(job)).toBe(ratio);
  });

  it.each(['queued', 'running'] as const)(
    'returns the expected ratio while the job is %s',
    (status) => {
      expect(tileRatio(summary({ status, size: '1024x1536' }))).toBeCloseTo(2 / 3);
      expect(tileRatio(summary({ status, size: '1024x1024', outputs: 2 }))).toBe(2);
      expect(tileRatio(summary({ status, size: 'auto' }))).toBe(1.5);
    },
  );

  it.each(['failed', 'cancelled', 'interrupted'] as const)('returns 3:2 for a %s job', (status) => {
    expect(tileRatio(summary({ status, size: '1024x1536' }))).toBe(1.5);
  });

  it('limits very narrow and very wide ratios', () => {
    const of = (width: number, height: number) =>
      tileRatio(summary({ status: 'succeeded', artifacts: artifacts(1, width, height) }));
    expect(of(100, 10_000)).toBe(0.5);
    expect(of(10_000, 100)).toBe(3);
  });
});

const shape = (id: string, ratio: number, day: number) => ({ id, ratio, day });

// Three days with one row each: a (left half) and b; c, d and e; f in the left quarter.
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

  it('returns undefined for an unknown card', () => {
    expect(neighbour(layout, 'x', 'left')).toBeUndefined();
  });
});
