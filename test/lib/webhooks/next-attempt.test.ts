import { describe, expect, test } from 'vitest';
import { toOutcome } from '../../../lib/webhooks/next-attempt.ts';

const NOW_MS = 1_700_000_000_000;
const outcome = (attempts: number, status: number | undefined, fraction = 0.5) =>
  toOutcome({ attempts, status, fraction, nowMs: NOW_MS });

describe('toOutcome', () => {
  test.each([200, 201, 204, 299])('%i delivers', (status) => {
    expect(outcome(0, status)).toEqual({ state: 'delivered', lastStatus: status });
  });

  test.each([
    [0, 5],
    [1, 30],
    [2, 120],
    [3, 600],
    [4, 3600],
    [5, 21_600],
    [6, 86_400],
  ])('after %i earlier attempts the next one is in %i s', (attempts, secs) => {
    expect(outcome(attempts, 500)).toEqual({
      state: 'pending',
      lastStatus: 500,
      dueMs: NOW_MS + secs * 1000,
    });
  });

  test.each([
    [0, 4000],
    [0.25, 4500],
    [0.999_999, 6000],
  ])('a fraction of %d makes five seconds %i ms', (fraction, delayMs) => {
    expect(outcome(0, 500, fraction)).toMatchObject({ dueMs: NOW_MS + delayMs });
  });

  test.each([undefined, 100, 301, 302, 307, 308, 400, 401, 404, 429, 500, 503])(
    '%s is tried again',
    (status) => {
      expect(outcome(0, status)).toMatchObject({ state: 'pending', lastStatus: status });
    },
  );

  test('410 fails at once', () => {
    expect(outcome(0, 410)).toEqual({ state: 'failed', lastStatus: 410 });
  });

  test('the eighth attempt is the last one', () => {
    expect(outcome(7, undefined)).toEqual({ state: 'failed', lastStatus: undefined });
    expect(outcome(7, 204)).toMatchObject({ state: 'delivered' });
  });
});
