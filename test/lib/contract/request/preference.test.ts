import { describe, expect, it } from 'vitest';
import {
  parseAsyncPreference,
  toPreferenceApplied,
} from '../../../../lib/contract/request/preference.ts';

describe('parseAsyncPreference', () => {
  it.each([
    ['respond-async', undefined],
    ['Respond-Async', undefined],
    ['respond-async, wait=10', 10],
    ['wait=10,respond-async', 10],
    ['respond-async; wait=10', undefined],
    ['respond-async, wait="8"', 8],
    ['respond-async, wait = 8', 8],
    ['respond-async, wait=0', 0],
    ['respond-async, wait=600', 600],
    ['respond-async, wait=601', 600],
    ['respond-async, wait=7, wait=9', 7],
    ['return=minimal, respond-async;foo="a", wait=3; bar', 3],
    ['respond-async, wait=-1', undefined],
    ['respond-async, wait=1.5', undefined],
    ['respond-async, wait=soon', undefined],
    ['respond-async, wait=99999999999999999999', undefined],
    ['respond-async, wait', undefined],
    ['respond-async,,, "', undefined],
  ])('reads %j', (header, waitSecs) => {
    expect(parseAsyncPreference(header)).toEqual({ waitSecs });
  });

  it.each([
    undefined,
    '',
    'wait=10',
    'return=representation',
    'x-respond-async',
    'foo="respond-async"',
  ])('finds no preference for a job in %j', (header) => {
    expect(parseAsyncPreference(header)).toBeUndefined();
  });
});

describe('toPreferenceApplied', () => {
  it.each([
    [undefined, 'respond-async'],
    [0, 'respond-async, wait=0'],
    [8, 'respond-async, wait=8'],
  ])('names a wait of %s', (waitSecs, applied) => {
    expect(toPreferenceApplied({ waitSecs })).toBe(applied);
  });
});
