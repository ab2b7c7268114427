import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { recordTasks } from '../../../lib/diagnostics/task-records.ts';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import type { FailureSource } from '../../../lib/log/trace-log.ts';
import type { Task } from '../../../lib/platform/task.ts';
import { createManualClock } from '../../support/manual-clock.ts';

function record(run: Task['run']) {
  const clock = createManualClock();
  const failures: { thrown: unknown; source: FailureSource }[] = [];
  const counted: string[] = [];
  const { tasks, report } = recordTasks([{ name: 'sweep', everyMs: 5, run }], {
    clock,
    log: { failure: (thrown, source) => failures.push({ thrown, source }) },
    metrics: { taskFailed: ({ task }) => counted.push(task) },
  });
  const [task] = tasks;
  if (!task) throw new Error('there is no task');
  return { clock, failures, counted, task, report };
}

const running = () => new AbortController().signal;

describe('recordTasks', () => {
  it('lists a task without a last success before its first run', () => {
    const { report } = record(async () => {});

    expect(report()).toEqual([{ name: 'sweep', failures: 0 }]);
  });

  it('keeps the name and the interval of a task', () => {
    expect(record(async () => {}).task).toMatchObject({ name: 'sweep', everyMs: 5 });
  });

  it('records the end of the last successful run', async () => {
    const { clock, task, report } = record(async () => {});

    await clock.advance(7000);
    await task.run(running());

    const last_success = Math.floor(clock.nowMs() / 1000);
    expect(report()).toEqual([{ name: 'sweep', last_success, failures: 0 }]);
  });

  it('records each success of a run that does not end', async () => {
    const stopping = new AbortController();
    const { clock, task, report } = record(async (signal, succeeded) => {
      await clock.advance(3000);
      succeeded?.();
      await clock.advance(3000);
      await once(signal, 'abort');
    });
    const running = task.run(stopping.signal);

    await expect.poll(() => clock.monotonicMs()).toBe(6000);
    const last_success = Math.floor(clock.nowMs() / 1000) - 3;
    expect(report()).toEqual([{ name: 'sweep', last_success, failures: 0 }]);
    stopping.abort();
    await running;
    expect(report()).toEqual([{ name: 'sweep', last_success, failures: 0 }]);
  });

  it('logs a failure, counts each failure and keeps the last success', async () => {
    const failure = new Error('a full disk');
    let isBroken = false;
    const { clock, counted, failures, task, report } = record(async () => {
      if (isBroken) throw failure;
    });

    await task.run(running());
    isBroken = true;
    await task.run(running());
    await task.run(running());

    expect(failures).toEqual([{ thrown: failure, source: { task: 'sweep' } }]);
    expect(counted).toEqual(['sweep', 'sweep']);
    expect(report()).toEqual([
      { name: 'sweep', last_success: Math.floor(clock.nowMs() / 1000), failures: 2 },
    ]);
  });

  it('does not count a run that the shutdown aborts', async () => {
    const stopping = new AbortController();
    const { counted, task, report } = record(async () => {
      stopping.abort();
      throw new Error('stopped');
    });

    await task.run(stopping.signal);

    expect(counted).toEqual([]);
    expect(report()).toEqual([{ name: 'sweep', failures: 0 }]);
  });

  it('logs a failure that repeats itself once a minute, and counts every failure', async () => {
    const { clock, failures, counted, task } = record(() => Promise.reject(new Error('away')));

    for (let run = 0; run < 13; run += 1) {
      await task.run(running());
      await clock.advance(5000);
    }

    expect([failures.length, counted.length]).toEqual([2, 13]);
  });

  it('logs a different failure at once, and any failure after a success', async () => {
    const results = ['away', 'slow', undefined, 'slow'];
    const { failures, task } = record(async () => {
      const message = results.shift();
      if (message !== undefined) throw new BridgeError('overloaded', message);
    });

    for (let run = 0; run < 4; run += 1) await task.run(running());

    expect(failures.map(({ thrown }) => (thrown as Error).message)).toEqual([
      'away',
      'slow',
      'slow',
    ]);
  });
});
