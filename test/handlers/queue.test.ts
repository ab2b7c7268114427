import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { handler as getQueue } from '../../handlers/queue/get-queue.ts';
import { handler as updateQueue } from '../../handlers/queue/update-queue.ts';
import { type JobRig, openJobRig } from '../lib/jobs/job-rig.ts';
import { invoke } from '../support/invoke.ts';

let rig: JobRig;

beforeEach(() => {
  rig = openJobRig();
});
afterEach(() => rig.close());

describe('updateQueue', () => {
  it('replies with the queue as it then is', async () => {
    const reply = await invoke(updateQueue, { method: 'PATCH', body: { paused: true } }, rig);

    const paused = { paused: true, queued: 0, running: 0, by_provider: {} };
    expect([reply.status, reply.json]).toEqual([200, paused]);
    expect((await invoke(getQueue, {}, rig)).json).toEqual(paused);
  });

  it('names the field that is wrong', async () => {
    const reply = await invoke(updateQueue, { method: 'PATCH', body: { paused: 'yes' } }, rig);

    expect(reply.status).toBe(422);
    expect(reply.json).toMatchObject({ error: { param: 'paused' } });
  });
});
