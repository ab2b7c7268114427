import { describe, expect, it } from 'vitest';
import { BridgeError, toBridgeError } from '../../../lib/errors/bridge-error.ts';
import { createIds } from '../../../lib/platform/ids.ts';
import { createReplay } from '../../../lib/replay/replay.ts';
import { toReplayPolicies } from '../../../lib/replay/replay-policies.ts';
import type { ReplayStore } from '../../../lib/replay/replay-store-port.ts';
import { completeRun, type Uncommitted } from '../../../lib/runs/image-run.ts';
import { createMemoryReplayStore } from '../../../lib/storage/memory/replay-store.ts';
import { createManualClock } from '../../support/manual-clock.ts';

const disconnected = new BridgeError('cancelled', 'the client has disconnected');
const unknown = new BridgeError('protocol', 'cut off', { details: { outcome: 'unknown' } });
const forever = new AbortController().signal;

interface Attempt {
  readonly scope: string;
  readonly fingerprint: string;
  readonly retryCount: number;
}

type IsStale = (made: string) => Promise<boolean>;

function open(wrap: (store: ReplayStore) => ReplayStore = (it) => it) {
  const clock = createManualClock();
  const limits = { max_entries: 10, max_completed_bytes: 9000, completed_ttl_secs: 60 };
  const policies = toReplayPolicies(limits);
  const store = createMemoryReplayStore({ clock, policies });
  const ids = createIds(clock.nowMs);
  const secret = Buffer.alloc(32, 1);
  const replay = createReplay({ store: wrap(store), policies, clock, ids, secret });
  const runs: { succeed(made: string): void; fail(error: Error): void; signal: AbortSignal }[] = [];
  const kept: string[] = [];
  const dropped: string[] = [];
  const make = (signal: AbortSignal) =>
    new Promise<string>((succeed, fail) => {
      signal.addEventListener('abort', () => fail(signal.reason));
      runs.push({ succeed, fail, signal });
    });
  const made: Uncommitted<string, string> = {
    async commit(image) {
      kept.push(image);
      return image;
    },
    async discard(image, reason) {
      dropped.push(image);
      return toBridgeError(reason);
    },
  };

  /** Sends a request, and resolves when its work has begun. */
  async function ask(retryCount: number, changes: Partial<Attempt> = {}, isStale?: IsStale) {
    const client = new AbortController();
    const attempt = { scope: 's', fingerprint: 'f', retryCount, ...changes };
    let replied = (_isComplete: boolean) => {};
    const request = {
      signal: () => client.signal,
      onReplied: (listener: typeof replied) => {
        replied = listener;
      },
    };
    const reply = replay.once(
      attempt,
      (stop, isWanted) => completeRun(made, make(stop), stop, isWanted),
      request,
      isStale,
    );
    reply.catch(() => {});
    await clock.advance(0);
    return {
      reply,
      /** Disconnects the client before its reply has been completely written. */
      disconnect() {
        client.abort(disconnected);
        replied(false);
      },
      written: () => replied(true),
    };
  }
  return { clock, store, replay, runs, kept, dropped, ask };
}

describe('createReplay, retries', () => {
  it('returns the result of work that no retry joins, and forgets the work 10 s later', async () => {
    const { ask, runs, kept, clock, store } = open();
    const one = await ask(0);
    runs[0]?.succeed('an image');

    await expect(one.reply).resolves.toEqual({ value: 'an image', replayed: false });
    one.written();
    await clock.advance(10_000);

    expect(kept).toEqual(['an image']);
    expect([clock.waiting, store.size().entries]).toEqual([0, 0]);
  });

  it('attaches a retry to the work of its disconnected client', async () => {
    const { ask, runs, clock } = open();
    const left = await ask(0);
    left.disconnect();
    await clock.advance(9999);
    const retry = await ask(1);
    await clock.advance(60_000);
    runs[0]?.succeed('an image');

    await expect(left.reply).rejects.toBe(disconnected);
    await expect(retry.reply).resolves.toEqual({ value: 'an image', replayed: true });
    expect(runs).toHaveLength(1);
  });

  it('returns the result to a retry that arrives after the work has ended, and commits the result only then', async () => {
    const { ask, runs, kept, clock } = open();
    (await ask(0)).disconnect();
    runs[0]?.succeed('an image');
    await clock.advance(5000);
    const before = [...kept];

    const reply = await (await ask(2)).reply;

    expect(before).toEqual([]);
    expect(reply).toEqual({ value: 'an image', replayed: true });
    expect(kept).toEqual(['an image']);
  });

  it('returns the outcome to a retry while the reply is not completely written', async () => {
    const { ask, runs, kept } = open();
    const cut = await ask(0);
    runs[0]?.succeed('an image');
    await cut.reply;

    const retry = await ask(1);

    await expect(retry.reply).resolves.toEqual({ value: 'an image', replayed: true });
    expect(kept).toEqual(['an image']);
    expect(runs).toHaveLength(1);
  });

  it('returns the outcome to a retry for 10 s after its reply was cut', async () => {
    const { ask, runs, clock, store } = open();
    const cut = await ask(0);
    runs[0]?.succeed('an image');
    await cut.reply;
    cut.disconnect();
    await clock.advance(9999);
    const early = await ask(1);
    await expect(early.reply).resolves.toMatchObject({ replayed: true });
    early.disconnect();
    await clock.advance(10_000);

    await ask(2);

    expect(runs).toHaveLength(2);
    expect([store.size().entries, clock.waiting]).toEqual([1, 0]);
  });

  it('returns the outcome to a retry for 10 s after its reply was written, because the reply may not have been received', async () => {
    const { ask, runs, kept, clock, store } = open();
    const reset = await ask(0);
    runs[0]?.succeed('an image');
    await reset.reply;
    reset.written();
    await clock.advance(9999);

    const retry = await ask(1);

    await expect(retry.reply).resolves.toEqual({ value: 'an image', replayed: true });
    retry.written();
    await clock.advance(10_000);
    expect(kept).toEqual(['an image']);
    expect([store.size().entries, clock.waiting, runs.length]).toEqual([0, 0, 1]);
  });

  it('never returns the outcome of an equal request to a first request', async () => {
    const { ask, runs } = open();
    const one = await ask(0);
    runs[0]?.succeed('an image');
    await one.reply;
    one.written();

    await ask(0);

    expect(runs).toHaveLength(2);
  });

  it('starts new work for one retry after a retryable failure, and not for a second retry', async () => {
    const { ask, runs } = open();
    const [received, refused] = [await ask(0), await ask(0)];
    runs[0]?.succeed('an image');
    runs[1]?.fail(new BridgeError('overloaded', 'the queue is full'));
    await received.reply;
    await expect(refused.reply).rejects.toMatchObject({ code: 'overloaded' });
    for (const client of [received, refused]) client.written();

    const repeated = await ask(1);
    runs[2]?.succeed('another image');

    await expect(repeated.reply).resolves.toEqual({ value: 'another image', replayed: false });
    repeated.written();
    await expect((await ask(1)).reply).resolves.toMatchObject({ replayed: true });
    expect(runs).toHaveLength(3);
  });

  it('returns a failure that is not retryable to a retry', async () => {
    const { ask, runs } = open();
    const reset = await ask(0);
    runs[0]?.fail(
      new BridgeError('upstream', 'one of two failed', {
        retryable: false,
        details: { succeeded_outputs: 1 },
      }),
    );
    await expect(reset.reply).rejects.toMatchObject({ code: 'upstream' });
    reset.written();

    await expect((await ask(1)).reply).rejects.toMatchObject({ code: 'upstream' });
    expect(runs).toHaveLength(1);
  });

  it('returns an unknown outcome to a retry whose reply was cut', async () => {
    const { ask, runs } = open();
    const cut = await ask(0);
    runs[0]?.fail(unknown);
    await expect(cut.reply).rejects.toBe(unknown);
    cut.disconnect();

    await expect((await ask(1)).reply).rejects.toMatchObject({ details: { outcome: 'unknown' } });
    expect(runs).toHaveLength(1);
  });

  it('cancels the work 10 s after its client has disconnected', async () => {
    const { ask, runs, clock, store, replay } = open();
    (await ask(0)).disconnect();
    await clock.advance(9999);
    const before = runs[0]?.signal.aborted;

    await clock.advance(1);

    expect([before, runs[0]?.signal.aborted]).toEqual([false, true]);
    expect(runs[0]?.signal.reason).toBe(disconnected);
    expect([store.size().entries, clock.waiting]).toEqual([0, 0]);
    await replay.drain(forever);
  });

  it('discards a result that no client waits for', async () => {
    const { ask, runs, kept, dropped, clock, replay } = open();
    (await ask(0)).disconnect();
    runs[0]?.succeed('an image');

    await clock.advance(10_000);

    expect({ kept, dropped }).toEqual({ kept: [], dropped: ['an image'] });
    await replay.drain(forever);
  });

  it('cancels work only when the last of several clients has disconnected', async () => {
    const { ask, runs, clock } = open();
    const [first, second, third] = [await ask(0), await ask(1), await ask(2)];
    first.disconnect();
    second.disconnect();
    await clock.advance(60_000);
    const before = runs[0]?.signal.aborted;
    third.disconnect();
    await clock.advance(10_000);

    expect([before, runs[0]?.signal.aborted]).toEqual([false, true]);
    expect(runs).toHaveLength(1);
  });

  it.each<[string, number, Partial<Attempt>]>([
    ['is no retry', 0, {}],
    ['comes from another scope', 1, { scope: 't' }],
    ['is another one', 1, { fingerprint: 'g' }],
  ])('starts new work for a request that %s', async (_, count, changes) => {
    const { ask, runs } = open();
    (await ask(0)).disconnect();

    await ask(count, changes);

    expect(runs).toHaveLength(2);
  });

  it('starts new work for a retry that comes too late', async () => {
    const { ask, runs, clock } = open();
    (await ask(0)).disconnect();
    await clock.advance(10_000);

    await ask(1);

    expect(runs).toHaveLength(2);
  });

  it('attaches a retry to work without a client first', async () => {
    const { ask, runs, clock } = open();
    const [other, left] = [await ask(0), await ask(0)];
    left.disconnect();
    await clock.advance(0);
    const retry = await ask(1);
    runs[0]?.succeed('of the other');
    runs[1]?.succeed('of the one that left');

    await expect(other.reply).resolves.toMatchObject({ value: 'of the other' });
    await expect(retry.reply).resolves.toMatchObject({ value: 'of the one that left' });
  });

  it('returns an unknown outcome to a retry instead of calling the provider again', async () => {
    const { ask, runs, clock } = open();
    (await ask(0)).disconnect();
    runs[0]?.fail(unknown);
    await clock.advance(5000);

    const retry = await ask(1);

    await expect(retry.reply).rejects.toMatchObject({
      code: 'protocol',
      details: { outcome: 'unknown' },
      headers: { 'idempotent-replayed': 'true' },
    });
    expect(runs).toHaveLength(1);
  });

  it('forgets a retryable failure at once', async () => {
    const { ask, runs, clock } = open();
    (await ask(0)).disconnect();
    runs[0]?.fail(new BridgeError('overloaded', 'no'));
    await clock.advance(1);

    await ask(1);

    expect(runs).toHaveLength(2);
    expect(clock.waiting).toBe(0);
  });

  it('attaches no retry once the bridge stops', async () => {
    const { ask, runs, replay, store, clock } = open();
    const [left, staying] = [await ask(0), await ask(0, { fingerprint: 'g' })];
    left.disconnect();
    await clock.advance(0);

    const draining = replay.drain(forever);
    staying.disconnect();
    await clock.advance(0);

    expect(runs.map(({ signal }) => signal.aborted)).toEqual([true, true]);
    await draining;
    expect([store.size().entries, clock.waiting]).toEqual([0, 0]);
  });

  it('starts no work for a client that has already disconnected', async () => {
    const { replay, runs } = open();
    const work = () => Promise.reject(new Error('not to be called'));

    const reply = replay.once({ scope: 's', fingerprint: 'f', retryCount: 0 }, work, {
      signal: () => AbortSignal.abort(disconnected),
      onReplied: () => {},
    });

    await expect(reply).rejects.toBe(disconnected);
    expect(runs).toEqual([]);
  });
});

describe('createReplay, retries with outcomes that become stale', () => {
  const isStale = async (made: string) => made === 'stale';

  it('returns the outcome that no client has received first', async () => {
    const { ask, runs } = open();
    const [got, missed] = [await ask(0), await ask(0)];
    runs[0]?.succeed('got');
    runs[1]?.succeed('missed');
    await Promise.all([got.reply, missed.reply]);
    got.written();
    missed.disconnect();

    await expect((await ask(1)).reply).resolves.toMatchObject({ value: 'missed' });
  });

  it('replaces a stale outcome by new work, once for all retries', async () => {
    const { ask, runs } = open();
    const first = await ask(0, {}, isStale);
    runs[0]?.succeed('stale');
    await first.reply;
    first.disconnect();

    const retries = [await ask(1, {}, isStale), await ask(2, {}, isStale)];
    await expect.poll(() => runs.length).toBe(2);
    runs[1]?.succeed('new');

    expect(
      (await Promise.all(retries.map(({ reply }) => reply))).map(({ value }) => value),
    ).toEqual(['new', 'new']);
    expect(runs).toHaveLength(2);
  });

  it('commits work without a client of its own once a client of another process is attached', async () => {
    const attached = Promise.withResolvers<void>();
    const { ask, runs, kept, clock } = open((store) => ({
      ...store,
      untilAttached: () => attached.promise,
    }));
    const one = await ask(0);
    one.disconnect();
    runs[0]?.succeed('an image');
    await clock.advance(0);
    const before = [...kept];
    attached.resolve();
    await clock.advance(0);

    expect([before, kept]).toEqual([[], ['an image']]);
  });

  it('continues work for a client of another process until that client has gone', async () => {
    let isAttached = true;
    const { ask, runs, clock } = open((store) => ({
      ...store,
      abandon: async () => !isAttached,
    }));
    const one = await ask(0);
    one.disconnect();
    await clock.advance(30_000);
    const before = runs[0]?.signal.aborted;
    isAttached = false;
    await clock.advance(10_000);

    expect([before, runs[0]?.signal.aborted]).toEqual([false, true]);
  });
});
