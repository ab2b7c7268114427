import { describe, expect, test } from 'vitest';
import { createSharedWork } from '../../../lib/artifacts/shared-work.ts';

/** Work that the test ends. It records its own outcome. */
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

  test('other keys and later callers start new work', async () => {
    const shared = createSharedWork<string>();
    const { work, finish, seen } = controlledWork();
    finish('done');

    await Promise.all([shared.join('one', never, work), shared.join('two', never, work)]);
    await shared.join('one', never, work);

    expect(seen).toHaveLength(3);
  });

  test('a failure rejects for all callers and is not cached', async () => {
    const shared = createSharedWork<string>();
    const { work, fail } = controlledWork();

    const joined = [1, 2].map(() => shared.join('key', never, work));
    fail(new Error('broken'));

    const outcomes = await Promise.allSettled(joined);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await shared.join('key', never, async () => 'again')).toBe('again');
  });

  test('one caller may abort while the others continue to wait', async () => {
    const shared = createSharedWork<string>();
    const { work, finish, seen } = controlledWork();
    const client = new AbortController();
    const aborted = shared.join('key', client.signal, work);
    const stayed = shared.join('key', never, work);

    client.abort(new Error('disconnected'));

    await expect(aborted).rejects.toThrow('disconnected');
    expect(seen[0]?.aborted).toBe(false);
    finish('done');
    expect(await stayed).toBe('done');
  });

  test('work without callers is aborted, and the next caller starts the work again', async () => {
    const shared = createSharedWork<string>();
    const { work, seen } = controlledWork();
    const client = new AbortController();
    const aborted = shared.join('key', client.signal, work);

    client.abort(new Error('disconnected'));
    const anew = shared.join('key', never, async () => 'anew');

    await expect(aborted).rejects.toThrow('disconnected');
    expect(seen[0]?.aborted).toBe(true);
    expect(await anew).toBe('anew');
  });

  test('a caller with an aborted signal starts no work', async () => {
    const shared = createSharedWork<string>();
    const { work, seen } = controlledWork();

    await expect(shared.join('key', AbortSignal.abort('disconnected'), work)).rejects.toBe(
      'disconnected',
    );

    expect(seen).toEqual([]);
  });
});
