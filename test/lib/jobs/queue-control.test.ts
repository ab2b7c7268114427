import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type JobRig, openJobRig, SCOPE, until } from './job-rig.ts';

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
      max_running: 4,
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

  test('the start of a queued job is estimated from the durations of ended jobs, unless the queue is paused', async () => {
    rig.work(4);
    for (let nth = 0; nth < 5; nth += 1) {
      const { job } = await rig.submit();
      const run = await rig.run(nth);
      await rig.clock.advance(10_000);
      run.succeed();
      await rig.ended(job.id);
    }
    const running = [];
    for (let nth = 5; nth < 9; nth += 1) {
      running.push((await rig.submit()).job.id);
      await rig.run(nth);
    }
    await rig.clock.advance(4000);
    const nowSecs = rig.clock.nowMs() / 1000;
    const { job: next } = await rig.submit();
    const { job: last } = await rig.submit({ priority: -1 });

    const own = await rig.jobQueue.readOwn(SCOPE);
    await rig.jobQueue.update({ paused: true });
    const paused = await rig.jobQueue.readOwn(SCOPE);

    expect(own).toEqual({
      paused: false,
      max_running: 4,
      running: running.map((id) => ({ id })),
      waiting: [
        { id: next.id, position: 1, estimated_start: nowSecs + 6 },
        { id: last.id, position: 2, estimated_start: nowSecs + 6 },
      ],
      queued: 2,
      done: nowSecs + 16,
    });
    expect(paused.waiting).toEqual([
      { id: next.id, position: 1 },
      { id: last.id, position: 2 },
    ]);
    expect(paused).not.toHaveProperty('done');
  });

  test('pausing a paused queue changes nothing', async () => {
    await rig.jobQueue.update({ paused: true });

    expect(await rig.jobQueue.update({ paused: true })).toMatchObject({ paused: true });
  });
});
