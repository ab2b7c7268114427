import { describe, expect, it } from 'vitest';
import { runBoth, runForEach } from '../../../lib/platform/concurrent-work.ts';

const never = new AbortController().signal;

/** Yields the numbers from 1 to `last`, and records the last number that was requested. */
function createNumbers(last: number) {
  const state = { yielded: 0 };
  async function* numbers() {
    for (let number = 1; number <= last; number += 1) {
      state.yielded = number;
      yield number;
    }
  }
  return { state, numbers };
}

describe('runForEach', () => {
  it('runs the work for each item once, and for at most `limit` items at the same time', async () => {
    const { numbers } = createNumbers(10);
    const done: number[] = [];
    let running = 0;
    let most = 0;

    await runForEach(numbers(), { limit: 3, signal: never }, async (number) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise(setImmediate);
      running -= 1;
      done.push(number);
    });

    expect(done.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(most).toBe(3);
  });

  it('begins no further item after a failure, and rejects when the begun calls have ended', async () => {
    const { state, numbers } = createNumbers(100);
    const slow = Promise.withResolvers<void>();
    const ended: number[] = [];
    let isSettled = false;

    const all = runForEach(numbers(), { limit: 2, signal: never }, async (number) => {
      if (number === 2) throw new Error('the second');
      await slow.promise;
      ended.push(number);
    }).finally(() => {
      isSettled = true;
    });
    all.catch(() => {});
    await new Promise(setImmediate);
    expect(isSettled).toBe(false);
    slow.resolve();

    await expect(all).rejects.toThrow('the second');
    expect(ended).toEqual([1]);
    expect(state.yielded).toBe(2);
  });

  it('begins no further item after an abort, and rejects with its reason', async () => {
    const { numbers } = createNumbers(100);
    const stop = new AbortController();
    const begun: number[] = [];

    const all = runForEach(numbers(), { limit: 1, signal: stop.signal }, async (number) => {
      begun.push(number);
      if (number === 3) stop.abort(new Error('enough'));
    });

    await expect(all).rejects.toThrow('enough');
    expect(begun).toEqual([1, 2, 3]);
  });

  it('rejects if the items cannot be listed', async () => {
    async function* broken() {
      yield 1;
      throw new Error('no further page');
    }

    await expect(runForEach(broken(), { limit: 4, signal: never }, async () => {})).rejects.toThrow(
      'no further page',
    );
  });
});

describe('runBoth', () => {
  it('resolves with the results of both', async () => {
    expect(
      await runBoth(
        async () => 1,
        async () => 'two',
      ),
    ).toEqual([1, 'two']);
  });

  it('stops the other work after a failure, and rejects with the first failure when both have ended', async () => {
    let hasEnded = false;
    const untilAborted = async (signal: AbortSignal) => {
      while (!signal.aborted) await new Promise(setImmediate);
      await new Promise(setImmediate);
      hasEnded = true;
      throw new Error('stopped');
    };

    const both = runBoth(untilAborted, () => Promise.reject(new Error('the first failure')));

    await expect(both).rejects.toThrow('the first failure');
    expect(hasEnded).toBe(true);
  });
});
