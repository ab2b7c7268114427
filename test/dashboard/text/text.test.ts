import { describe, expect, it } from 'vitest';
import { formatDuration } from '../../../dashboard/src/text/text.ts';

describe('formatDuration', () => {
  it.each([
    [0, '0 seconds'],
    [999, '0 seconds'],
    [12_000, '12 seconds'],
    [61_000, '1 minute, 1 second'],
    [3_600_000, '1 hour'],
    [273_600_000, '3 days, 4 hours'],
    [604_800_000, '7 days'],
    [86_400_000 + 5000, '1 day'],
  ])('writes %d ms as %s', (milliseconds, words) => {
    expect(formatDuration(milliseconds)).toBe(words);
  });
});
