import { describe, expect, it } from 'vitest';
import type { Family } from '../../../../dashboard/src/api/schemas.ts';
import { layOut } from '../../../../dashboard/src/job/family/family-layout.ts';
import { reach, toTree } from '../../../../dashboard/src/job/family/family-tree.ts';
import { artifacts, summary } from '../../support/job-summary.ts';

interface Made {
  readonly id: string;
  readonly images?: number;
  /** The jobs whose images were used, each with the position of the image. */
  readonly from?: readonly (readonly [id: string | undefined, image: number])[];
}

/** Returns a family of jobs with short ids. */
function family(made: readonly Made[], left = 0): Family {
  const items = made.map(({ id, images = 1, from }, distance) => ({
    ...summary({ id, artifacts: artifacts(images) }),
    distance,
    ...(from && {
      derived_from: from.map(([job, image], input) => ({
        input,
        artifact_id: `image of ${job}`,
        ...(job !== undefined && { job_id: job }),
        image,
        name: 'lake.png',
        width: 3,
        height: 2,
        created: 9,
      })),
    }),
  }));
  return { items, total: { count: items.length + left, at_least: false } };
}

const FAMILY = family([
  { id: 'a', images: 2 },
  { id: 'c', from: [['a', 1]] },
  { id: 'b', images: 6, from: [['a', 0]] },
  { id: 'd', from: [['b', 0]] },
  { id: 'e', from: [['a', 0]] },
]);

const inTree = (given: Family) =>
  toTree(given).map(({ id, column, row, parent }) => [id, column, row, parent?.id]);

describe('toTree', () => {
  it('gives each generation a column and each branch a row, the oldest first', () => {
    expect(inTree(FAMILY)).toEqual([
      ['a', 0, 0, undefined],
      ['b', 1, 0, 'a'],
      ['d', 2, 0, 'b'],
      ['c', 1, 1, 'a'],
      ['e', 1, 2, 'a'],
    ]);
  });

  it('knows which images were used', () => {
    expect(toTree(FAMILY).map(({ used }) => [...used])).toEqual([[0, 1], [0], [], [], []]);
  });

  it('places a job with several parents behind the first one that is known', () => {
    const given = family([
      { id: 'a' },
      { id: 'b' },
      {
        id: 'c',
        from: [
          ['x', 0],
          ['b', 0],
          ['a', 0],
        ],
      },
    ]);

    expect(inTree(given)).toEqual([
      ['a', 0, 0, undefined],
      ['b', 0, 1, undefined],
      ['c', 1, 1, 'b'],
    ]);
  });

  it('keeps the image of a removed job, unless distant jobs were left out', () => {
    const made = [
      { id: 'b', from: [['a', 0]] },
      { id: 'c', from: [['b', 0]] },
    ] as const;

    const [gone, ...others] = toTree(family(made));

    expect(gone).toMatchObject({ column: 0, kin: { kind: 'gone', image: { name: 'lake.png' } } });
    expect(others.map(({ column }) => column)).toEqual([1, 2]);
    expect(inTree(family(made, 5))).toEqual([
      ['b', 0, 0, undefined],
      ['c', 1, 0, 'b'],
    ]);
  });

  it('places each job of a cycle once', () => {
    const given = family([
      { id: 'a', from: [['c', 0]] },
      { id: 'b', from: [['a', 0]] },
      { id: 'c', from: [['b', 0]] },
    ]);

    expect(inTree(given).map(([id]) => id)).toEqual(['a', 'b', 'c']);
  });
});

describe('reach', () => {
  const from = (place: string, number: number) => (key: string) => {
    const to = reach(toTree(FAMILY), { place, number }, key);
    return to && `${to.place}.${to.number}`;
  };

  it.each([
    ['a', 1, 'ArrowRight', 'a.2'],
    ['a', 2, 'ArrowRight', 'b.1'],
    ['b', 4, 'ArrowRight', 'd.1'],
    ['c', 1, 'ArrowLeft', 'a.2'],
    ['b', 2, 'ArrowLeft', 'b.1'],
    ['b', 1, 'ArrowDown', 'c.1'],
    ['e', 1, 'ArrowUp', 'c.1'],
    ['d', 1, 'Home', 'a.1'],
    ['a', 1, 'ArrowLeft', undefined],
    ['e', 1, 'ArrowDown', undefined],
    ['e', 1, 'x', undefined],
    ['unknown', 1, 'Home', undefined],
  ] as const)('leads from image %s.%i with %s to %s', (place, number, key, to) => {
    expect(from(place, number)(key)).toBe(to);
  });
});

describe('layOut', () => {
  it('draws a line to each child, and the line to the job in view last', () => {
    const { lines, boxes, width, height } = layOut(toTree(FAMILY), 'd');

    expect(lines.map(({ isStrong }) => isStrong)).toEqual([false, false, true, true]);
    expect(boxes.map(({ left, width: own }) => left + own <= width)).not.toContain(false);
    expect(new Set(boxes.map(({ left, top }) => `${left} ${top}`)).size).toBe(5);
    expect(height).toBe(3 * 66);
  });
});
