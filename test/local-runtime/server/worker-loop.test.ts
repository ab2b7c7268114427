import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type JobRig, openJobRig, refusal, SCOPE, until } from '../../lib/jobs/job-rig.ts';

const running = new AbortController().signal;

let rig: JobRig;

beforeEach(async () => {
  rig = await openJobRig();
});
afterEach(() => rig.close());

async function submitAll(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let nth = 0; nth < count; nth += 1) {
    ids.push((await rig.submit({ prompt: `number ${nth}` })).job.id);
  }
  return ids;
}

describe('startWorkerLoop', () => {
  test('runs at most the given number of jobs at a time, in the order of acceptance', async () => {
    await submitAll(5);
    rig.work(2);
    await rig.run(1);
    const atFirst = rig.runs.length;

    for (let nth = 0; nth < 5; nth += 1) (await rig.run(nth)).succeed();
    await until(() => rig.active() === 0);

    expect(atFirst).toBe(2);
    const prompts = rig.runs.map(({ request }) => request.prompt);
    expect(prompts).toEqual([0, 1, 2, 3, 4].map((nth) => `number ${nth}`));
  });

  test('continues after a failed job and after an error of the store', async () => {
    rig.refuse('claim', refusal());
    const [failing = '', last = ''] = await submitAll(2);
    rig.work();
    await until(() => rig.clock.waiting === 1);
    await rig.clock.advance(1000);

    (await rig.run(0)).fail(new Error('broken'));
    (await rig.run(1)).succeed();

    const failed = { status: 'failed', error: { code: 'internal' } };
    expect(await rig.ended(failing)).toMatchObject(failed);
    expect(await rig.ended(last)).toMatchObject({ status: 'succeeded' });
  });

  test('drains running jobs, claims no further jobs, and ends the waits for queued jobs', async () => {
    const [first = '', second = ''] = await submitAll(2);
    const loop = rig.work();
    const run = await rig.run(0);
    const waits = [first, second].map((id) => rig.jobs.find(SCOPE, id, 30_000, running));

    const drained = loop.drain(running);
    run.succeed();
    await drained;

    const jobs = await Promise.all(waits);
    expect(jobs.map(({ status }) => status)).toEqual(['succeeded', 'queued']);
    expect(rig.runs).toHaveLength(1);
    expect(rig.clock.waiting).toBe(0);
  });

  test.each([
    ['in the middle', () => new AbortController()],
    ['from the beginning', () => ({ signal: AbortSignal.abort(), abort: () => {} })],
  ])('interrupts running jobs when the grace period ends %s', async (_, start) => {
    const [id = ''] = await submitAll(1);
    const loop = rig.work();
    await rig.run(0);
    const grace = start();

    const drained = loop.drain(grace.signal);
    grace.abort();
    await drained;

    expect(await rig.read(id)).toMatchObject({ status: 'interrupted' });
  });
});
