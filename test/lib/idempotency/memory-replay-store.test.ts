import { describe, expect, it } from 'vitest';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import { createMemoryReplayStore } from '../../../lib/idempotency/memory-replay-store.ts';
import { createManualClock } from '../../support/manual-clock.ts';

const outcome = (value: unknown) => ({ ok: true, value }) as const;

function open(limits: object = {}) {
  const clock = createManualClock();
  const all = { max_entries: 100, max_completed_bytes: 100_000, completed_ttl_secs: 60, ...limits };
  const store = createMemoryReplayStore({ clock, limits: all });
  return {
    clock,
    store,
    async kept(key: string, bytes = 1, scope = 's') {
      await store.claim(scope, key, 'f');
      await store.finish(key, outcome(key), bytes);
    },
    async unknown(key: string, scope = 's') {
      const error = new BridgeError('protocol', 'cut off', { details: { outcome: 'unknown' } });
      await store.claim(scope, key, 'f');
      await store.finish(key, { ok: false, error }, 0);
    },
    kindOf: async (key: string, scope = 's') => (await store.claim(scope, key, 'f')).kind,
  };
}

describe('createMemoryReplayStore', () => {
  it('grants one of two equal claims', async () => {
    const { store } = open();

    const claims = await Promise.all([store.claim('s', 'k', 'f'), store.claim('s', 'k', 'f')]);

    expect(claims.map(({ kind }) => kind)).toEqual(['claimed', 'running']);
  });

  it('stores the outcome of the work, also if it is a failure', async () => {
    const { store } = open();
    const failure = { ok: false, error: new BridgeError('protocol', 'cut off') } as const;
    await store.claim('s', 'k', 'f');
    await store.finish('k', failure, 1);

    const claim = await store.claim('s', 'k', 'f');

    expect(claim).toEqual({ kind: 'finished', outcome: failure });
  });

  it('reports a conflict for a different request with the key of a running request', async () => {
    const { store } = open();
    await store.claim('s', 'k', 'f');

    await expect(store.claim('s', 'k', 'g')).resolves.toEqual({ kind: 'conflict' });
  });

  it('reports a conflict for a different request with the key of a finished request', async () => {
    const { store, kept } = open();
    await kept('k');

    await expect(store.claim('s', 'k', 'g')).resolves.toEqual({ kind: 'conflict' });
  });

  it('grants a forgotten key to the next request, even to a different one', async () => {
    const { store } = open();
    await store.claim('s', 'k', 'f');
    await store.forget('k');

    await expect(store.claim('s', 'k', 'g')).resolves.toEqual({ kind: 'claimed' });
  });

  it('forgets a finished request when it expires, to the millisecond', async () => {
    const { clock, kept, kindOf } = open({ completed_ttl_secs: 60 });
    await kept('k');
    await clock.advance(59_999);
    const before = await kindOf('k');
    await clock.advance(1);

    const after = await kindOf('k');

    expect([before, after]).toEqual(['finished', 'claimed']);
  });

  it('never forgets a running request', async () => {
    const { store, clock, kindOf } = open({ max_entries: 1, completed_ttl_secs: 1 });
    await store.claim('s', 'k', 'f');
    await clock.advance(10_000);
    await store.expiry.run();

    const kinds = [await kindOf('other'), await kindOf('k')];

    expect(kinds).toEqual(['full', 'running']);
  });

  it('frees the memory of expired outcomes without a request', async () => {
    const { store, clock, kept } = open();
    await kept('k', 5000);
    await clock.advance(60_000);

    await store.expiry.run();

    expect(store.size()).toEqual({ running: 0, finished: 0, heldBytes: 0 });
  });

  it('removes the oldest outcome to grant a new key', async () => {
    const { store, kept, kindOf } = open({ max_entries: 2 });
    await kept('first');
    await kept('second');
    await store.claim('s', 'third', 'f');

    expect(await kindOf('second')).toBe('finished');
    expect(store.size()).toMatchObject({ running: 1, finished: 1 });
  });

  it('removes the oldest outcomes to store a new one', async () => {
    const { store, kept, kindOf } = open({ max_completed_bytes: 4000 });
    await kept('first', 1000);
    await kept('second', 1000);

    await kept('third', 2000);

    expect(await kindOf('second')).toBe('claimed');
    expect(await kindOf('third')).toBe('finished');
    expect(store.size().heldBytes).toBeLessThanOrEqual(4000);
  });

  it('does not store an outcome larger than the whole space, and keeps the others', async () => {
    const { kept, kindOf } = open({ max_completed_bytes: 4000 });
    await kept('small', 100);

    await kept('large', 4000);

    expect(await kindOf('large')).toBe('claimed');
    expect(await kindOf('small')).toBe('finished');
  });

  it('keeps an unknown outcome until it expires, however many replies another scope stores', async () => {
    const { clock, kept, unknown, kindOf } = open({ max_completed_bytes: 4000, max_entries: 20 });
    await unknown('k');
    for (let reply = 0; reply < 110; reply += 1) await kept(`reply ${reply}`, 3000, 'another');
    await clock.advance(59_999);

    expect(await kindOf('k')).toBe('finished');
    await clock.advance(1);
    expect(await kindOf('k')).toBe('claimed');
  });

  it('evicts the successes of the scope that holds the most memory', async () => {
    const { kept, kindOf, store } = open({ max_completed_bytes: 10_000 });
    await kept('small', 1000);
    for (let reply = 0; reply < 20; reply += 1) await kept(`reply ${reply}`, 3000, 'another');

    expect(await kindOf('small')).toBe('finished');
    expect(await kindOf('reply 19', 'another')).toBe('finished');
    expect(store.size().heldBytes).toBeLessThanOrEqual(10_000);
  });

  it('evicts the successes of the scope that holds the most entries to grant a new key', async () => {
    const { kept, kindOf } = open({ max_entries: 10 });
    await kept('mine');
    for (let reply = 0; reply < 20; reply += 1) await kept(`reply ${reply}`, 1, 'another');

    expect(await kindOf('mine')).toBe('finished');
  });

  it('reserves a tenth of the entries for scopes below their equal share', async () => {
    const { unknown, kindOf } = open({ max_entries: 20 });
    for (let failed = 0; failed < 20; failed += 1) await unknown(`failure ${failed}`, 'another');

    const refused = await kindOf('one more', 'another');

    expect(refused).toBe('full');
    expect(await kindOf('mine')).toBe('claimed');
  });

  it('counts nothing after all outcomes have expired', async () => {
    const { store, clock, kept, unknown, kindOf } = open({ max_entries: 4 });
    await kept('one');
    await unknown('two');
    await unknown('three', 'another');
    await clock.advance(60_000);
    await store.expiry.run();

    const kinds = [await kindOf('a'), await kindOf('b'), await kindOf('c', 'another')];

    expect(kinds).toEqual(['claimed', 'claimed', 'claimed']);
    expect(store.size()).toEqual({ running: 3, finished: 0, heldBytes: 0 });
  });
});
