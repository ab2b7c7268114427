import { describe, expect, test } from 'vitest';
import { createOnce } from '../../../lib/platform/once.ts';

/** Returns increasing numbers, except in the calls that fail. */
function openNumbers(failing: readonly number[] = []) {
  let calls = 0;
  return createOnce(async () => {
    calls += 1;
    if (failing.includes(calls)) throw new Error(`failure ${calls}`);
    return calls;
  });
}

describe('createOnce', () => {
  test('creates its value once, on first use', async () => {
    const numbers = openNumbers();
    const before = numbers.made();

    const given = await Promise.all([numbers.get(), numbers.get()]);

    expect(before).toBeUndefined();
    expect([...given, await numbers.get(), await numbers.made()]).toEqual([1, 1, 1, 1]);
  });

  test('rejects all waiting calls after a failure, and then tries again', async () => {
    const numbers = openNumbers([1]);

    const outcomes = await Promise.allSettled([numbers.get(), numbers.get()]);

    expect(outcomes).toMatchObject(Array(2).fill({ reason: { message: 'failure 1' } }));
    expect(numbers.made()).toBeUndefined();
    expect(await numbers.get()).toBe(2);
  });

  test('creates a new value after forget', async () => {
    const numbers = openNumbers();
    await numbers.get();

    numbers.forget();

    expect(numbers.made()).toBeUndefined();
    expect(await numbers.get()).toBe(2);
  });
});
