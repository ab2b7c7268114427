import { describe, expect, test } from 'vitest';
import { estimateRuns, positionsOf, usualDurations } from '../../../lib/jobs/queue-places.ts';

const WORK = { provider: 'sandbox', model: 'sandbox-image', size: '64x64', outputs: 1 };

describe('positionsOf', () => {
  const turns = [
    { scope: 'a', queued: 1 },
    { scope: 'b', queued: 3 },
    { scope: 'c', queued: 2 },
  ];

  test.each([
    ['a', [1]],
    ['b', [2, 4, 6]],
    ['c', [3, 5]],
  ])('the jobs of scope %s are placed as the scopes take turns', (scope, positions) => {
    expect(positionsOf(scope, positions.length, turns)).toEqual(positions);
  });
});

describe('usualDurations', () => {
  const jobs = (secs: readonly number[], outputs = 1) =>
    secs.map((one) => ({ ...WORK, outputs, secs: one }));

  test('the usual duration is the median of the latest 20 equal jobs', () => {
    const older = jobs(new Array<number>(30).fill(100));

    const { ofWork } = usualDurations([...jobs([...Array(20).keys()]), ...older]);

    expect(ofWork(WORK)).toBe(9.5);
  });

  test('no duration is usual below five equal jobs', () => {
    const { ofWork, ofAny } = usualDurations([...jobs([1, 2, 3, 4]), ...jobs([9], 2)]);

    expect(ofWork(WORK)).toBeUndefined();
    expect(ofAny).toBe(3);
    expect(usualDurations(jobs([1, 2, 3, 4])).ofAny).toBeUndefined();
  });

  test('jobs that differ in one fact have a usual duration of their own', () => {
    const { ofWork } = usualDurations(jobs([7, 7, 7, 7, 7]));

    expect(ofWork(WORK)).toBe(7);
    for (const other of [{ size: '8x8' }, { model: 'other' }, { provider: 'x' }, { outputs: 2 }]) {
      expect(ofWork({ ...WORK, ...other })).toBeUndefined();
    }
  });
});

describe('estimateRuns', () => {
  test('each job starts when a place becomes free', () => {
    const own = { positions: [1, 3, 4], durations: [5, 20, undefined], usual: 10 };

    const runs = estimateRuns(own, [4, 6], 2);

    // The job at position 2 belongs to another scope.
    expect(runs).toEqual([
      { startsIn: 4, endsIn: 9 },
      { startsIn: 9, endsIn: 29 },
      { startsIn: 16, endsIn: 26 },
    ]);
  });

  test('a place without a running job is free now', () => {
    const own = { positions: [1], durations: [undefined], usual: 10 };

    expect(estimateRuns(own, [4], 3)).toEqual([{ startsIn: 0, endsIn: 10 }]);
  });

  test.each([
    ['no usual duration is known', undefined, 1],
    ['no job runs', 10, 0],
  ])('nothing is estimated if %s', (_, usual, places) => {
    expect(estimateRuns({ positions: [1], durations: [5], usual }, [], places)).toEqual([]);
  });

  test('no start is estimated after position 10,000', () => {
    const own = { positions: [9999, 10_001], durations: [1, 1], usual: 1 };

    expect(estimateRuns(own, [], 1)).toHaveLength(1);
  });
});
