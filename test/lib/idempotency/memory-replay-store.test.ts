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
    async kept(key: string, bytes = 1) {
      await store.claim(key, 'f');
      await store.finish(key, outcome(key), bytes);
    },
    kindOf: async (key: string) => (await store.claim(key, 'f')).kind,
  };
}

describe('createMemoryReplayStore', () => {
  it('gives the work to one of two equal claims, and says so to both', async () => {
    const { store } = open();

    const claims = await Promise.all([store.claim('k', 'f'), store.claim('k', 'f')]);

    expect(claims.map(({ kind }) => kind)).toEqual(['claimed', 'running']);
  });

  it('keeps how the work ended, a failure too', async () => {
    const { store } = open();
    const failure = { ok: false, error: new BridgeError('protocol', 'cut off') } as const;
    await store.claim('k', 'f');
    await store.finish('k', failure, 1);

    const claim = await store.claim('k', 'f');

    expect(claim).toEqual({ kind: 'finished', outcome: failure });
  });

  it('refuses another request under a key that runs', async () => {
    const { store } = open();
    await store.claim('k', 'f');

    await expect(store.claim('k', 'g')).resolves.toEqual({ kind: 'conflict' });
  });

  it('refuses another request under a key that has finished', async () => {
    const { store, kept } = open();
    await kept('k');

    await expect(store.claim('k', 'g')).resolves.toEqual({ kind: 'conflict' });
  });

  it('gives a forgotten key to the next request, even a different one', async () => {
    const { store } = open();
    await store.claim('k', 'f');
    await store.forget('k');

    await expect(store.claim('k', 'g')).resolves.toEqual({ kind: 'claimed' });
  });

  it('forgets what has finished after its time, to the millisecond', async () => {
    const { clock, kept, kindOf } = open({ completed_ttl_secs: 60 });
    await kept('k');
    await clock.advance(59_999);
    const before = await kindOf('k');
    await clock.advance(1);

    const after = await kindOf('k');

    expect([before, after]).toEqual(['finished', 'claimed']);
  });

  it('never forgets what runs', async () => {
    const { store, clock, kindOf } = open({ max_entries: 1, completed_ttl_secs: 1 });
    await store.claim('k', 'f');
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

  it('removes the oldest outcome to take a new key', async () => {
    const { store, kept, kindOf } = open({ max_entries: 2 });
    await kept('first');
    await kept('second');
    await store.claim('third', 'f');

    expect(await kindOf('second')).toBe('finished');
    expect(store.size()).toMatchObject({ running: 1, finished: 1 });
  });

  it('removes the oldest outcomes to keep a new one', async () => {
    const { store, kept, kindOf } = open({ max_completed_bytes: 4000 });
    await kept('first', 1000);
    await kept('second', 1000);

    await kept('third', 2000);

    expect(await kindOf('second')).toBe('claimed');
    expect(await kindOf('third')).toBe('finished');
    expect(store.size().heldBytes).toBeLessThanOrEqual(4000);
  });

  it('does not keep an outcome larger than all of its space, and keeps the others', async () => {
    const { kept, kindOf } = open({ max_completed_bytes: 4000 });
    await kept('small', 100);

    await kept('large', 4000);

    expect(await kindOf('large')).toBe('claimed');
    expect(await kindOf('small')).toBe('finished');
  });
});
