import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type JobRig, openJobRig, until } from './job-rig.ts';

let rig: JobRig;

beforeEach(async () => {
  rig = await openJobRig();
});
afterEach(() => rig.close());

describe('createQueueControl', () => {
  test('the queue shows the age of the oldest queued job', async () => {
    await rig.submit({ priority: 1 });
    await rig.clock.advance(2500);
    await rig.submit({ priority: 2 });

    const queue = await rig.jobQueue.read();

    expect(queue).toEqual({
      paused: false,
      queued: 2,
      running: 0,
      oldest_queued_age_ms: 2500,
      by_provider: { sandbox: { queued: 2, running: 0 } },
    });
  });

  test('a paused queue accepts jobs and starts none, and all workers continue when it is resumed', async () => {
    const { job: running } = await rig.submit();
    rig.work(2);
    const run = await rig.run(0);

    const paused = await rig.jobQueue.update({ paused: true });
    await rig.submit();
    await rig.submit();
    run.succeed();
    await rig.ended(running.id);
    await rig.clock.advance(60_000);
    const started = rig.runs.length;
    await rig.jobQueue.update({ paused: false });
    await until(() => rig.runs.length === 3);

    expect(paused).toMatchObject({ paused: true, running: 1 });
    expect(started).toBe(1);
    expect(await rig.jobQueue.read()).toMatchObject({ paused: false, queued: 0, running: 2 });
  });

  test('pausing a paused queue changes nothing', async () => {
    await rig.jobQueue.update({ paused: true });

    expect(await rig.jobQueue.update({ paused: true })).toMatchObject({ paused: true });
  });
});
