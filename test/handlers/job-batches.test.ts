import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { handler as changeJobs } from '../../handlers/jobs/change-jobs.ts';
import { handler as undoJobChanges } from '../../handlers/jobs/undo-job-changes.ts';
import { type JobRig, openJobRig } from '../lib/jobs/job-rig.ts';
import { invoke } from '../support/invoke.ts';

let rig: JobRig;

beforeEach(async () => {
  rig = await openJobRig();
});
afterEach(() => rig.close());

const change = (body: unknown) => invoke(changeJobs, { method: 'POST', body }, rig);
const ID = '01890000-0000-7000-8000-000000000001';

describe('changeJobs', () => {
  it.each([
    [{ action: 'cancel' }, 'ids'],
    [{ action: 'cancel', ids: [] }, 'ids'],
    [{ action: 'cancel', ids: ['no id'] }, 'ids[0]'],
    [{ action: 'cancel', ids: Array(1001).fill(ID) }, 'ids'],
    [{ action: 'cancel', filter: {} }, 'expected_count'],
    [{ action: 'cancel', filter: {}, expected_count: 10_001 }, 'expected_count'],
    [{ action: 'cancel', ids: [ID], expected_count: 1 }, 'expected_count'],
    [{ action: 'cancel', ids: [ID], filter: {}, expected_count: 1 }, 'filter'],
    [{ action: 'cancel', filter: { title: 'x' }, expected_count: 1 }, 'filter.title'],
    [{ action: 'label', ids: [ID] }, 'add_labels'],
    [{ action: 'hide', ids: [ID], add_labels: ['a'] }, 'add_labels'],
    [{ action: 'priority', ids: [ID] }, 'priority'],
    [{ action: 'priority', ids: [ID], priority: 101 }, 'priority'],
    [{ action: 'hide', ids: [ID], running: true }, 'running'],
    [{ action: 'remove', ids: [ID] }, 'action'],
  ])('refuses %j, and names the field', async (body, param) => {
    const reply = await change(body);

    expect([reply.status, Object(reply.json).error.param]).toEqual([422, param]);
  });

  it('replies with the count if more jobs match than expected', async () => {
    await rig.submit();

    const reply = await change({ action: 'favorite', filter: {}, expected_count: 0 });

    expect(reply.status).toBe(409);
    expect(reply.json).toMatchObject({
      error: { code: 'count_differs', bridge_ext: { code: 'conflict', details: { count: 1 } } },
    });
  });
});

describe('changeJobs with a key', () => {
  it('repeats the result of a batch under its key', async () => {
    const { job } = await rig.submit();
    const request = {
      method: 'POST',
      headers: { 'idempotency-key': 'once' },
      body: { action: 'cancel', ids: [job.id] },
    };

    const first = await invoke(changeJobs, request, rig);
    const again = await invoke(changeJobs, request, rig);

    expect(again.json).toEqual(first.json);
    expect(first.headers).not.toHaveProperty('idempotent-replayed');
    expect(again.headers).toMatchObject({ 'idempotent-replayed': 'true' });
  });
});

describe('undoJobChanges', () => {
  it('undoes the batch of the id in the reply', async () => {
    const { job } = await rig.submit();
    const { json } = await change({ action: 'cancel', ids: [job.id] });

    const pathParameters = { id: Object(json).undo.id };
    const reply = await invoke(undoJobChanges, { method: 'POST', pathParameters }, rig);

    expect([reply.status, reply.json]).toEqual([200, { done: 1, skipped: [] }]);
    expect(await rig.jobQueue.read()).toMatchObject({ queued: 1 });
  });
});
