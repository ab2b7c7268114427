import { describe, expect, test } from 'vitest';
import { createSharedWork } from '../../../lib/artifacts/shared-work.ts';

/** Work that ends when it is told to, and knows what became of it. */
function controlledWork() {
  let finish: (value: string) => void = () => {};
  let fail: (reason: unknown) => void = () => {};
  const outcome = new Promise<string>((resolve, reject) => {
    finish = resolve;
    fail = reject;
  });
  const seen: AbortSignal[] = [];
  return {
    seen,
    finish: (value: string) => finish(value),
    fail: (reason: unknown) => fail(reason),
    work: (signal: AbortSignal) => {
      seen.push(signal);
      return outcome;
    },
  };
}

const never = new AbortController().signal;

describe('createSharedWork', () => {
  test('work under one key runs once at a time', async () => {
    const shared = createSharedWork<string>();
    const { work, finish, seen } = controlledWork();

    const joined = [1, 2, 3].map(() => shared.join('key', never, work));
    finish('done');

    expect(await Promise.all(joined)).toEqual(['done', 'done', 'done']);
    expect(seen).toHaveLength(1);
  });

  test('other keys, and later callers, start their own', async () => {
    const shared = createSharedWork<string>();
    const { work, finish, seen } = controlledWork();
    finish('done');

    await Promise.all([shared.join('one', never, work), shared.join('two', never, work)]);
    await shared.join('one', never, work);

    expect(seen).toHaveLength(3);
  });

  test('a failure reaches everyone and is not kept', async () => {
    const shared = createSharedWork<string>();
    const { work, fail } = controlledWork();

    const joined = [1, 2].map(() => shared.join('key', never, work));
    fail(new Error('broken'));

    const outcomes = await Promise.allSettled(joined);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await shared.join('key', never, async () => 'again')).toBe('again');
  });

  test('one caller may leave while the others wait on', async () => {
    const shared = createSharedWork<string>();
    const { work, finish, seen } = controlledWork();
    const leaver = new AbortController();
    const left = shared.join('key', leaver.signal, work);
    const stayed = shared.join('key', never, work);

    leaver.abort(new Error('gone'));

    await expect(left).rejects.toThrow('gone');
    expect(seen[0]?.aborted).toBe(false);
    finish('done');
    expect(await stayed).toBe('done');
  });

  test('work without a caller is aborted, and the next caller starts it anew', async () => {
    const shared = createSharedWork<string>();
    const { work, seen } = controlledWork();
    const leaver = new AbortController();
    const left = shared.join('key', leaver.signal, work);

    leaver.abort(new Error('gone'));
    const anew = shared.join('key', never, async () => 'anew');

    await expect(left).rejects.toThrow('gone');
    expect(seen[0]?.aborted).toBe(true);
    expect(await anew).toBe('anew');
  });

  test('a caller that has already given up starts nothing', async () => {
    const shared = createSharedWork<string>();
    const { work, seen } = controlledWork();

    await expect(shared.join('key', AbortSignal.abort('gone'), work)).rejects.toBe('gone');

    expect(seen).toEqual([]);
  });
});
