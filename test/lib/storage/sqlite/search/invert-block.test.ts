import { describe, expect, test } from 'vitest';
import { BUCKETS, bucketsOf, eachBucket } from '../../../../../lib/storage/sqlite/search/grams.ts';
import {
  type FoldedJob,
  invertBlock,
} from '../../../../../lib/storage/sqlite/search/invert-block.ts';

function inverted(read: () => Iterable<readonly FoldedJob[]>): Map<number, number[]> {
  const found = new Map<number, number[]>();
  const steps = invertBlock(read, (bucket, positions) => found.set(bucket, [...positions]));
  while (steps.next().done !== true);
  return found;
}

function byBucket(jobs: readonly FoldedJob[]): Map<number, number[]> {
  const expected = new Map<number, Set<number>>();
  for (const { sequence, prompt } of jobs) {
    eachBucket(prompt, (bucket) => {
      expected.set(bucket, (expected.get(bucket) ?? new Set()).add(sequence % 4096));
    });
  }
  const sorted = [...expected].sort(([a], [b]) => a - b);
  return new Map(sorted.map(([bucket, positions]) => [bucket, [...positions]]));
}

describe('invertBlock', () => {
  test('each bucket gets its jobs once, by ascending bucket and position', () => {
    const jobs = [
      { sequence: 8192, prompt: 'aaaa' },
      { sequence: 8200, prompt: 'a fox, a fox' },
      { sequence: 12_287, prompt: '漢字 😀' },
    ];

    const found = inverted(() => [jobs.slice(0, 1), jobs.slice(1)]);

    expect([...found]).toEqual([...byBucket(jobs)]);
  });

  test('prompts that need several passes have the same result', () => {
    const jobs = Array.from({ length: 4096 }, (_, sequence) => ({
      sequence,
      prompt: String.fromCharCode(
        ...Array.from({ length: 260 }, (__, at) => 32 + ((sequence * 7 + at * at) % 1500)),
      ),
    }));
    const expected = jobs.map(({ prompt }) => {
      const buckets = new Set<number>();
      eachBucket(prompt, (bucket) => buckets.add(bucket));
      return buckets;
    });
    let readings = 0;

    const found = inverted(() => {
      readings += 1;
      return [jobs];
    });

    const checks = [...found].flatMap(([bucket, positions]) =>
      positions.map((position) => expected[position]?.has(bucket)),
    );
    expect(readings).toBe(3);
    expect(checks).toHaveLength(expected.reduce((sum, buckets) => sum + buckets.size, 0));
    expect(checks.every((isRight) => isRight)).toBe(true);
    expect([...found.keys()]).toEqual([...found.keys()].sort((one, other) => one - other));
  });

  test('a job that is removed between two passes is left out', () => {
    const jobs = ['fox', 'foxes', 'ox'].map((prompt, sequence) => ({ sequence, prompt }));
    const readings = [[jobs], [jobs.toSpliced(1, 1)]];

    const found = inverted(() => readings.shift() ?? []);

    expect([...found]).toEqual([...byBucket(jobs.toSpliced(1, 1))]);
  });
});

describe('bucketsOf', () => {
  test.each([
    ['f'],
    ['fo'],
    ['fox'],
    ['a red fox, 漢字 😀'],
    ['x'.repeat(300)],
    ['f', 'ox', 'red fox', 'a sentence of more than thirty-two letters'],
  ])('every prompt with %s is in all buckets of the texts', (...texts) => {
    const buckets = new Set<number>();
    eachBucket(`before ${texts.join(' between ')} behind`, (bucket) => buckets.add(bucket));

    const asked = bucketsOf(texts);

    expect(asked.length).toBeGreaterThan(0);
    expect(asked.length).toBeLessThanOrEqual(32);
    expect(asked.filter((bucket) => !buckets.has(bucket) || bucket >= BUCKETS)).toEqual([]);
  });
});
