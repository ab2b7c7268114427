import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { handler as cancelQueueJob } from '../../handlers/queue/cancel-queue-job.ts';
import { handler as getOwnQueue } from '../../handlers/queue/get-own-queue.ts';
import { handler as getQueue } from '../../handlers/queue/get-queue.ts';
import { handler as listQueueJobs } from '../../handlers/queue/list-queue-jobs.ts';
import { handler as updateQueue } from '../../handlers/queue/update-queue.ts';
import { type JobRig, openJobRig, SCOPE, until } from '../lib/jobs/job-rig.ts';
import { invoke } from '../support/invoke.ts';

let rig: JobRig;

beforeEach(async () => {
  rig = await openJobRig();
  rig.tokenNames.set('id-1', 'laptop');
});
afterEach(() => rig.close());

describe('updateQueue', () => {
  it('replies with the changed queue', async () => {
    const reply = await invoke(updateQueue, { method: 'PATCH', body: { paused: true } }, rig);

    const paused = { paused: true, queued: 0, running: 0, max_running: 4, by_provider: {} };
    expect([reply.status, reply.json]).toEqual([200, paused]);
    expect((await invoke(getQueue, {}, rig)).json).toEqual(paused);
  });

  it('names the invalid field', async () => {
    const reply = await invoke(updateQueue, { method: 'PATCH', body: { paused: 'yes' } }, rig);

    expect(reply.status).toBe(422);
    expect(reply.json).toMatchObject({ error: { param: 'paused' } });
  });
});

describe('listQueueJobs', () => {
  it('lists the jobs of all tokens page by page without their content', async () => {
    const { job: first } = await rig.submit({ prompt: 'a secret' }, from('one', 'id-1'));
    await rig.clock.advance(2000);
    const { job: second } = await rig.submit({ prompt: 'a secret' }, from('two', ''));

    const one = await invoke(listQueueJobs, { query: 'limit=1' }, rig);
    const { next_cursor: cursor } = one.json as { next_cursor: string };
    const two = await invoke(listQueueJobs, { query: `limit=1&cursor=${cursor}` }, rig);

    const shown = { status: 'queued', cancel_requested: false };
    expect(one.json).toEqual({
      items: [{ ...shown, id: first.id, age_ms: 2000, owner: 'laptop' }],
      next_cursor: expect.stringMatching(/^[A-Za-z0-9_-]{32}$/),
    });
    expect(two.json).toEqual({ items: [{ ...shown, id: second.id, age_ms: 0 }] });
  });

  it('rejects the cursor of another list', async () => {
    const reply = await invoke(listQueueJobs, { query: 'cursor=AAAA' }, rig);

    expect(reply.status).toBe(422);
    expect(reply.json).toMatchObject({ error: { param: 'cursor' } });
  });
});

describe('getOwnQueue', () => {
  it('shows only the jobs of the caller, each with its place among the jobs of all tokens', async () => {
    const { job: other } = await rig.submit({}, from('other', 'id-2'));
    const { job: first } = await rig.submit({}, from(SCOPE, 'id-1'));
    const { job: second } = await rig.submit();

    const reply = await invoke(getOwnQueue, {}, rig);

    expect([reply.status, reply.json]).toEqual([
      200,
      {
        paused: false,
        max_running: 4,
        running: [],
        waiting: [
          { id: first.id, position: 2, owner: 'laptop' },
          { id: second.id, position: 3 },
        ],
        queued: 2,
      },
    ]);
    expect(JSON.stringify(reply.json)).not.toContain(other.id);
  });
});

describe('cancelQueueJob', () => {
  it('cancels a queued job of another token, and the job names the operator as the reason', async () => {
    const { job } = await rig.submit({}, from('other', 'id-1'));

    const reply = await cancel(job.id);

    expect([reply.status, reply.json]).toEqual([
      200,
      { id: job.id, status: 'cancelled', age_ms: 0, cancel_requested: true, owner: 'laptop' },
    ]);
    const seen = await rig.jobs.find('other', job.id, 0, new AbortController().signal);
    expect(seen.error).toMatchObject({ code: 'cancelled', details: { reason: 'operator' } });
  });

  it('requests the cancellation of a running job', async () => {
    const { job } = await rig.submit();
    rig.work();
    const run = await rig.run(0);

    const reply = await cancel(job.id);
    await until(() => run.signal.aborted);

    expect(reply.json).toMatchObject({ id: job.id, status: 'running', cancel_requested: true });
    const ended = await rig.ended(job.id);
    expect(ended).toMatchObject({
      status: 'cancelled',
      error: { details: { reason: 'operator' } },
    });
  });

  it('replies with 404 for an ended job', async () => {
    const { job } = await rig.submit();
    await rig.jobs.cancel(SCOPE, job.id);

    expect((await cancel(job.id)).status).toBe(404);
    expect((await cancel('no-id')).status).toBe(404);
  });
});

const cancel = (id: string) =>
  invoke(cancelQueueJob, { method: 'DELETE', pathParameters: { id } }, rig);

/** Returns the changes that make a request come from this scope, with the token of this id. */
function from(scope: string, id: string) {
  return { scope, caller: { id, name: 'unused', scope, permissions: [] } };
}
