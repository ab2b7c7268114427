import { afterEach, describe, expect, it } from 'vitest';
import { ByteParts } from '../../lib/platform/byte-parts.ts';
import { toReplayPolicies } from '../../lib/replay/replay-policies.ts';
import {
  droppedOutcome,
  type ReplayClaim,
  type ReplayPolicies,
  type ReplayStore,
} from '../../lib/replay/replay-store-port.ts';

interface Opened {
  readonly store: ReplayStore;
  /** The same entries as another process sees them. The same store if the driver is for one process. */
  readonly other: ReplayStore;
  /** Lets time pass for the store. */
  advance(ms: number): Promise<void>;
  /** The time in milliseconds that may pass by itself during a test. The default is 0: the clock is a test's own. */
  readonly driftMs?: number;
  close(): Promise<void>;
}

const success = (value: unknown) => ({ ok: true, value }) as const;
const failure = {
  ok: false,
  failure: {
    code: 'protocol',
    message: 'cut off',
    options: { details: { outcome: 'unknown' }, retryable: false, headers: {} },
  },
} as const;

const { failure: DROPPED } = droppedOutcome() as { failure: { message: string } };

const LIMITS = { max_entries: 100, max_completed_bytes: 100_000, completed_ttl_secs: 60 };

/** The contract of every replay store. */
export function describeReplayStore(
  label: string,
  openStore: (policies: ReplayPolicies) => Promise<Opened>,
): void {
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  async function open(limits: Partial<typeof LIMITS> = {}, retry: object = {}) {
    const policies = toReplayPolicies({ ...LIMITS, ...limits });
    const opened = await openStore({ ...policies, retry: { ...policies.retry, ...retry } });
    closing.push(opened.close);
    const { store } = opened;
    let claims = 0;
    const claim = (identity: string, changes: Partial<ReplayClaim> = {}) => {
      claims += 1;
      const [id, kind] = [`claim ${claims}`, 'key'] as const;
      const request = { id, kind, scope: 's', identity, fingerprint: 'f', mayJoin: true };
      return store.claim({ ...request, ...changes });
    };
    return {
      ...opened,
      claim,
      /** Claims as a client that counts its retries. */
      retry: (id: string, changes: Partial<ReplayClaim> = {}) =>
        claim('r', { id, kind: 'retry', ...changes }),
      async kept(identity: string, bytes = 1, scope = 's') {
        await claim(identity, { id: identity, scope });
        await store.finish(identity, success(identity), bytes);
      },
      async failed(identity: string, scope = 's') {
        await claim(identity, { id: identity, scope });
        await store.finish(identity, failure, 0);
      },
      /** Adds a success that a client of a retry has received. */
      async received(id: string, bytes: number, scope = 's') {
        await claim(id, { id, scope, kind: 'retry' });
        await store.finish(id, success(id), bytes);
        await store.release(id, true);
      },
      stateOf: async (identity: string, scope = 's') => (await claim(identity, { scope })).state,
      /** Returns true if a repeated request receives the failure that says that the reply is not kept. */
      async isDropped(identity: string, scope = 's') {
        const claimed = await claim(identity, { scope });
        const outcome = claimed.state === 'finished' ? claimed.outcome : undefined;
        return outcome?.ok === false && outcome.failure.message === DROPPED.message;
      },
    };
  }

  describe(`ReplayStore: ${label}`, () => {
    it('grants one of two equal claims, and names its entry to the other', async () => {
      const { claim } = await open();

      const claims = await Promise.all([claim('k', { id: 'one' }), claim('k', { id: 'two' })]);

      const started = claims[0].state === 'started' ? 'one' : 'two';
      expect(claims).toContainEqual({ state: 'started' });
      expect(claims).toContainEqual({ state: 'running', id: started });
    });

    it.each([
      ['a success', success({ bytes: new ByteParts([Buffer.from([1, 2])]) })],
      ['a failure', failure],
    ])('returns %s to later claims', async (_, outcome) => {
      const { claim, store } = await open();
      await claim('k', { id: 'one' });
      await store.finish('one', outcome, 1);

      expect(await claim('k')).toStrictEqual({ state: 'finished', id: 'one', outcome });
    });

    it.each([
      ['in flight', false],
      ['finished', true],
    ])(
      'refuses a different request with the key of a request that is %s',
      async (_, isFinished) => {
        const { claim, store } = await open();
        await claim('k', { id: 'one' });
        if (isFinished) await store.finish('one', success(1), 1);

        await expect(claim('k', { fingerprint: 'g' })).rejects.toMatchObject({
          code: 'idempotency_conflict',
          param: 'idempotency_key',
        });
      },
    );

    it('grants a forgotten key to the next request, even to a different one', async () => {
      const { claim, store } = await open();
      await claim('k', { id: 'one' });
      await store.forget('one');

      expect(await claim('k', { fingerprint: 'g' })).toEqual({ state: 'started' });
    });

    it('forgets an outcome when it expires, to the precision of its clock', async () => {
      const { kept, stateOf, advance, driftMs = 0 } = await open();
      await kept('k');
      await advance(59_999 - driftMs);
      const before = await stateOf('k');
      await advance(1 + driftMs);

      expect([before, await stateOf('k')]).toEqual(['finished', 'started']);
    });

    it('never forgets a request in flight', async () => {
      const { claim, stateOf, advance } = await open({ max_entries: 1, completed_ttl_secs: 1 });
      await claim('k');
      await advance(10_000);

      await expect(claim('other')).rejects.toMatchObject({
        code: 'overloaded',
        details: { reason: 'idempotency_full' },
      });
      expect(await stateOf('k')).toBe('running');
    });

    it('evicts the oldest success to grant a new key', async () => {
      const { kept, claim, stateOf } = await open({ max_entries: 2 });
      await kept('first');
      await kept('second');
      await claim('third');

      expect(await stateOf('second')).toBe('finished');
    });

    it('drops the oldest successes to store a new one', async () => {
      const { kept, isDropped } = await open({ max_completed_bytes: 4000 });
      await kept('first', 1000);
      await kept('second', 1000);

      await kept('third', 2000);

      expect(await isDropped('second')).toBe(true);
      expect(await isDropped('third')).toBe(false);
    });

    it('drops a success larger than the whole space, and keeps the others', async () => {
      const { kept, isDropped } = await open({ max_completed_bytes: 4000 });
      await kept('small', 100);

      await kept('large', 4000);

      expect(await isDropped('large')).toBe(true);
      expect(await isDropped('small')).toBe(false);
    });

    it('never starts the work of a dropped success again, and still refuses a different request', async () => {
      const { kept, stateOf, claim } = await open({ max_completed_bytes: 4000 });
      await kept('k', 4000);

      expect([await stateOf('k'), await stateOf('k')]).toEqual(['finished', 'finished']);
      await expect(claim('k', { fingerprint: 'g' })).rejects.toMatchObject({
        code: 'idempotency_conflict',
        param: 'idempotency_key',
      });
    });

    it('evicts dropped successes to grant a new key', async () => {
      const { kept, stateOf } = await open({ max_completed_bytes: 1000, max_entries: 3 });
      for (let nth = 0; nth < 10; nth += 1) await kept(`large ${nth}`, 4000);

      expect(await stateOf('large 9')).toBe('finished');
      expect(await stateOf('large 0')).toBe('started');
    });

    it('does not drop a success because of the dropped ones', async () => {
      const { kept, isDropped } = await open({ max_completed_bytes: 1000 });
      await kept('small', 100);
      for (let nth = 0; nth < 10; nth += 1) await kept(`large ${nth}`, 4000);

      expect(await isDropped('small')).toBe(false);
    });

    it('keeps an unknown outcome until it expires, however many replies another scope stores', async () => {
      const limits = { max_completed_bytes: 4000, max_entries: 20 };
      const { failed, kept, stateOf, advance, driftMs = 0 } = await open(limits);
      await failed('k');
      for (let reply = 0; reply < 30; reply += 1) await kept(`reply ${reply}`, 3000, 'another');
      await advance(59_999 - driftMs);

      expect(await stateOf('k')).toBe('finished');
      await advance(1 + driftMs);
      expect(await stateOf('k')).toBe('started');
    });

    it('evicts the successes of the scope that holds the most memory', async () => {
      const { kept, isDropped } = await open({ max_completed_bytes: 10_000 });
      await kept('small', 1000);
      for (let reply = 0; reply < 20; reply += 1) await kept(`reply ${reply}`, 3000, 'another');

      expect(await isDropped('small')).toBe(false);
      expect(await isDropped('reply 19', 'another')).toBe(false);
      expect(await isDropped('reply 0', 'another')).toBe(true);
    });

    it('evicts the successes of the scope that holds the most entries to grant a new key', async () => {
      const { kept, stateOf } = await open({ max_entries: 10 });
      await kept('mine');
      for (let reply = 0; reply < 20; reply += 1) await kept(`reply ${reply}`, 1, 'another');

      expect(await stateOf('mine')).toBe('finished');
    });

    it('reserves a tenth of the entries for scopes below their equal share', async () => {
      const { failed, claim, stateOf } = await open({ max_entries: 20 });
      for (let nth = 0; nth < 18; nth += 1) await failed(`failure ${nth}`, 'another');

      await expect(claim('one more', { scope: 'another' })).rejects.toMatchObject({
        code: 'overloaded',
      });
      expect(await stateOf('mine')).toBe('started');
    });
  });

  describe(`ReplayStore: ${label}, work of another process`, () => {
    it.each([
      ['a success', success({ bytes: new ByteParts([Buffer.from([1, 2])]) })],
      ['a failure', failure],
    ])('returns %s when the work ends', async (_, outcome) => {
      const { claim, store, other } = await open();
      await claim('k', { id: 'one' });
      const settled = other.untilSettled('one', new AbortController().signal);
      await store.finish('one', outcome, 1);

      expect(await settled).toStrictEqual(outcome);
    });

    it.each(['forget', 'owe'] as const)('permits new work after %s', async (end) => {
      const { claim, store, other } = await open();
      await claim('k', { id: 'one' });
      const settled = other.untilSettled('one', new AbortController().signal);
      await store[end]('one');

      expect(await settled).toBeUndefined();
      expect(await other.untilSettled('one', new AbortController().signal)).toBeUndefined();
    });

    it('reports that the work has started', async () => {
      const { claim, store, other } = await open();
      await claim('k', { id: 'one' });
      const started = other.untilStarted('one', new AbortController().signal);
      await store.markStarted('one');

      expect(await started).toBe(true);
      expect(await other.untilStarted('one', new AbortController().signal)).toBe(true);
    });

    it.each(['forget', 'owe'] as const)(
      'reports no start of work that ends with %s',
      async (end) => {
        const { claim, store, other } = await open();
        await claim('k', { id: 'one' });
        const started = other.untilStarted('one', new AbortController().signal);
        await store[end]('one');

        expect(await started).toBe(false);
        expect(await other.untilStarted('unknown', new AbortController().signal)).toBe(false);
      },
    );

    it.each(['untilStarted', 'untilSettled', 'untilAttached'] as const)(
      'ends the wait of %s when its signal aborts',
      async (wait) => {
        const { claim, other } = await open();
        await claim('k', { id: 'one' });
        const client = new AbortController();
        const waiting = other[wait]('one', client.signal);
        client.abort(new Error('gone'));

        await expect(waiting).rejects.toThrow('gone');
      },
    );
  });

  describe(`ReplayStore: ${label}, retries`, () => {
    it('starts new work for each request that may not join', async () => {
      const { retry } = await open();

      const claims = [
        await retry('one', { mayJoin: false }),
        await retry('two', { mayJoin: false }),
      ];

      expect(claims).toEqual([{ state: 'started' }, { state: 'started' }]);
    });

    it('joins work without a client first', async () => {
      const { retry, store } = await open();
      await retry('one', { mayJoin: false });
      await retry('two', { mayJoin: false });
      await store.release('two', false);

      expect(await retry('three')).toEqual({ state: 'running', id: 'two' });
      expect(await retry('four')).toEqual({ state: 'running', id: 'one' });
    });

    it('returns the outcome that no client has received first', async () => {
      const { retry, store } = await open();
      for (const id of ['got', 'missed']) {
        await retry(id, { mayJoin: false });
        await store.finish(id, success(id), 1);
      }
      await store.release('got', true);
      await store.release('missed', false);

      expect(await retry('three')).toMatchObject({ id: 'missed' });
    });

    it('starts new work once for each failure that asks for a retry', async () => {
      const { retry, received, store } = await open();
      await received('r', 1);
      await retry('failed', { mayJoin: false });
      await store.owe('failed');
      await store.release('failed', true);

      const again = await retry('again');
      await store.forget('again');

      expect(again).toEqual({ state: 'started' });
      expect(await retry('other')).toMatchObject({ state: 'finished', id: 'r' });
    });

    it('keeps an outcome for 10 s after its last client has gone', async () => {
      const { retry, store, advance, driftMs = 0 } = await open();
      await retry('one');
      await store.finish('one', success(1), 1);
      await advance(60_000);
      await store.release('one', true);
      await advance(9999 - driftMs);
      const joined = await retry('two');
      await store.release('one', true);
      await advance(10_000);

      expect(joined).toMatchObject({ state: 'finished' });
      expect(await retry('three')).toEqual({ state: 'started' });
    });

    it('abandons an entry only without a client', async () => {
      const { retry, store } = await open();
      await retry('one');
      await retry('two');

      await store.release('one', false);
      const refused = await store.abandon('one');
      await store.release('one', false);

      expect(refused).toBe(false);
      expect(await store.abandon('one')).toBe(true);
      expect(await retry('three')).toEqual({ state: 'started' });
    });

    it('evicts the largest received success of the scope that holds the most, and of equal ones the oldest', async () => {
      const { received, claim } = await open({}, { maxBytes: 100_000 });
      await received('mine', 30_000, 'mine');
      await received('small', 10_000);
      await received('first', 20_000);
      await received('second', 20_000);

      await received('third', 20_000);

      const states = ['mine', 'small', 'first', 'second', 'third'].map(async (identity) => {
        const scope = identity === 'mine' ? 'mine' : 's';
        return (await claim(identity, { scope, kind: 'retry' })).state;
      });
      expect(await Promise.all(states)).toEqual([
        'finished',
        'finished',
        'started',
        'finished',
        'finished',
      ]);
    });

    it('does not evict a success that no client has received', async () => {
      const { claim, received, store } = await open({}, { maxBytes: 10_000 });
      await claim('missed', { id: 'missed', kind: 'retry' });
      await store.finish('missed', success(1), 20_000);
      await store.release('missed', false);
      await received('other', 5000);

      expect((await claim('missed', { kind: 'retry' })).state).toBe('finished');
    });

    it('loses a received success that is larger than the whole space, and keeps the others', async () => {
      const { received, claim } = await open({}, { maxBytes: 10_000 });
      await received('small', 1000);

      await received('large', 20_000);

      expect((await claim('large', { kind: 'retry' })).state).toBe('started');
      expect((await claim('small', { kind: 'retry' })).state).toBe('finished');
    });
  });
}
