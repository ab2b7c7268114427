import { randomInt } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { IS_SCALED } from '../../support/drivers.ts';
import { forever, type JobRig, openJobRig, SCOPE, until } from './job-rig.ts';

// Set CANCEL_RACES=10000 for the long run.
const RACES = Number(process.env['CANCEL_RACES'] ?? 300);
// A store of another process takes a few milliseconds to claim a job, which is many turns of the event loop.
const LONGEST_WAIT = IS_SCALED ? 2000 : 12;
const UNKNOWN_ID = '0190a0b0-0000-7000-8000-000000000000';

let rig: JobRig;

beforeEach(async () => {
  rig = await openJobRig();
});
afterEach(() => rig.close());

async function turns(count: number): Promise<void> {
  let left = count;
  await until(() => left-- === 0);
}

describe('createJobs', () => {
  test('a wait returns the ended job', async () => {
    const { job } = await rig.submit();
    rig.work();
    const run = await rig.run(0);
    const waiting = rig.jobs.find(SCOPE, job.id, 30_000, forever);
    await turns(3);

    run.succeed();

    expect(await waiting).toMatchObject({ status: 'succeeded' });
    expect(rig.clock.waiting).toBe(0);
  });

  test('a wait returns the present state of the job after the given time', async () => {
    const { job } = await rig.submit();
    const waiting = rig.jobs.find(SCOPE, job.id, 30_000, forever);
    await rig.clock.advance(30_000);

    expect(await waiting).toMatchObject({ status: 'queued' });
    expect(rig.clock.waiting).toBe(0);
  });

  test('a wait for a queued job ends with its cancellation', async () => {
    const { job } = await rig.submit();
    const waiting = rig.jobs.find(SCOPE, job.id, 30_000, forever);

    const reply = await rig.jobs.cancel(SCOPE, job.id);

    expect(reply).toMatchObject({ status: 'cancelled', cancel_requested: true });
    expect(await waiting).toEqual(reply);
    expect(rig.clock.waiting).toBe(0);
  });

  test('a wait for a job that has ended returns at once', async () => {
    const { job } = await rig.submit();
    await rig.jobs.cancel(SCOPE, job.id);

    const found = await rig.jobs.find(SCOPE, job.id, 30_000, forever);

    expect(found.status).toBe('cancelled');
    expect(rig.clock.waiting).toBe(0);
  });

  test('a cancellation ends a job that is running in the store but in no process', async () => {
    const { job } = await rig.submit();
    await rig.store.claim(1);
    const waiting = rig.jobs.find(SCOPE, job.id, 30_000, forever);

    const cancelled = await rig.jobs.cancel(SCOPE, job.id);

    expect(cancelled).toMatchObject({
      status: 'cancelled',
      cancel_requested: true,
      error: { code: 'cancelled', retryable: false, details: { outcome: 'unknown' } },
    });
    expect(await waiting).toEqual(cancelled);
    expect(rig.active()).toBe(0);
  });

  test('a cancellation of a job that another live process runs is stored, and does not report an end', async () => {
    const { job } = await rig.submit();
    await (await rig.stores.ofNextProcess()).jobs.claim(1);
    const waiting = rig.jobs.find(SCOPE, job.id, 30_000, forever);
    let hasEnded = false;
    const noted = waiting.then(() => {
      hasEnded = true;
    });

    const reply = await rig.jobs.cancel(SCOPE, job.id);
    await turns(3);

    expect(reply).toMatchObject({ status: 'running', cancel_requested: true });
    expect(reply).not.toHaveProperty('error');
    expect(hasEnded).toBe(false);
    await rig.clock.advance(30_000);
    await noted;
  });

  test('a wait that a shutdown ends returns the present state of the job', async () => {
    const { job } = await rig.submit();
    const shutdown = new AbortController();
    const waiting = rig.jobs.find(SCOPE, job.id, 30_000, shutdown.signal);

    shutdown.abort(new Error('the bridge is stopping'));

    expect(await waiting).toMatchObject({ id: job.id, status: 'queued' });
    expect(rig.clock.waiting).toBe(0);
  });

  test.each([0, 30_000])(
    'a job of another scope is not found, after %i ms of waiting',
    async (waitMs) => {
      const { job } = await rig.submit();

      const outcomes = await Promise.allSettled(
        [job.id, UNKNOWN_ID, 'no id'].flatMap((id) => [
          rig.jobs.find('other', id, waitMs, forever),
          rig.jobs.cancel('other', id),
          rig.jobs.update('other', id, { favorite: true }),
          rig.jobs.partial('other', id),
        ]),
      );

      const reason = expect.objectContaining({ code: 'not_found', param: null, details: {} });
      expect(outcomes).toEqual(outcomes.map(() => ({ status: 'rejected', reason })));
      expect(rig.clock.waiting).toBe(0);
      expect(await rig.read(job.id)).toEqual(job);
    },
  );

  test('a repeated request under a key gets the job of the first request', async () => {
    const first = await rig.submit({}, { idempotencyKey: 'one' });
    const second = await rig.submit({}, { idempotencyKey: 'one' });

    expect([first.replayed, second.replayed]).toEqual([false, true]);
    expect(second.job).toEqual(first.job);
  });

  test(`a cancellation that races with start and end has one of the two outcomes, ${RACES} times`, {
    timeout: 30_000 + RACES * 20,
  }, async () => {
    rig.work(4);
    const ends = { cancelled: 0, succeeded: 0 };
    for (let race = 0; race < RACES; race += 1) {
      const { job } = await rig.submit();
      const before = rig.runs.length;
      const finishing = turns(randomInt(5)).then(async () => {
        await until(async () => {
          if (rig.runs.length > before) return true;
          return (await rig.read(job.id)).completed !== undefined;
        });
        await turns(randomInt(3));
        rig.runs[before]?.succeed();
      });

      // Every tenth cancellation meets the end, because on a busy machine the others may all come before it.
      const isLate = race % 10 === 0;
      const cancelling = (isLate ? finishing : turns(randomInt(LONGEST_WAIT))).then(() =>
        rig.jobs.cancel(SCOPE, job.id),
      );
      const [reply] = await Promise.all([cancelling, finishing]);
      const ended = await rig.ended(job.id);

      expect(Object.keys(ends)).toContain(ended.status);
      ends[ended.status as keyof typeof ends] += 1;
      expect(rig.runs.length - before).toBeLessThanOrEqual(1);
      if (reply.completed !== undefined) expect(ended).toEqual(reply);
      else expect(ended).toMatchObject({ status: 'cancelled', cancel_requested: true });
      if (ended.status === 'succeeded') expect(ended.result).toBeDefined();
      else expect(ended.error).toMatchObject({ code: 'cancelled', retryable: false });
    }
    expect(rig.active()).toBe(0);
    expect(ends.cancelled).toBeGreaterThan(0);
    expect(ends.succeeded).toBeGreaterThan(0);
  });
});
