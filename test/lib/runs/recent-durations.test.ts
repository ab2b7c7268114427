import { describe, expect, test } from 'vitest';
import { createRecentDurations } from '../../../lib/runs/recent-durations.ts';

describe('createRecentDurations', () => {
  test('guesses ten seconds for a provider of which nothing is known', () => {
    expect(createRecentDurations().typicalMs('sandbox')).toBe(10_000);
  });

  test('knows the mean of each provider', () => {
    const durations = createRecentDurations();
    durations.note('sandbox', 100);
    durations.note('sandbox', 300);
    durations.note('comfy', 9000);

    expect([durations.typicalMs('sandbox'), durations.typicalMs('comfy')]).toEqual([200, 9000]);
  });

  test('forgets what is no longer recent', () => {
    const durations = createRecentDurations();
    durations.note('sandbox', 1_000_000);
    for (let nth = 0; nth < 16; nth += 1) durations.note('sandbox', 100);

    expect(durations.typicalMs('sandbox')).toBe(100);
  });
});
