import { describe, expect, it } from 'vitest';
import type { Api } from '../../../dashboard/src/api/api.ts';
import type { JobSummary } from '../../../dashboard/src/api/schemas.ts';
import { createJobs, type JobChange } from '../../../dashboard/src/jobs/jobs.ts';
import { once } from '../support/once.ts';

const summary = (change: Partial<JobSummary> = {}): JobSummary => ({
  id: '01a00000-0000-7000-8000-000000000001',
  status: 'queued',
  created: 100,
  updated: 100,
  cancel_requested: false,
  favorite: false,
  operation: 'generate',
  prompt: 'a lighthouse',
  provider: 'sandbox',
  outputs: 1,
  size: 'auto',
  inputs: 0,
  artifacts: [],
  ...change,
});
const artifact = { id: 'a1', width: 8, height: 8, format: 'png', bytes: 69 } as const;

/** Creates a bridge that sends the same reply to every request. */
const replying = (data: unknown) => {
  const reply = async () => ({ data, response: new Response() });
  return { GET: reply, PATCH: reply, DELETE: reply } as unknown as Api;
};

describe('createJobs', () => {
  it('reports a job on a page of the history as news only if the job has changed', () => {
    const jobs = createJobs(replying({}), once);
    const news: unknown[] = [];
    jobs.subscribe((change) => news.push(change.kind === 'changed' && change.isNews));

    jobs.put(summary(), true);
    jobs.put(summary(), true);
    jobs.put(summary({ updated: 101 }), true);
    jobs.put(summary({ updated: 101 }));

    expect(news).toEqual([false, false, true, true]);
  });

  it('counts the jobs that have not ended', () => {
    const jobs = createJobs(replying({}), once);

    jobs.put(summary());
    const queued = jobs.open.value.size;
    jobs.put(summary({ status: 'succeeded', updated: 101 }));

    expect([queued, jobs.open.value.size]).toEqual([1, 0]);
  });

  it.each([
    ['from its end', { status: 'succeeded' }, { status: 'running' }],
    ['in time', { status: 'running', updated: 105 }, { status: 'running', updated: 101 }],
  ] as const)('ignores a message that would return a job %s', (_where, now, late) => {
    const jobs = createJobs(replying({}), once);
    jobs.put(summary(now));

    jobs.put(summary(late));

    expect(jobs.get(summary().id)).toMatchObject(now);
  });

  it('reports every change and every removal until the subscription ends', () => {
    const jobs = createJobs(replying({}), once);
    const changes: JobChange['kind'][] = [];
    const stop = jobs.subscribe(({ kind }) => changes.push(kind));

    jobs.put(summary());
    jobs.remove(summary().id);
    stop();
    jobs.put(summary());

    expect(changes).toEqual(['changed', 'removed']);
  });

  it('ignores a reply about a job that was removed while the reply was on its way', () => {
    const jobs = createJobs(replying({}), once);
    jobs.put(summary());
    jobs.remove(summary().id);

    jobs.put(summary());

    expect(jobs.get(summary().id)).toBeUndefined();
    expect(jobs.open.value.size).toBe(0);
  });

  it('remembers only the latest removed jobs', () => {
    const jobs = createJobs(replying({}), once);

    jobs.remove(summary().id);
    for (let count = 0; count < 10_000; count += 1) jobs.remove(String(count));
    jobs.put(summary());

    expect(jobs.get(summary().id)).toEqual(summary());
  });

  it('reads the images of a job that ended unseen from its detail', async () => {
    const detail = {
      ...summary({ status: 'succeeded', updated: 101, completed: 101 }),
      result: { data: [{ type: 'artifact', index: 0, name: 'a.png', sha256: '', ...artifact }] },
    };
    const jobs = createJobs(replying(detail), once);
    jobs.put(summary({ status: 'running' }));

    await jobs.read(summary().id);

    expect(jobs.get(summary().id)).toMatchObject({
      status: 'succeeded',
      completed: 101,
      artifacts: [artifact],
    });
  });

  it('reports a restored job again', async () => {
    const jobs = createJobs(replying(summary({ status: 'succeeded', updated: 102 })), once);
    jobs.put(summary({ status: 'succeeded', updated: 101, deleted: 101 }));

    await jobs.setHidden(summary().id, false);

    expect(jobs.get(summary().id)).not.toHaveProperty('deleted');
  });
});
