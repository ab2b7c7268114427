import { describe, expect, it } from 'vitest';
import {
  mergeNewest,
  toWindow,
  WINDOW_MS,
  withSample,
} from '../../../dashboard/src/diagnostics/activity.ts';

const numbered = (...sequences: readonly number[]) => sequences.map((sequence) => ({ sequence }));

describe('withSample', () => {
  it('keeps the last sample before the window, which gives the value at its start', () => {
    const samples = [{ at: 0 }, { at: 10 }, { at: 20 }];

    expect(withSample(samples, { at: WINDOW_MS + 15 })).toEqual([
      { at: 10 },
      { at: 20 },
      { at: WINDOW_MS + 15 },
    ]);
  });

  it('keeps only the newest of many samples', () => {
    let samples: readonly { readonly at: number }[] = [];

    for (let at = 1; at <= 5010; at += 1) samples = withSample(samples, { at });

    expect([samples.length, samples[0]?.at, samples.at(-1)?.at]).toEqual([5000, 11, 5010]);
  });

  it('adds a sample to an empty list', () => {
    expect(withSample([], { at: 5 })).toEqual([{ at: 5 }]);
  });
});

describe('toWindow', () => {
  it.each([
    [0, 2],
    [119, 2],
    [121, 5],
    [301, 15],
    [100_000, 15],
  ])('a history of %i s is shown in a window of %i minutes', (seconds, minutes) => {
    expect(toWindow(1000, 1000 + seconds * 1000)).toBe(minutes);
  });
});

describe('mergeNewest', () => {
  it('prepends new records to known ones without duplicates', () => {
    const merged = mergeNewest(numbered(3, 2, 1), numbered(5, 4, 3, 2), 3, 10);

    expect(merged).toEqual(numbered(5, 4, 3, 2, 1));
  });

  it('accepts all records of a bridge whose numbering restarted', () => {
    const merged = mergeNewest(numbered(9, 8), numbered(2, 1), 0, 10);

    expect(merged).toEqual(numbered(2, 1, 9, 8));
  });

  it('discards the oldest records', () => {
    expect(mergeNewest(numbered(3, 2, 1), numbered(4, 3), 3, 3)).toEqual(numbered(4, 3, 2));
  });
});
