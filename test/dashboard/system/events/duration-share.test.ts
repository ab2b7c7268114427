import { expect, it } from 'vitest';
import { durationShare } from '../../../../dashboard/src/system/activity/reply-bars.ts';

it.each([
  [0, 0],
  [0.4, 0],
  [1, 0],
  [10, 0.2],
  [1000, 0.6],
  [100_000, 1],
  [9_000_000, 1],
])('the bar for %d ms has the length %d', (milliseconds, share) => {
  expect(durationShare(milliseconds)).toBeCloseTo(share);
});
