import { setImmediate } from 'node:timers/promises';
import * as v from 'valibot';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { unnamedCaller } from '../../../lib/contract/request/caller.ts';
import { JobBatch } from '../../../lib/contract/resources/job-batch.ts';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import type { StoredBatch } from '../../../lib/jobs/job-batch-store-port.ts';
import { createJobBatches } from '../../../lib/jobs/job-batches.ts';
import { DAY_MS } from '../../../lib/platform/days.ts';
import { IS_SCALED } from '../../support/drivers.ts';
import { requestContext } from '../../support/request-context.ts';
import { type JobRig, openJobRig, SCOPE, until } from './job-rig.ts';
import { createStreamClient, readAll } from './stream-client.ts';

const forever = new AbortController().signal;

let rig: JobRig;

beforeEach(async () => {
  rig = await openJobRig();
});
afterEach(() => rig.close());

const changeWith = (body: object, key?: string, scope = SCOPE) =>
  rig.jobBatches.change({ scope, body: v.parse(JobBatch, body), signal: forever, key });
const change = async (body: object, scope = SCOPE) =>
  (await changeWith(body, undefined, scope)).result;
const undo = (id: string | undefined, scope = SCOPE) =>
  rig.jobBatches.undo(id ?? '', requestContext({ operationId: 'undoJobChanges', scope }));

async function submitted(count: number, more: object = {}) {
  const ids: string[] = [];
  for (let nth = 0; nth < count; nth += 1) {
    ids.push((await rig.submit({ prompt: `boat ${nth}`, ...more })).job.id);
  }
  return ids;
}

/** Returns the favourites of the scope. */
async function favorites() {
  const { items } = await rig.store.list(
    SCOPE,
    { visibility: 'active', favorite: true },
    { limit: 100 },
  );
  return items.map(({ id }) => id);
}

/** Returns the queued jobs of the scope, in the order of their acceptance. */
async function queued() {
  const query = { limit: 100, status: 'queued', visibility: 'active' } as const;
  return (await rig.jobLists.list(SCOPE, query, forever)).items.toReversed();
}

describe('change', () => {
  const waiting = { action: 'cancel', filter: { status: 'queued' } };

  test('a filter by facts selects the jobs that have them', async () => {
    const ids = await submitted(2);
    const facts = { size: '1:1', operation: 'generate', created_after: 0 };

    const wide = await change({
      action: 'favorite',
      filter: { ...facts, size: '2:3' },
      expected_count: 0,
    });
    const result = await change({ action: 'favorite', filter: facts, expected_count: 2 });

    expect(wide).toEqual({ done: 0, skipped: [] });
    expect(result).toMatchObject({ done: 2, skipped: [] });
    expect((await favorites()).toSorted()).toEqual(ids.toSorted());
  });

  test('all jobs of a filter are cancelled, and no job of another scope', async () => {
    await submitted(3);
    await rig.submit({}, { scope: 'other' });

    const result = await change({ ...waiting, expected_count: 3 });

    expect(result).toMatchObject({ done: 3, skipped: [], undo: { id: expect.any(String) } });
    expect(await queued()).toEqual([]);
    expect(await rig.jobQueue.read()).toMatchObject({ queued: 1 });
  });

  test('nothing is changed if more jobs match than expected, and fewer jobs are accepted', async () => {
    await submitted(3);

    await expect(change({ ...waiting, expected_count: 2 })).rejects.toMatchObject({
      code: 'count_differs',
      param: 'expected_count',
      details: { count: 3 },
    });

    expect(await queued()).toHaveLength(3);
    expect(await change({ ...waiting, expected_count: 9 })).toMatchObject({ done: 3 });
  });

  test('running jobs are cancelled only if the batch includes running jobs', async () => {
    const [running, next] = await submitted(2);
    rig.work();
    const run = await rig.run(0);
    const body = { action: 'cancel', ids: [running, next] };

    const first = await change(body);
    const isStopped = run.signal.aborted;
    const second = await change({ ...body, running: true });

    expect(first).toMatchObject({
      done: 1,
      skipped: [{ reason: 'running', count: 1, ids: [running] }],
    });
    expect(isStopped).toBe(false);
    expect(second).toMatchObject({ done: 1, skipped: [{ reason: 'ended', ids: [next] }] });
    expect(await rig.ended(running ?? '')).toMatchObject({ status: 'cancelled' });
  });

  test('each skipped job is counted with its reason, and a batch without a change has no undo', async () => {
    const [first, second] = await submitted(2);
    await rig.jobs.cancel(SCOPE, first ?? '');
    const { job: foreign } = await rig.submit({}, { scope: 'other' });
    const ids = [second, foreign.id, first];

    const hidden = await change({ action: 'hide', ids });
    const again = await change({ action: 'hide', ids });

    const skipped = [
      { reason: 'not_ended', count: 1, ids: [second] },
      { reason: 'not_found', count: 1, ids: [foreign.id] },
    ];
    expect(hidden).toMatchObject({ done: 1, skipped });
    expect(again).toEqual({
      done: 0,
      skipped: [...skipped, { reason: 'unchanged', count: 1, ids: [first] }],
    });
  });
});

describe('change with a key', () => {
  const cancelAll = { action: 'cancel', filter: { status: 'queued' }, expected_count: 3 };

  test('a repetition changes no further job, and has the id for the undo', async () => {
    await submitted(2);
    const first = await changeWith(cancelAll, 'key');
    const later = await submitted(1);

    const again = await changeWith(cancelAll, 'key');

    expect([first.replayed, again]).toEqual([false, { ...first, replayed: true }]);
    expect((await queued()).map(({ id }) => id)).toEqual(later);
    expect(await undo(again.result.undo?.id)).toMatchObject({ done: 2 });
  });

  test('repetitions during a change wait for its result', async () => {
    await submitted(3);

    const results = await Promise.all(
      ['key', 'key', 'key'].map((key) => changeWith(cancelAll, key)),
    );

    expect(results.map(({ replayed }) => replayed).toSorted()).toEqual([false, true, true]);
    expect(results.map(({ result }) => result.done)).toEqual([3, 3, 3]);
    expect(new Set(results.map(({ result }) => result.undo?.id)).size).toBe(1);
  });

  test('another key, body or scope is another change', async () => {
    const ids = await submitted(1);
    const hide = { action: 'cancel', ids };
    await changeWith(hide, 'key');

    const others = await Promise.all([
      changeWith(hide, 'other'),
      changeWith({ ...hide, running: true }, 'key'),
      changeWith(hide, 'key', 'other'),
    ]);

    expect(others.map(({ replayed }) => replayed)).toEqual([false, false, false]);
  });
});

describe('undo', () => {
  test('cancelled jobs stay cancelled, and their requests are queued again in their order', async () => {
    const ids = await submitted(3, { labels: ['spring'], priority: 4 });
    const { undo: offered } = await change({ action: 'cancel', ids });

    const result = await undo(offered?.id);

    const anew = await queued();
    const details = await Promise.all(anew.map(({ id }) => rig.read(id)));
    expect(result).toEqual({ done: 3, skipped: [] });
    expect(details.map((job) => job.retry_of)).toEqual(ids);
    expect(anew).toMatchObject([{ labels: ['spring'], priority: 4 }, {}, {}]);
    for (const [nth, id] of ids.entries()) {
      expect(await rig.read(id)).toMatchObject({ status: 'cancelled', retried_as: anew[nth]?.id });
    }
  });

  test('jobs that were cancelled before they started are hidden once they are queued again', async () => {
    const [running, plain, marked] = await submitted(3);
    await rig.jobs.update(SCOPE, marked ?? '', { favorite: true });
    rig.work();
    await rig.run(0);
    const ids = [running, plain, marked];
    const { undo: offered } = await change({ action: 'cancel', ids, running: true });
    await rig.ended(running ?? '');

    await undo(offered?.id);

    const query = { limit: 100, visibility: 'active' } as const;
    const { items } = await rig.jobLists.list(SCOPE, query, forever);
    const shown = await Promise.all(items.map(({ id }) => rig.read(id)));
    expect(shown).toMatchObject([
      { retry_of: marked, favorite: true },
      { retry_of: plain, favorite: false },
      { retry_of: running },
      { id: running, status: 'cancelled' },
    ]);
    expect(shown).toHaveLength(4);
  });

  test('a cancelled job that cannot be queued again stays visible', async () => {
    const ids = await submitted(1);
    const { undo: offered } = await change({ action: 'cancel', ids });
    await expect(submitted(1000)).rejects.toMatchObject({ code: 'rate_limited' });

    const result = await undo(offered?.id);

    expect(result).toEqual({ done: 0, skipped: [{ reason: 'refused', count: 1, ids }] });
    expect(await rig.read(ids[0] ?? '')).not.toHaveProperty('deleted');
  });

  test('an undo that the allowance ends is repeated for the jobs that were refused', async () => {
    const caller = { ...unnamedCaller(SCOPE), id: 'alice', imagesPerDay: 3 };
    const context = requestContext({ operationId: 'undoJobChanges', scope: SCOPE, caller });
    await rig.clock.advance(DAY_MS / 2);
    const ids = await submitted(4);
    const { undo: offered } = await change({ action: 'cancel', ids });
    const again = () => rig.jobBatches.undo(offered?.id ?? '', context);

    const results = [await again(), await again()];
    await rig.clock.advance(DAY_MS / 2);
    results.push(await again());

    const refused = { done: 0, skipped: [{ reason: 'refused', count: 1, ids: [ids[3]] }] };
    expect(results).toEqual([{ ...refused, done: 3 }, refused, { done: 1, skipped: [] }]);
    const anew = await Promise.all((await queued()).map(({ id }) => rig.read(id)));
    expect(anew.map((job) => job.retry_of)).toEqual(ids);
    await expect(again()).rejects.toMatchObject({ code: 'not_found' });
  });

  test('an interrupted undo is repeated without a second job', async () => {
    const ids = await submitted(34);
    const { undo: offered } = await change({ action: 'cancel', ids });
    const stop = new AbortController();
    const context = requestContext({ operationId: 'undoJobChanges', scope: SCOPE });
    let reads = 0;
    const signal = () => {
      reads += 1;
      // The first 32 requests are queued together.
      if (reads > 32) stop.abort();
      return stop.signal;
    };
    await expect(rig.jobBatches.undo(offered?.id ?? '', { ...context, signal })).rejects.toThrow();
    const before = (await queued()).length;

    await undo(offered?.id);

    expect(before).toBe(32);
    expect(await queued()).toHaveLength(34);
  });

  test('requests are queued again in their order although some take longer to prepare', async () => {
    const ids = ['a', 'b', 'c', 'd', 'e'];
    const stored: StoredBatch = {
      ...{ id: 'batch', scope: SCOPE, action: 'cancel', expiresSecs: Infinity },
      jobs: ids.map((id) => ({ id })),
    };
    const [newId = ''] = await submitted(1);
    const added: string[] = [];
    const batches = createJobBatches({
      ...{ store: rig.store, search: rig.search, clock: rig.clock, ids: rig.ids },
      batches: { ...rig.stores.batches, find: async () => stored },
      cancelJob: async () => undefined,
      acceptance: {
        async retry(id, _context, place) {
          for (let turns = ids.length - ids.indexOf(id); turns > 0; turns -= 1)
            await setImmediate();
          if (id === 'b') throw new BridgeError('unsupported_capability', 'no route');
          await place?.reached();
          added.push(id);
          place?.leave();
          const job = await rig.store.find(SCOPE, newId);
          if (!job) throw new Error('no job');
          return { job, repeated: false };
        },
      },
    });

    const result = await batches.undo('batch', requestContext({ scope: SCOPE }));

    expect(added).toEqual(['a', 'c', 'd', 'e']);
    expect(result).toMatchObject({ done: 4, skipped: [{ reason: 'refused', ids: ['b'] }] });
  });

  test('marks, labels and priorities return to their earlier values', async () => {
    const [plain, marked] = await submitted(2);
    await rig.jobs.update(SCOPE, marked ?? '', { favorite: true, labels: ['b'], priority: 2 });
    const ids = [plain, marked];
    const batches = [
      await change({ action: 'favorite', ids }),
      await change({ action: 'label', ids, add_labels: ['a'], remove_labels: ['b'] }),
      await change({ action: 'priority', ids, priority: 2 }),
    ];
    const changed = await Promise.all(ids.map((id) => rig.read(id ?? '')));

    for (const { undo: offered } of batches) await undo(offered?.id);

    expect(batches.map(({ done }) => done)).toEqual([1, 2, 1]);
    expect(changed).toMatchObject([
      { favorite: true, labels: ['a'], priority: 2 },
      { favorite: true, labels: ['a'], priority: 2 },
    ]);
    const [first, second] = await Promise.all(ids.map((id) => rig.read(id ?? '')));
    expect(first).toMatchObject({ favorite: false });
    expect([first?.labels, first?.priority]).toEqual([undefined, undefined]);
    expect(second).toMatchObject({ favorite: true, labels: ['b'], priority: 2 });
  });

  test('a hidden job is restored, and a restored job is hidden', async () => {
    const ids = await submitted(1);
    await change({ action: 'cancel', ids });
    const hidden = await change({ action: 'hide', ids });
    await undo(hidden.undo?.id);
    const between = await rig.read(ids[0] ?? '');
    await change({ action: 'hide', ids });
    const restored = await change({ action: 'restore', ids });

    await undo(restored.undo?.id);

    expect(between).not.toHaveProperty('deleted');
    expect(await rig.read(ids[0] ?? '')).toHaveProperty('deleted');
  });

  test('a batch is undone once, by its own scope, and for one day', async () => {
    const ids = await submitted(1);
    const { undo: offered } = await change({ action: 'favorite', ids });
    const notFound = { code: 'not_found' };

    await expect(undo(offered?.id, 'other')).rejects.toMatchObject(notFound);
    await undo(offered?.id);
    await expect(undo(offered?.id)).rejects.toMatchObject(notFound);
    const late = await change({ action: 'favorite', ids });
    await rig.clock.advance(86_400_000);
    await expect(undo(late.undo?.id)).rejects.toMatchObject(notFound);
  });
});

describe('the undo of a cancellation', () => {
  async function cancelled(count: number, more: object = {}) {
    const ids = await submitted(count);
    const { undo: offered } = await change({ action: 'cancel', ids, ...more });
    return { first: ids[0] ?? '', undoId: offered?.id ?? '' };
  }

  test('leads from a cancelled job to the job that another token of the scope has queued again', async () => {
    const { first, undoId } = await cancelled(1);
    await expect(undo(undoId, 'other')).rejects.toMatchObject({ code: 'not_found' });
    const before = await rig.read(first);

    const context = requestContext({ operationId: 'undoJobChanges', scope: SCOPE });
    await rig.jobBatches.undo(undoId, { ...context, caller: unnamedCaller('bob') });

    const [anew] = await queued();
    expect(before).not.toHaveProperty('retried_as');
    expect(await rig.read(first)).toMatchObject({ retried_as: anew?.id });
  });

  test('is reported to the readers of the feed and of the job, also if the job had started', async () => {
    rig.work();
    const starting = rig.run(0);
    const running = (await rig.submit()).job.id;
    await starting;
    const body = { action: 'cancel', ids: [running], running: true };
    const { undo: offered } = await change(body);
    await rig.ended(running);
    const feed = readAll(await rig.jobStreams.ofScope(createStreamClient().context));
    await feed.until(1);

    await undo(offered?.id);

    const { retried_as: anew } = await rig.read(running);
    const job = expect.objectContaining({ id: running, status: 'cancelled', retried_as: anew });
    const events = () => feed.items.map(({ event }) => event);
    await until(() => events().some((event) => event?.type === 'job' && event.job.id === running));
    const follow = readAll(await rig.jobStreams.ofJob(running, createStreamClient().context));
    await until(() => follow.hasEnded);
    expect(anew).toEqual(expect.any(String));
    expect(events()).toContainEqual({ type: 'job', snapshot: false, job });
    expect(follow.items.map(({ event }) => event)).toEqual([
      { type: 'snapshot', job },
      { type: 'ended', job },
    ]);
  });

  test('leads from each of many cancelled jobs to its own new job', {
    timeout: 120_000,
  }, async () => {
    // In PostgreSQL, each job is cancelled and queued again in transactions of its own, which take several milliseconds.
    const count = IS_SCALED ? 500 : 5000;
    await rig.close();
    rig = await openJobRig({ max_pending: 2 * count });
    const ids: string[] = [];
    while (ids.length < count) {
      const group = await Promise.all(Array.from({ length: 100 }, () => rig.submit()));
      ids.push(...group.map(({ job }) => job.id));
    }
    const filter = { status: 'queued' };
    const { undo: offered } = await change({ action: 'cancel', filter, expected_count: count });

    const result = await undo(offered?.id);

    const { items: anew } = await rig.store.list(
      SCOPE,
      { visibility: 'active' },
      { limit: count + 1 },
    );
    const { items: old } = await rig.store.list(
      SCOPE,
      { visibility: 'hidden' },
      { limit: count + 1 },
    );
    expect(result).toEqual({ done: count, skipped: [] });
    expect(old.map(({ id }) => id)).toEqual(ids.toReversed());
    expect(old.map((job) => job.retriedAs)).toEqual(anew.map(({ id }) => id));
  });
});
