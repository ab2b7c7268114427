import { describe, expect, test } from 'vitest';
import { createFairSlots, type SlotRequest } from '../../../lib/platform/fair-slots.ts';

const { signal } = new AbortController();
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Slots with named work that a test ends by name. */
function open<K extends string>(total: number, kinds: Readonly<Record<K, number>>) {
  const slots = createFairSlots(total, kinds);
  const started: string[] = [];
  const ends = new Map<string, () => void>();

  async function ask(
    name: string,
    request: Partial<SlotRequest<K>> & Pick<SlotRequest<K>, 'kind'>,
    until: AbortSignal = signal,
  ): Promise<void> {
    const owner = name.slice(0, 1);
    const work = () =>
      new Promise<void>((resolve) => {
        started.push(name);
        ends.set(name, resolve);
      });
    await slots.run({ owner, isLarge: false, ...request }, work, until);
  }

  return {
    slots,
    started,
    ask: (...given: Parameters<typeof ask>) => {
      const asked = ask(...given);
      asked.catch(() => {});
      return asked;
    },
    async end(name: string): Promise<void> {
      ends.get(name)?.();
      await settled();
    },
  };
}

const two = { kind: 'work' } as const;
const large = { kind: 'work', isLarge: true } as const;

describe('createFairSlots', () => {
  test('owners take turns, each in the order of its requests', async () => {
    const { ask, started, end } = open(1, { work: 1 });
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']) void ask(name, two);
    await settled();

    for (let nth = 0; nth < 7; nth += 1) await end(started.at(-1) ?? '');

    expect(started).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
  });

  test('large work of one owner never holds the last slot', async () => {
    const { ask, started, end } = open(2, { work: 2 });
    for (const name of ['a1', 'a2', 'a3']) void ask(name, large);
    await settled();
    const alone = [...started];
    void ask('b1', two);
    await settled();
    const beside = [...started];
    await end('b1');
    void ask('b2', large);
    await settled();
    await end('a1');

    expect(alone).toEqual(['a1']);
    expect(beside).toEqual(['a1', 'b1']);
    expect(started).toEqual(['a1', 'b1', 'b2', 'a2']);
  });

  test('small work of an owner overtakes waiting large work of the same owner', async () => {
    const { ask, started } = open(2, { work: 2 });
    void ask('a1', large);
    void ask('a2', large);
    void ask('a3', two);
    await settled();

    expect(started).toEqual(['a1', 'a3']);
  });

  test('a kind of work has slots that no other kind can hold', async () => {
    const { ask, started, end } = open(3, { work: 2, delivery: 2 });
    for (const name of ['a1', 'a2', 'a3']) void ask(name, { kind: 'work' });
    await settled();
    const before = [...started];
    for (const name of ['b1', 'b2']) void ask(name, { kind: 'delivery' });
    await settled();
    const beside = [...started];
    await end('a1');

    expect(before).toEqual(['a1', 'a2']);
    expect(beside).toEqual(['a1', 'a2', 'b1']);
    // The kind with fewer occupied slots is first.
    expect(started).toHaveLength(4);
  });

  test('an aborted waiting request leaves no state', async () => {
    const { ask, started, end } = open(1, { work: 1 });
    const client = new AbortController();
    void ask('a1', two);
    const waiting = ask('b1', two, client.signal);
    void ask('c1', two);
    await settled();

    client.abort(new Error('disconnected'));
    await expect(waiting).rejects.toThrow('disconnected');
    await end('a1');

    expect(started).toEqual(['a1', 'c1']);
  });

  test('a slot is released when its work has settled, not when its caller was aborted', async () => {
    const { ask, started, end } = open(1, { work: 1 });
    const client = new AbortController();
    const first = ask('a1', two, client.signal);
    void ask('b1', two);
    await settled();

    client.abort(new Error('disconnected'));
    await expect(first).rejects.toThrow('disconnected');
    const before = [...started];
    await end('a1');

    expect(before).toEqual(['a1']);
    expect(started).toEqual(['a1', 'b1']);
  });

  test('work that fails releases its slot', async () => {
    const { slots, ask, started } = open(1, { work: 1 });
    const failing = () => Promise.reject(new Error('failed'));

    await expect(slots.run({ ...large, owner: 'a' }, failing, signal)).rejects.toThrow('failed');
    void ask('a2', large);
    await settled();

    expect(started).toEqual(['a2']);
  });
});
