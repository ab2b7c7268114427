import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { toStoredError } from '../../../lib/errors/error-body.ts';
import { operatorCancellation } from '../../../lib/jobs/job-end.ts';
import type { InFlight } from '../../../lib/jobs/job-store-port.ts';
import { newJob, succeeded, WIDE } from '../../support/jobs.ts';
import { forever, type JobRig, openJobRig, SCOPE, until } from './job-rig.ts';
import { createStreamClient, readAll } from './stream-client.ts';

let rig: JobRig;

beforeEach(async () => {
  rig = await openJobRig();
});
afterEach(() => rig.close());

/** Returns the jobs as another process sees them. Its changes publish no notices here. */
async function otherJobs() {
  return (await rig.stores.ofNextProcess()).jobs;
}

async function submitted(): Promise<string> {
  return (await rig.submit()).job.id;
}

/** Starts a job here. */
async function running() {
  const id = await submitted();
  rig.work();
  return { id, run: await rig.run(0) };
}

async function requestCancellation(id: string, inFlight: InFlight): Promise<void> {
  const error = toStoredError(operatorCancellation());
  await (await otherJobs()).cancel(SCOPE, id, { atSecs: 1, error, inFlight });
}

describe('openJobs, a state that other processes use', () => {
  test.each([
    ['a notice', (id: string) => ({ type: 'cancelling', id }) as const],
    ['lost notices', () => ({ type: 'missed' }) as const],
  ])('a job that another process cancels stops here after %s', async (_, toNotice) => {
    const { id } = await running();
    await requestCancellation(id, 'stop');

    rig.publish(toNotice(id));

    expect(await rig.ended(id)).toMatchObject({
      status: 'cancelled',
      error: { details: { reason: 'operator', provider_stopped: true } },
    });
  });

  test('calls in flight finish if the other process lets them', async () => {
    const { id, run } = await running();
    await requestCancellation(id, 'finish');
    rig.publish({ type: 'cancelling', id });
    await rig.clock.advance(0);

    run.succeed();

    expect(await rig.ended(id)).toMatchObject({ status: 'cancelled', cancel_requested: true });
  });

  test.each([
    ['a notice', { type: 'queued', count: 1, ownCount: 0 }],
    ['lost notices', { type: 'missed' }],
  ] as const)('a job that another process adds is claimed here after %s', async (_, notice) => {
    rig.work();
    await rig.clock.advance(0);
    const { job } = await (await otherJobs()).submit(newJob(), WIDE);

    rig.publish(notice);
    (await rig.run(0)).succeed();

    expect(await rig.ended(job.id)).toMatchObject({ status: 'succeeded' });
  });

  test('an end that another process stores ends a wait after lost notices', async () => {
    const id = await submitted();
    const waiting = rig.jobs.find(SCOPE, id, 30_000, forever);
    const job = await rig.stores.jobs.find(SCOPE, id);
    await requestCancellation(id, 'stop');

    rig.publish({ type: 'missed' });

    expect(job?.status).toBe('queued');
    expect(await waiting).toMatchObject({ id, status: 'cancelled' });
  });

  test.each(['changed', 'missed'] as const)(
    'an event stream has the change of another process after the notice %s',
    async (type) => {
      const id = await submitted();
      const read = readAll(await rig.jobStreams.ofScope(createStreamClient().context));
      await read.until(2);
      await requestCancellation(id, 'stop');

      rig.publish({ type });
      await read.until(3);

      expect(read.items[2]?.event).toMatchObject({ job: { id, status: 'cancelled' } });
    },
  );

  test('a job that waits for the limit of all processes starts when a job of another process ends', async () => {
    await rig.close();
    rig = await openJobRig({ max_running_total: 1 });
    const elsewhere = await otherJobs();
    const other = await submitted();
    const { sequence } = (await elsewhere.claim(1)) ?? { sequence: 0 };
    const waiting = await submitted();
    let isTried = false;
    rig.afterClaim(() => {
      isTried = true;
    });
    rig.work();
    await until(() => isTried);
    const before = (await rig.read(waiting)).status;

    await elsewhere.settle(sequence, succeeded());
    rig.publish({ type: 'ended', id: other });
    await rig.run(0);

    expect(before).toBe('queued');
    expect((await rig.read(waiting)).status).toBe('running');
  });

  test('a stream has the end of its job if this process stops before the notice arrives', async () => {
    const id = await submitted();
    const read = readAll(await rig.jobStreams.ofJob(id, createStreamClient().context));
    await read.until(1);
    await requestCancellation(id, 'stop');

    rig.worker.over();
    await until(() => read.hasEnded);

    expect(read.items.map(({ event }) => event)).toEqual([
      { type: 'snapshot', job: expect.objectContaining({ id, status: 'queued' }) },
      { type: 'ended', job: await rig.read(id) },
    ]);
  });

  test('an event stream has each change before this process stops, also without a notice', async () => {
    const id = await submitted();
    const read = readAll(await rig.jobStreams.ofScope(createStreamClient().context));
    await read.until(2);
    await requestCancellation(id, 'stop');

    rig.worker.over();
    await until(() => read.hasEnded);

    expect(read.items[2]?.event).toMatchObject({ job: { id, status: 'cancelled' } });
    expect(read.items).toHaveLength(3);
  });

  test('jobs of an ended process are interrupted while the jobs of this process run', async () => {
    const { id, run } = await running();
    const other = await submitted();
    await (await otherJobs()).claim(1);
    const waiting = rig.jobs.find(SCOPE, other, 30_000, forever);

    await rig.takeOver();

    expect(await waiting).toMatchObject({
      status: 'interrupted',
      error: { details: { outcome: 'unknown' } },
    });
    run.succeed();
    expect(await rig.ended(id)).toMatchObject({ status: 'succeeded' });
    expect(rig.runs).toHaveLength(1);
  });
});
