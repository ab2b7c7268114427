import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { VerifiedEvent } from '../../../lib/generation/generation-events.ts';
import { requestContext } from '../../support/request-context.ts';
import { type JobRig, openJobRig, SCOPE, until } from './job-rig.ts';
import { createStreamClient, readAll } from './stream-client.ts';

let rig: JobRig;

beforeEach(async () => {
  rig = await openJobRig();
});
afterEach(() => rig.close());

async function submitted(): Promise<string> {
  return (await rig.submit()).job.id;
}

function partial(index: number, partialIndex: number): VerifiedEvent {
  const image = {
    bytes: Buffer.from('pixels'),
    format: 'png' as const,
    width: 8,
    height: 4,
    orientation: 1,
    alpha: 'none' as const,
    sha256: 'ab'.repeat(32),
  };
  return { type: 'partial_image', index, partialIndex, image };
}

const progress = (stage: 'dispatched' | 'generating' | 'verifying', index = 0): VerifiedEvent => ({
  type: 'progress',
  stage,
  index,
});

async function follow(id: string, client = createStreamClient()) {
  return readAll(await rig.jobStreams.ofJob(id, client.context));
}

async function feed(lastEventId?: string, client = createStreamClient()) {
  return readAll(await rig.jobStreams.ofScope(client.context, { lastEventId }));
}

const eventsOf = <T extends { readonly event?: unknown }>({ items }: { readonly items: T[] }) =>
  items.map(({ event }) => event);

describe('createJobStreams, ofJob', () => {
  test('a stream follows a job from its present state to its end', async () => {
    const id = await submitted();
    const read = await follow(id);
    await read.until(1);

    rig.work();
    const run = await rig.run(0);
    run.emit(progress('generating'));
    await read.until(2);
    run.emit(partial(0, 1));
    await read.until(3);
    run.succeed();
    await until(() => read.hasEnded);

    expect(eventsOf(read)).toEqual([
      { type: 'snapshot', job: expect.objectContaining({ id, status: 'queued' }) },
      { type: 'progress', stage: 'generating', index: 0 },
      { type: 'partial_image', index: 0, partial_index: 1, width: 8, height: 4 },
      { type: 'ended', job: await rig.read(id) },
    ]);
    expect(read.items.map((item) => item.id)).toEqual(['1', '2', '3', '4']);
  });

  test('the stream of an ended job has its state and its end', async () => {
    const id = await submitted();
    const job = await rig.jobs.cancel(SCOPE, id);

    const read = await follow(id);
    await until(() => read.hasEnded);

    expect(eventsOf(read)).toEqual([
      { type: 'snapshot', job },
      { type: 'ended', job },
    ]);
  });

  test('a slow reader gets the latest event of each output and the end', async () => {
    const id = await submitted();
    const stream = await rig.jobStreams.ofJob(id, createStreamClient().context);
    const iterator = stream[Symbol.asyncIterator]();
    await iterator.next();
    rig.work();
    const run = await rig.run(0);
    const steps = ['dispatched', 'generating', 'verifying'] as const;
    for (const stage of steps) run.emit(progress(stage, 0));
    for (let count = 0; count < 100; count += 1) run.emit(partial(1, count));
    run.emit(progress('generating', 1));
    await until(async () => (await rig.read(id)).progress?.partial_images === 100);
    run.succeed();
    await rig.ended(id);

    const read = readAll({ [Symbol.asyncIterator]: () => iterator });
    await until(() => read.hasEnded);

    expect(eventsOf(read)).toEqual([
      progress('verifying', 0),
      { type: 'partial_image', index: 1, partial_index: 99, width: 8, height: 4 },
      progress('generating', 1),
      { type: 'ended', job: await rig.read(id) },
    ]);
  });

  test.each(['cancel', 'fail'] as const)('the end of a job is reported: %s', async (how) => {
    const id = await submitted();
    rig.work();
    const run = await rig.run(0);
    const read = await follow(id);
    await read.until(1);

    if (how === 'cancel') await rig.jobs.cancel(SCOPE, id);
    else run.fail(new Error('broken'));
    await until(() => read.hasEnded);

    const status = how === 'cancel' ? 'cancelled' : 'failed';
    expect(eventsOf(read).at(-1)).toMatchObject({ type: 'ended', job: { id, status } });
  });

  test.each([
    ['an unknown job', SCOPE, 'nothing'],
    ['a job of another scope', 'other', undefined],
  ])('%s is not found, and no stream remains open', async (_name, scope, id) => {
    const own = await submitted();

    for (let count = 0; count < 100; count += 1) {
      const { context } = createStreamClient(scope);
      await expect(rig.jobStreams.ofJob(id ?? own, context)).rejects.toMatchObject({
        code: 'not_found',
      });
    }
  });

  test('a stream ends without the end of its job when no job runs in this process any more', async () => {
    const read = await follow(await submitted());
    await read.until(1);

    rig.worker.over();
    await until(() => read.hasEnded);

    expect(eventsOf(read)).toMatchObject([{ type: 'snapshot' }]);
    expect(read.failure).toBeUndefined();
  });
});

describe('createJobStreams, ofScope', () => {
  const typesOf = (read: Awaited<ReturnType<typeof feed>>) =>
    read.items.map(({ event }) =>
      event?.type === 'job' ? [event.snapshot, event.job.status] : event?.type,
    );

  test('the feed begins with the active jobs, followed by each change of a job', async () => {
    const [ended, active] = [await submitted(), await submitted()];
    await rig.jobs.cancel(SCOPE, ended);
    const read = await feed();
    await read.until(2);

    rig.work();
    await read.until(3);
    (await rig.run(0)).emit(progress('generating'));
    await read.until(4);
    (await rig.run(0)).emit(partial(0, 0));
    await read.until(5);
    (await rig.run(0)).succeed();
    await read.until(6);
    await rig.jobs.update(SCOPE, active, { favorite: true });
    await read.until(7);
    await rig.jobs.update(SCOPE, active, { deleted: true });
    await read.until(8);

    expect(typesOf(read)).toEqual([
      undefined,
      [true, 'queued'],
      [false, 'running'],
      [false, 'running'],
      [false, 'running'],
      [false, 'succeeded'],
      [false, 'succeeded'],
      [false, 'succeeded'],
    ]);
    const jobs = read.items.flatMap(({ event }) => (event?.type === 'job' ? [event.job] : []));
    expect(jobs.map(({ id }) => id)).toEqual(Array(7).fill(active));
    expect(jobs.slice(2, 4).map((job) => job.progress)).toEqual([
      { stage: 'generating', partial_images: 0, finished_images: 0 },
      { stage: 'generating', partial_images: 1, finished_images: 0 },
    ]);
    const listed = await rig.jobLists.list(
      SCOPE,
      { limit: 1, visibility: 'hidden' },
      new AbortController().signal,
    );
    expect(jobs.at(-1)).toEqual(listed.items[0]);
  });

  test('progress that changes nothing in the summary is not sent', async () => {
    await submitted();
    rig.work();
    const run = await rig.run(0);
    const read = await feed();
    await read.until(2);

    run.emit(progress('generating', 0));
    await read.until(3);
    run.emit(progress('generating', 1));
    run.emit(progress('verifying', 1));
    await read.until(4);

    expect(read.items.at(-1)?.event).toMatchObject({ job: { progress: { stage: 'verifying' } } });
  });

  test('the feed has no jobs of other scopes', async () => {
    const read = await feed();
    await read.until(1);

    const other = await rig.submit({}, { scope: 'other' });
    await rig.jobs.cancel('other', other.job.id);
    const own = await submitted();
    await read.until(2);

    expect(read.items).toHaveLength(2);
    expect(read.items[1]?.event).toMatchObject({ type: 'job', job: { id: own } });
  });

  test('a resumed feed has each job that changed meanwhile, in its present state', async () => {
    const first = await feed();
    await first.until(1);
    const [one, two, three] = [await submitted(), await submitted(), await submitted()];
    await first.until(4);
    await rig.jobs.cancel(SCOPE, two);
    await rig.jobs.update(SCOPE, two, { favorite: true });

    const read = await feed(first.items[1]?.id);
    await read.until(4);

    const jobs = read.items.flatMap(({ event }) => (event?.type === 'job' ? [event] : []));
    expect(jobs).toMatchObject([
      { snapshot: true, job: { id: three, status: 'queued' } },
      { snapshot: true, job: { id: one, status: 'queued' } },
      { snapshot: true, job: { id: two, status: 'cancelled', favorite: true } },
    ]);
  });

  test('a feed resumed from its first id misses no change', async () => {
    const first = await feed();
    await first.until(1);
    await rig.jobs.cancel(SCOPE, await submitted());

    const read = await feed(first.items[0]?.id);
    await read.until(2);

    expect(typesOf(read)).toEqual([undefined, [true, 'cancelled']]);
  });

  test('jobs that retention removes are in open feeds and in resumed feeds', async () => {
    const id = await submitted();
    const read = await feed();
    await read.until(2);
    await rig.jobs.cancel(SCOPE, id);
    await read.until(3);

    await rig.clock.advance(rig.retentionMs + 1000);
    await rig.runTask('job-retention');
    await read.until(4);
    const later = await feed(read.items[1]?.id);
    await later.until(2);

    expect(read.items[3]?.event).toEqual({ type: 'removed', id });
    expect(later.items[1]?.event).toEqual({ type: 'removed', id });
  });

  test('a slow reader gets each job once, in its present state', async () => {
    const id = await submitted();
    const stream = await rig.jobStreams.ofScope(createStreamClient().context);
    const iterator = stream[Symbol.asyncIterator]();
    await iterator.next();
    await iterator.next();
    for (let count = 0; count < 20; count += 1) {
      await rig.jobs.update(SCOPE, id, { favorite: count % 2 === 0 });
    }
    await rig.jobs.cancel(SCOPE, id);
    const other = await submitted();

    const read = readAll({ [Symbol.asyncIterator]: () => iterator });
    await read.until(2);

    expect(eventsOf(read)).toMatchObject([
      { job: { id, status: 'cancelled' } },
      { job: { id: other, status: 'queued' } },
    ]);
  });

  test.each([
    ['of another scope', 'other', (id: string) => id],
    ['of no stream', SCOPE, () => '12'],
    [
      'with one other character',
      SCOPE,
      (id: string) => `${id.startsWith('B') ? 'C' : 'B'}${id.slice(1)}`,
    ],
  ])('an id %s is rejected, and no stream remains open', async (_name, scope, change) => {
    const first = await feed();
    await first.until(1);
    const id = change(first.items[0]?.id ?? '');

    for (let count = 0; count < 100; count += 1) {
      const opening = rig.jobStreams.ofScope(createStreamClient(scope).context, {
        lastEventId: id,
      });
      await expect(opening).rejects.toMatchObject({
        code: 'invalid_request',
        param: 'last-event-id',
      });
    }
  });

  test.each([
    ['older than the removals that are remembered', 200_000],
    ['of changes that a restored database does not have', -1],
  ])('an id %s is rejected', async (_name, moved) => {
    const id = await submitted();
    const first = await feed();
    await first.until(2);
    await (moved < 0 ? rig.state.forgetChanges() : rig.state.skipChanges(moved));

    const options = { lastEventId: first.items[1]?.id };
    const opening = rig.jobStreams.ofScope(createStreamClient().context, options);

    await expect(opening).rejects.toMatchObject({ param: 'last-event-id' });
    expect((await rig.read(id)).status).toBe('queued');
  });

  test('an empty id counts as no id', async () => {
    const read = await feed('');

    await read.until(1);

    expect(read.items).toHaveLength(1);
  });
});

describe('createJobStreams, ofScope with the queue', () => {
  async function follow(lastEventId?: string) {
    const options = { lastEventId, withQueue: true };
    return readAll(await rig.jobStreams.ofScope(createStreamClient().context, options));
  }

  const queuesOf = ({ items }: Awaited<ReturnType<typeof follow>>) =>
    items.flatMap(({ event }) => (event?.type === 'queue' ? [event.queue] : []));

  test('the queue follows the active jobs, and every change of places is sent after a second', async () => {
    const first = await submitted();
    const read = await follow();
    await read.until(3);

    const second = await submitted();
    await rig.jobs.update(SCOPE, second, { priority: 5 });
    await rig.jobQueue.update({ paused: true });
    await until(() =>
      read.items.some(({ event }) => event?.type === 'job' && event.job.priority === 5),
    );
    const early = queuesOf(read).length;
    await rig.clock.advance(1000);
    await until(() => queuesOf(read).length === 2);

    expect(read.items.slice(0, 3).map(({ event }) => event?.type)).toEqual([
      undefined,
      'job',
      'queue',
    ]);
    expect(early).toBe(1);
    const [before, after] = queuesOf(read);
    expect(before).toMatchObject({ paused: false, waiting: [{ id: first, position: 1 }] });
    expect(after).toMatchObject({
      paused: true,
      waiting: [
        { id: second, position: 1 },
        { id: first, position: 2 },
      ],
    });
    expect(after).toEqual(await rig.jobQueue.readOwn(SCOPE));
  });

  test('the places move when a job of another scope ends, and an equal queue is not sent again', async () => {
    const { job: other } = await rig.submit({}, { scope: 'other' });
    const own = await submitted();
    const read = await follow();
    await read.until(3);
    await rig.clock.advance(5000);

    await rig.jobs.cancel('other', other.id);
    await rig.clock.advance(1000);
    await until(() => queuesOf(read).length === 2);

    expect(queuesOf(read).map(({ waiting }) => waiting)).toEqual([
      [{ id: own, position: 2 }],
      [{ id: own, position: 1 }],
    ]);
  });

  test('a feed that is resumed begins with the present queue', async () => {
    await submitted();
    const first = await follow();
    await first.until(3);
    await rig.jobQueue.update({ paused: true });

    const resumed = await follow(first.items.at(-1)?.id);
    await resumed.until(3);

    expect(queuesOf(resumed)).toEqual([await rig.jobQueue.readOwn(SCOPE)]);
  });

  test('a feed whose client has disconnected neither reads the queue nor leaves a timer', async () => {
    const timers = rig.clock.waiting;
    const client = createStreamClient();
    const stream = await rig.jobStreams.ofScope(client.context, { withQueue: true });
    client.disconnect();

    const read = readAll(stream);
    await until(() => read.hasEnded);

    expect(queuesOf(read)).toEqual([]);
    expect(rig.clock.waiting).toBe(timers);
  });

  test('a feed without the queue has no queue events', async () => {
    const read = await feed();
    await rig.jobQueue.update({ paused: true });
    await submitted();
    await read.until(2);

    expect(typeof read.items[1]?.event === 'object' && read.items[1].event.type).toBe('job');
  });
});

describe('createJobStreams, a revoked token', () => {
  const REFUSED = { code: 'authentication_required', retryable: false };

  test('a stream of a revoked token fails, and its place is free', async () => {
    const client = createStreamClient();
    const reads = [await follow(await submitted(), client), await feed(undefined, client)];
    for (const read of reads) await read.until(1);

    client.revoke();
    await until(() => reads.every(({ hasEnded }) => hasEnded));

    for (const read of reads) expect(read.failure).toMatchObject(REFUSED);
    expect(client.isWatched()).toBe(false);
  });

  test('no waiting event is delivered after the token is revoked', async () => {
    const client = createStreamClient();
    const stream = await rig.jobStreams.ofScope(client.context);
    const events = stream[Symbol.asyncIterator]();
    await events.next();
    await submitted();

    client.revoke();

    await expect(events.next()).rejects.toMatchObject(REFUSED);
    await expect(events.next()).resolves.toMatchObject({ done: true });
  });

  test('an ended stream does not watch its token any more', async () => {
    const client = createStreamClient();
    const id = await submitted();
    await rig.jobs.cancel(SCOPE, id);
    const read = await follow(id, client);
    await until(() => read.hasEnded);

    expect(read.failure).toBeUndefined();
    expect(client.isWatched()).toBe(false);
  });
});

describe('createJobStreams, the number of streams', () => {
  test('a scope may have 64 streams of both kinds, independently of other scopes', async () => {
    const id = await submitted();
    for (let count = 0; count < 32; count += 1) {
      await follow(id);
      await feed();
    }

    await expect(follow(id)).rejects.toMatchObject({ code: 'rate_limited' });
    await expect(feed()).rejects.toMatchObject({
      code: 'rate_limited',
      details: { limit: 64, retry_after_ms: expect.any(Number) },
    });
    await (await feed(undefined, createStreamClient('other'))).until(1);
  });

  test.each<[string, (client: ReturnType<typeof createStreamClient>) => void]>([
    ['disconnects', (client) => client.disconnect()],
    ['asked for the head alone', (client) => client.finish()],
  ])('a client that %s frees the place of its stream', async (_name, happen) => {
    const id = await submitted();
    for (let count = 0; count < 200; count += 1) {
      const client = createStreamClient();
      const [one, other] = [await rig.jobStreams.ofJob(id, client.context), await feed('', client)];
      // The first event is created, and no further event is requested.
      await one[Symbol.asyncIterator]().next();

      happen(client);
      await until(() => other.hasEnded);
    }

    await (await feed()).until(1);
  });

  test('a client that disconnected before its stream was opened occupies no place', async () => {
    for (let count = 0; count < 100; count += 1) {
      const client = createStreamClient();
      client.disconnect();
      await rig.jobStreams.ofScope(client.context);
    }

    await (await feed()).until(1);
  });

  test('an ended stream frees its place', async () => {
    const id = await submitted();
    await rig.jobs.cancel(SCOPE, id);

    for (let count = 0; count < 100; count += 1) {
      const read = await follow(id);
      await until(() => read.hasEnded);
    }

    await (await follow(id)).until(2);
  });
});

describe('createJobStreams, a job whose stored request is damaged', () => {
  test('the stream of the job fails as soon as a claim ends the job', async () => {
    const id = await submitted();
    const events = await rig.jobStreams.ofJob(id, requestContext({ scope: SCOPE }));
    const iterator = events[Symbol.asyncIterator]();
    await iterator.next();
    const next = iterator.next();
    await rig.state.damageJobRequests();

    rig.work();

    await expect(next).rejects.toThrow();
  });
});
