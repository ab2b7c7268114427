import { describe, expect, it } from 'vitest';
import { BridgeError, toBridgeError } from '../../../lib/errors/bridge-error.ts';
import {
  type Attempt,
  createRetryAttach,
  forClients,
} from '../../../lib/image-requests/retry-attach.ts';
import { createDetachedRuns } from '../../../lib/runs/detached-runs.ts';
import type { Run } from '../../../lib/runs/image-run.ts';
import { createManualClock } from '../../support/manual-clock.ts';

const disconnected = new BridgeError('cancelled', 'the client has disconnected');
const unknown = new BridgeError('protocol', 'cut off', { details: { outcome: 'unknown' } });

type IsStale = Parameters<ReturnType<typeof createRetryAttach<string>>['reply']>[3];

function open() {
  const clock = createManualClock();
  const detached = createDetachedRuns();
  const attach = createRetryAttach<string>({ clock, detached });
  const runs: { succeed(made: string): void; fail(error: Error): void; signal: AbortSignal }[] = [];
  const kept: string[] = [];
  const dropped: string[] = [];
  const operation: Run<string, string> = {
    make: (signal) =>
      new Promise((succeed, fail) => {
        signal.addEventListener('abort', () => fail(signal.reason));
        runs.push({ succeed, fail, signal });
      }),
    async commit(made) {
      kept.push(made);
      return made;
    },
    async discard(made, reason) {
      dropped.push(made);
      return toBridgeError(reason);
    },
  };
  function ask(retryCount: number, changes: Partial<Attempt> = {}, isStale?: IsStale) {
    const client = new AbortController();
    const attempt = { scope: 's', fingerprint: 'f', retryCount, ...changes };
    let replied = (_isComplete: boolean) => {};
    const request = {
      signal: () => client.signal,
      onReplied: (listener: typeof replied) => {
        replied = listener;
      },
    };
    const reply = attach.reply(attempt, forClients(operation), request, isStale);
    reply.catch(() => {});
    return {
      reply,
      /** The client disconnects, before its reply has been written in full. */
      disconnect() {
        client.abort(disconnected);
        replied(false);
      },
      written: () => replied(true),
    };
  }
  return { clock, detached, attach, runs, kept, dropped, ask };
}

describe('createRetryAttach', () => {
  it('returns the result of work that no retry joins, and forgets it 10 s later', async () => {
    const { ask, runs, kept, clock, attach } = open();
    const one = ask(0);
    runs[0]?.succeed('an image');

    await expect(one.reply).resolves.toEqual({ value: 'an image', replayed: false });
    one.written();
    await clock.advance(10_000);

    expect(kept).toEqual(['an image']);
    expect([clock.waiting, attach.size()]).toEqual([0, 0]);
  });

  it('gives a retry the work of its disconnected client', async () => {
    const { ask, runs, clock } = open();
    const left = ask(0);
    left.disconnect();
    await clock.advance(9999);
    const retry = ask(1);
    await clock.advance(60_000);
    runs[0]?.succeed('an image');

    await expect(left.reply).rejects.toBe(disconnected);
    await expect(retry.reply).resolves.toEqual({ value: 'an image', replayed: true });
    expect(runs).toHaveLength(1);
  });

  it('gives a retry the result that was made meanwhile, and commits it only then', async () => {
    const { ask, runs, kept, clock } = open();
    ask(0).disconnect();
    runs[0]?.succeed('an image');
    await clock.advance(5000);
    const before = [...kept];

    const reply = await ask(2).reply;

    expect(before).toEqual([]);
    expect(reply).toEqual({ value: 'an image', replayed: true });
    expect(kept).toEqual(['an image']);
  });

  it('gives a retry the outcome as long as the reply has not been written in full', async () => {
    const { ask, runs, kept } = open();
    const cut = ask(0);
    runs[0]?.succeed('an image');
    await cut.reply;

    const retry = ask(1);

    await expect(retry.reply).resolves.toEqual({ value: 'an image', replayed: true });
    expect(kept).toEqual(['an image']);
    expect(runs).toHaveLength(1);
  });

  it('gives a retry the outcome for 10 s after its reply was cut, and no longer', async () => {
    const { ask, runs, clock, attach } = open();
    const cut = ask(0);
    runs[0]?.succeed('an image');
    await cut.reply;
    cut.disconnect();
    await clock.advance(9999);
    const early = ask(1);
    await expect(early.reply).resolves.toMatchObject({ replayed: true });
    early.disconnect();
    await clock.advance(10_000);

    ask(2);

    expect(runs).toHaveLength(2);
    expect([attach.size(), clock.waiting]).toEqual([1, 0]);
  });

  it('gives a retry the outcome for 10 s after its reply was written, because written is not received', async () => {
    const { ask, runs, kept, clock, attach } = open();
    const reset = ask(0);
    runs[0]?.succeed('an image');
    await reset.reply;
    reset.written();
    await clock.advance(9999);

    const retry = ask(1);

    await expect(retry.reply).resolves.toEqual({ value: 'an image', replayed: true });
    retry.written();
    await clock.advance(10_000);
    expect(kept).toEqual(['an image']);
    expect([attach.size(), clock.waiting, runs.length]).toEqual([0, 0, 1]);
  });

  it('never gives a first request the outcome of an equal one', async () => {
    const { ask, runs } = open();
    const one = ask(0);
    runs[0]?.succeed('an image');
    await one.reply;
    one.written();

    ask(0);

    expect(runs).toHaveLength(2);
  });

  it('starts anew for the retry that a failure has asked for, not for the next one', async () => {
    const { ask, runs } = open();
    const [received, refused] = [ask(0), ask(0)];
    runs[0]?.succeed('an image');
    runs[1]?.fail(new BridgeError('overloaded', 'the queue is full'));
    await received.reply;
    await expect(refused.reply).rejects.toMatchObject({ code: 'overloaded' });
    for (const client of [received, refused]) client.written();

    const repeated = ask(1);
    runs[2]?.succeed('another image');

    await expect(repeated.reply).resolves.toEqual({ value: 'another image', replayed: false });
    repeated.written();
    await expect(ask(1).reply).resolves.toMatchObject({ replayed: true });
    expect(runs).toHaveLength(3);
  });

  it('gives a retry a failure that must not be repeated', async () => {
    const { ask, runs } = open();
    const reset = ask(0);
    runs[0]?.fail(
      new BridgeError('upstream', 'one of two failed', {
        retryable: false,
        details: { succeeded_outputs: 1 },
      }),
    );
    await expect(reset.reply).rejects.toMatchObject({ code: 'upstream' });
    reset.written();

    await expect(ask(1).reply).rejects.toMatchObject({ code: 'upstream' });
    expect(runs).toHaveLength(1);
  });

  it('gives a retry the unknown outcome whose reply was cut', async () => {
    const { ask, runs } = open();
    const cut = ask(0);
    runs[0]?.fail(unknown);
    await expect(cut.reply).rejects.toBe(unknown);
    cut.disconnect();

    await expect(ask(1).reply).rejects.toMatchObject({ details: { outcome: 'unknown' } });
    expect(runs).toHaveLength(1);
  });

  it('cancels the work 10 s after its client has disconnected', async () => {
    const { ask, runs, clock, attach, detached } = open();
    ask(0).disconnect();
    await clock.advance(9999);
    const before = runs[0]?.signal.aborted;

    await clock.advance(1);

    expect([before, runs[0]?.signal.aborted]).toEqual([false, true]);
    expect(runs[0]?.signal.reason).toBe(disconnected);
    expect([attach.size(), detached.size(), clock.waiting]).toEqual([0, 0, 0]);
  });

  it('discards a result that no client waits for', async () => {
    const { ask, runs, kept, dropped, clock, detached } = open();
    ask(0).disconnect();
    runs[0]?.succeed('an image');

    await clock.advance(10_000);

    expect({ kept, dropped }).toEqual({ kept: [], dropped: ['an image'] });
    expect(detached.size()).toBe(0);
  });

  it('cancels only when the last of several clients has disconnected', async () => {
    const { ask, runs, clock } = open();
    const [first, second, third] = [ask(0), ask(1), ask(2)];
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
  ])('runs again for a request that %s', async (_, count, changes) => {
    const { ask, runs } = open();
    ask(0).disconnect();

    ask(count, changes);

    expect(runs).toHaveLength(2);
  });

  it('runs again for a retry that comes too late', async () => {
    const { ask, runs, clock } = open();
    ask(0).disconnect();
    await clock.advance(10_000);

    ask(1);

    expect(runs).toHaveLength(2);
  });

  it('prefers work without a client', async () => {
    const { ask, runs, clock } = open();
    const [other, left] = [ask(0), ask(0)];
    left.disconnect();
    await clock.advance(0);
    const retry = ask(1);
    runs[0]?.succeed('of the other');
    runs[1]?.succeed('of the one that left');

    await expect(other.reply).resolves.toMatchObject({ value: 'of the other' });
    await expect(retry.reply).resolves.toMatchObject({ value: 'of the one that left' });
  });

  it('gives a retry the unknown outcome instead of calling the provider again', async () => {
    const { ask, runs, clock } = open();
    ask(0).disconnect();
    runs[0]?.fail(unknown);
    await clock.advance(5000);

    const retry = ask(1);

    await expect(retry.reply).rejects.toMatchObject({
      code: 'protocol',
      details: { outcome: 'unknown' },
      headers: { 'idempotent-replayed': 'true' },
    });
    expect(runs).toHaveLength(1);
  });

  it('forgets a retryable failure at once', async () => {
    const { ask, runs, clock } = open();
    ask(0).disconnect();
    runs[0]?.fail(new BridgeError('overloaded', 'no'));
    await clock.advance(1);

    ask(1);

    expect(runs).toHaveLength(2);
    expect(clock.waiting).toBe(0);
  });

  it('lets no retry attach once the bridge stops', async () => {
    const { ask, runs, attach, clock } = open();
    const [left, staying] = [ask(0), ask(0, { fingerprint: 'g' })];
    left.disconnect();
    await clock.advance(0);

    attach.stopLingering();
    staying.disconnect();
    await clock.advance(0);

    expect(runs.map(({ signal }) => signal.aborted)).toEqual([true, true]);
    expect([attach.size(), clock.waiting]).toEqual([0, 0]);
  });

  it('starts nothing for a client that has disconnected already', async () => {
    const { attach, runs } = open();
    const work = () => Promise.reject(new Error('not to be called'));

    const reply = attach.reply({ scope: 's', fingerprint: 'f', retryCount: 0 }, work, {
      signal: () => AbortSignal.abort(disconnected),
      onReplied: () => {},
    });

    await expect(reply).rejects.toBe(disconnected);
    expect(runs).toEqual([]);
  });
});

describe('createRetryAttach, where an outcome can become stale', () => {
  const isStale = async (made: string) => made === 'stale';

  it('prefers the outcome that no client has got', async () => {
    const { ask, runs } = open();
    const [got, missed] = [ask(0), ask(0)];
    runs[0]?.succeed('got');
    runs[1]?.succeed('missed');
    await Promise.all([got.reply, missed.reply]);
    got.written();
    missed.disconnect();

    await expect(ask(1).reply).resolves.toMatchObject({ value: 'missed' });
  });

  it('makes an outcome anew that is stale, once for all retries', async () => {
    const { ask, runs } = open();
    const first = ask(0, {}, isStale);
    runs[0]?.succeed('stale');
    await first.reply;
    first.disconnect();

    const retries = [ask(1, {}, isStale), ask(2, {}, isStale)];
    await expect.poll(() => runs.length).toBe(2);
    runs[1]?.succeed('new');

    expect(
      (await Promise.all(retries.map(({ reply }) => reply))).map(({ value }) => value),
    ).toEqual(['new', 'new']);
    expect(runs).toHaveLength(2);
  });
});
