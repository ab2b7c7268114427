import { describe, expect, it } from 'vitest';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import { ByteParts } from '../../../lib/platform/byte-parts.ts';
import { createIds } from '../../../lib/platform/ids.ts';
import { memoryBytes } from '../../../lib/replay/outcome.ts';
import { createReplay } from '../../../lib/replay/replay.ts';
import { toReplayPolicies } from '../../../lib/replay/replay-policies.ts';
import type { ReplayStore } from '../../../lib/replay/replay-store-port.ts';
import type { StartedWork } from '../../../lib/replay/work-in-flight.ts';
import { createMemoryReplayStore } from '../../../lib/storage/memory/replay-store.ts';
import { createManualClock } from '../../support/manual-clock.ts';

const disconnected = new BridgeError('cancelled', 'the client has disconnected');
const unknown = new BridgeError('protocol', 'the reply was cut off', {
  provider: 'p',
  upstreamRequestId: 'u-1',
  details: { outcome: 'unknown', provider_stopped: false },
  cause: new Error('with the whole body'),
});
const charged = new BridgeError('artifact', 'the image cannot be written', { effect: 'made' });

interface KeyedRequest {
  readonly scope: string;
  readonly key: string;
  readonly fingerprint: string;
}

/** Work that a test ends. */
interface Scripted {
  succeed(value: string): void;
  fail(error: Error): void;
}

/** Returns the client of a request that ends when the signal aborts. */
function clientOf(signal = new AbortController().signal) {
  return { signal: () => signal, onReplied: () => {} };
}

function open(limits: object = {}, wrap: (store: ReplayStore) => ReplayStore = (it) => it) {
  const clock = createManualClock();
  const all = { max_entries: 10, max_completed_bytes: 9000, completed_ttl_secs: 60, ...limits };
  const policies = toReplayPolicies(all);
  const store = createMemoryReplayStore({ clock, policies });
  const ids = createIds(clock.nowMs);
  const secret = Buffer.alloc(32, 1);
  const replay = createReplay({ store: wrap(outsideMemory(store)), policies, clock, ids, secret });
  const works: Scripted[] = [];
  const work = () =>
    new Promise<string>((succeed, fail) => {
      works.push({ succeed, fail });
    });
  return {
    clock,
    store,
    works,
    ask(changes: Partial<KeyedRequest> = {}, client?: AbortSignal) {
      const keyed = { scope: 's', key: 'k', fingerprint: 'f', ...changes };
      return replay.once(keyed, work, clientOf(client));
    },
    /** Work that reports when it has begun. */
    openWork(begun: StartedWork<string>, client?: AbortSignal) {
      const keyed = { scope: 's', key: 'k', fingerprint: 'f' };
      return replay.open<string, StartedWork<string>>(keyed, () => begun, clientOf(client));
    },
  };
}

/** Copies outcomes as a store outside this process does. */
function outsideMemory(store: ReplayStore): ReplayStore {
  return {
    ...store,
    finish: (id, outcome, bytes) => store.finish(id, structuredClone(outcome), bytes),
  };
}

/** Opens a replay while another process runs the work of an equal request, under the id `of another`. */
async function openBesideAnother() {
  const opened = open({}, (own) => ({
    ...own,
    claim: (request) => own.claim({ ...request, identity: 'k', fingerprint: 'f' }),
  }));
  const claim = { kind: 'key', scope: 's', identity: 'k', fingerprint: 'f' } as const;
  await opened.store.claim({ ...claim, id: 'of another', mayJoin: true });
  return opened;
}

describe('createReplay, keys', () => {
  it('runs equal requests at the same time once, and marks the later ones as replayed', async () => {
    const { ask, works, clock } = open();
    const asking = [ask(), ask(), ask()];
    await clock.advance(0);
    works[0]?.succeed('an image');

    const replies = await Promise.all(asking);

    expect(works).toHaveLength(1);
    expect(replies).toEqual([
      { value: 'an image', replayed: false },
      { value: 'an image', replayed: true },
      { value: 'an image', replayed: true },
    ]);
  });

  it.each([
    ['a success', (work: Scripted) => work.succeed('an image')],
    ['a failure that may be charged', (work: Scripted) => work.fail(charged)],
  ])('replies with %s only after the outcome is stored', async (_, end) => {
    const stored = Promise.withResolvers<void>();
    const { ask, works, clock } = open({}, (own) => ({
      ...own,
      finish: (...given) => stored.promise.then(() => own.finish(...given)),
    }));
    let isReplied = false;
    const note = () => {
      isReplied = true;
    };
    const asking = ask().then(note, note);
    await clock.advance(0);
    for (const work of works) end(work);
    await clock.advance(0);
    const isEarly = isReplied;

    stored.resolve();
    await asking;

    expect([isEarly, isReplied]).toEqual([false, true]);
  });

  it('replies to a repeated request with the first result', async () => {
    const { ask, works, clock } = open();
    const first = ask();
    await clock.advance(0);
    works[0]?.succeed('an image');
    await first;

    const second = await ask();

    expect(second).toEqual({ value: 'an image', replayed: true });
    expect(works).toHaveLength(1);
  });

  it.each([
    ['its outcome is unknown', unknown],
    ['an image was charged', charged],
  ])('replies to a repeated request with the same failure if %s', async (_, failure) => {
    const { ask, works, clock } = open();
    const first = ask();
    first.catch(() => {});
    await clock.advance(0);
    works[0]?.fail(failure);
    await expect(first).rejects.toBe(failure);

    const second = await ask().catch((error: unknown) => error);

    const { code, message, provider, upstreamRequestId, details, retryable } = failure;
    expect(second).toMatchObject({
      code,
      message,
      provider,
      upstreamRequestId,
      details,
      retryable,
    });
    expect(second).toMatchObject({ headers: { 'idempotent-replayed': 'true' } });
    expect(second).not.toHaveProperty('cause');
    expect(works).toHaveLength(1);
  });

  it('rejects joined requests with a failure without a charge, and runs the next request again', async () => {
    const { ask, works, clock } = open();
    const failure = new BridgeError('upstream', 'no');
    const asking = [ask(), ask()].map((it) => it.catch((error: unknown) => error));
    await clock.advance(0);
    works[0]?.fail(failure);
    const [first, joined] = await Promise.all(asking);

    const next = ask({ fingerprint: 'another' });
    await clock.advance(0);
    works[1]?.succeed('an image');

    expect(first).toBe(failure);
    expect(joined).toMatchObject({ code: 'upstream', headers: { 'idempotent-replayed': 'true' } });
    await expect(next).resolves.toEqual({ value: 'an image', replayed: false });
  });

  it('treats an unexpected error as a failure without a charge', async () => {
    const { ask, works, clock } = open();
    const first = ask();
    first.catch(() => {});
    await clock.advance(0);

    works[0]?.fail(new Error('a bug'));

    await expect(first).rejects.toMatchObject({ code: 'internal' });
  });

  it.each([
    ['while the first runs', false],
    ['when the first has finished', true],
  ])(
    'refuses a different request with the key %s, and accepts equal requests',
    async (_, finish) => {
      const { ask, works, clock } = open();
      const first = ask();
      await clock.advance(0);
      if (finish) works[0]?.succeed('an image');
      await clock.advance(0);
      const other = ask({ fingerprint: 'g' });
      const equal = ask();
      other.catch(() => {});
      works[0]?.succeed('an image');

      await expect(other).rejects.toMatchObject({ code: 'idempotency_conflict', headers: {} });
      await expect(equal).resolves.toEqual({ value: 'an image', replayed: true });
      await expect(first).resolves.toMatchObject({ replayed: false });
      expect(works).toHaveLength(1);
    },
  );

  it.each([
    ['scopes', { scope: 't' }],
    ['keys', { key: 'l' }],
    ['scopes and keys that look alike together', { scope: 's"', key: ',"k' }],
  ])('keeps %s apart', async (_, changes) => {
    const { ask, works, clock } = open();
    const asking = [ask(), ask(changes)];
    await clock.advance(0);
    works[0]?.succeed('one');
    works[1]?.succeed('another');

    const replies = await Promise.all(asking);

    expect(replies.map(({ value }) => value)).toEqual(['one', 'another']);
  });

  it('rejects at once for a client that disconnects, and continues the work for a repeated request', async () => {
    const { ask, works, clock } = open();
    const client = new AbortController();
    const left = ask({}, client.signal);
    left.catch(() => {});
    await clock.advance(0);
    client.abort(disconnected);
    await expect(left).rejects.toBe(disconnected);
    works[0]?.succeed('an image');
    await clock.advance(0);

    const repeat = await ask();

    expect(repeat).toEqual({ value: 'an image', replayed: true });
  });

  it('starts no work for a client that has already disconnected', async () => {
    const { ask, works, store } = open();

    await expect(ask({}, AbortSignal.abort(disconnected))).rejects.toBe(disconnected);

    expect(works).toEqual([]);
    expect(store.size().running).toBe(0);
  });

  it('refuses new keys while the table is full of running requests', async () => {
    const { ask, works, clock } = open({ max_entries: 1 });
    const first = ask();
    await clock.advance(0);

    await expect(ask({ key: 'other' })).rejects.toMatchObject({
      code: 'overloaded',
      details: { reason: 'idempotency_full', retry_after_ms: 1000 },
    });

    works[0]?.succeed('an image');
    await expect(first).resolves.toMatchObject({ value: 'an image' });
  });

  it('refuses a repeat, and does not pay again, if the result was too large to store', async () => {
    const { ask, works, clock } = open({ max_completed_bytes: 1000 });
    const first = ask();
    await clock.advance(0);
    works[0]?.succeed('x'.repeat(1000));
    await first;

    await expect(ask()).rejects.toMatchObject({
      code: 'idempotency_conflict',
      retryable: false,
      details: { reason: 'reply_not_kept' },
      headers: { 'idempotent-replayed': 'true' },
    });
    expect(works).toHaveLength(1);
  });

  it('returns the result even if the store cannot keep it', async () => {
    const { ask, works, clock } = open({}, (store) => ({
      ...store,
      finish: () => Promise.reject(new Error('the store is away')),
    }));
    const first = ask();
    await clock.advance(0);

    works[0]?.succeed('an image');

    await expect(first).resolves.toEqual({ value: 'an image', replayed: false });
  });

  it('waits for the work of another process, and replies with its outcome', async () => {
    const { ask, store, works } = await openBesideAnother();
    const asking = ask();
    await store.finish('of another', { ok: true, value: 'an image' }, 1);

    expect(await asking).toEqual({ value: 'an image', replayed: true });
    expect(works).toHaveLength(0);
  });

  it('starts its own work if the work of another process ends without an outcome', async () => {
    const { ask, store, works, clock } = await openBesideAnother();
    const asking = ask();
    await store.forget('of another');
    await clock.advance(0);
    works[0]?.succeed('an image');

    expect(await asking).toEqual({ value: 'an image', replayed: false });
  });

  it('passes only hashes of keys and scopes to its store', async () => {
    const seen: string[] = [];
    const { ask } = open({}, (store) => ({
      ...store,
      claim(request) {
        seen.push(request.scope, request.identity);
        return store.claim(request);
      },
    }));

    void ask({ scope: 'a-scope', key: 'a-key' });

    const hash = expect.stringMatching(/^[0-9a-f]{64}$/);
    expect(seen).toEqual([hash, hash]);
  });
});

describe('createReplay, open', () => {
  const refusal = new BridgeError('input', 'the image is none');
  const started = Promise.resolve();
  const never = new Promise<never>(() => {});
  const done = (): StartedWork<string> => ({ started, result: Promise.resolve('an image') });
  const refused = (): StartedWork<string> => {
    const result = Promise.reject(refusal);
    result.catch(() => {});
    return { started: result, result };
  };

  it('opens before the work has ended, for its own client and for a client that joins', async () => {
    const { openWork } = open();
    const begun: StartedWork<string> = { started, result: never };

    const [own, joined] = await Promise.all([openWork(begun), openWork(done())]);

    expect(await Promise.all([own.own, joined.own])).toEqual([begun, undefined]);
    await expect(own.started).resolves.toBeUndefined();
    await expect(joined.started).resolves.toBeUndefined();
  });

  it('opens finished work as started work', async () => {
    const { openWork } = open();
    await (await openWork(done())).result;

    const repeat = await openWork({ started: never, result: never });

    expect(await repeat.own).toBeUndefined();
    await expect(repeat.started).resolves.toBeUndefined();
    await expect(repeat.result).resolves.toBe('an image');
  });

  it('rejects for its own client and for a client that joins with the same error, and marks the second error as replayed', async () => {
    const { openWork } = open();

    const [own, joined] = await Promise.all([openWork(refused()), openWork(done())]);

    await expect(own.started).rejects.toBe(refusal);
    await expect(joined.started).rejects.toMatchObject({
      code: 'input',
      headers: { 'idempotent-replayed': 'true' },
    });
  });

  it('releases the key as soon as a refusal is known', async () => {
    const { openWork } = open();
    const first = await openWork(refused());
    await expect(first.started).rejects.toBe(refusal);

    const second = await openWork(done());

    expect(await second.own).toBeDefined();
    await expect(second.result).resolves.toBe('an image');
  });

  it('opens the work of another process when that work has started', async () => {
    const { openWork, store } = await openBesideAnother();
    const opening = openWork({ started: never, result: never });
    await store.markStarted('of another');

    const { started: opened, own, result, replayed } = await opening;
    await opened;
    await store.finish('of another', { ok: true, value: 'an image' }, 1);

    expect(replayed).toBe(true);
    expect(await result).toBe('an image');
    expect(await own).toBeUndefined();
  });

  it('starts its own work if the work of another process ends without an outcome after its start', async () => {
    const { openWork, store } = await openBesideAnother();
    const begun = done();
    const opening = openWork(begun);
    await store.markStarted('of another');
    const { own, result } = await opening;

    await store.forget('of another');

    expect(await own).toBe(begun);
    expect(await result).toBe('an image');
  });

  it('starts its own work if another process refuses the work before its start', async () => {
    const { openWork, store } = await openBesideAnother();
    const opening = openWork(done());
    await store.forget('of another');

    const { replayed, result } = await opening;

    expect(replayed).toBe(false);
    expect(await result).toBe('an image');
  });

  it('records the start of work that other processes may join', async () => {
    const { openWork, store } = open({}, (own) => ({
      ...own,
      claim: (request) => own.claim({ ...request, id: 'of this' }),
      markStarted: () => own.markStarted('of this'),
    }));
    await openWork({ started, result: never });

    expect(await store.untilStarted('of this', new AbortController().signal)).toBe(true);
  });

  it('rejects for a client that disconnects before or after the work starts', async () => {
    const { openWork } = open();
    const client = new AbortController();
    const { started, result } = await openWork({ started: never, result: never }, client.signal);

    client.abort(disconnected);

    await expect(started).rejects.toBe(disconnected);
    await expect(result).rejects.toBe(disconnected);
  });
});

const MEGABYTE = new ByteParts([Buffer.alloc(400_000), Buffer.alloc(600_000)]);

describe('memoryBytes', () => {
  it.each([
    ['bytes', MEGABYTE, 1_000_000],
    ['bytes deep inside', { data: [{ b64_json: MEGABYTE }] }, 1_000_000],
    ['text', { prompt: 'a'.repeat(500_000) }, 1_000_000],
  ])('counts %s', (_, value, bytes) => {
    const held = memoryBytes(value);

    expect(held).toBeGreaterThanOrEqual(bytes);
    expect(held).toBeLessThan(bytes + 500);
  });

  it('counts every kind of value', () => {
    expect(memoryBytes(null)).toBeGreaterThan(0);
    expect(memoryBytes([1, true, null, undefined])).toBeGreaterThan(memoryBytes([]));
  });
});
