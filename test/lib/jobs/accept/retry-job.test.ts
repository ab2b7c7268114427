import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { BridgeError } from '../../../../lib/errors/bridge-error.ts';
import { createArtifactStore } from '../../../../lib/storage/sqlite/artifact-store.ts';
import { CANCELLATION } from '../../../support/jobs.ts';
import { requestContext } from '../../../support/request-context.ts';
import { inlineBytes } from '../../generation/requests.ts';
import { type JobRig, openJobRig, SCOPE } from '../job-rig.ts';
import { resultOf } from '../scripted-generation.ts';

const SHA256 = 'ab'.repeat(32);
const edit = { operation: 'edit', images: [{ ...inlineBytes(), filename: 'boat.png' }] };

let rig: JobRig;

beforeEach(() => {
  rig = openJobRig({ max_pending: 2 });
});
afterEach(() => rig.close());

const retry = (id: string, more: { scope?: string; idempotencyKey?: string } = {}) =>
  rig.jobs.retry(id, {
    ...requestContext({ operationId: 'retryJob', scope: SCOPE, requestId: 'retry' }),
    ...more,
  });

async function cancelled(sent: object = {}) {
  const { job } = await rig.submit(sent);
  return rig.jobs.cancel(SCOPE, job.id);
}

async function run(sent: object, end: (run: Awaited<ReturnType<JobRig['run']>>) => void) {
  const { job } = await rig.submit(sent);
  rig.work();
  end(await rig.run(0));
  return rig.ended(job.id);
}

describe('createRetryJob', () => {
  test('queues a new job with the request, the images and the priority of the earlier one', async () => {
    const earlier = await cancelled({ ...edit, priority: 7, metadata: { shelf: '3' } });

    const { job, replayed } = await retry(earlier.id);

    expect(replayed).toBe(false);
    expect(job).toMatchObject({
      status: 'queued',
      priority: 7,
      retry_of: earlier.id,
      request: earlier.request,
    });
    expect(job.id).not.toBe(earlier.id);
    expect(await rig.read(job.id)).toEqual(job);
    expect(await rig.read(earlier.id)).toEqual(earlier);
  });

  test('keeps the webhook of the earlier job, also where its end was none that is sent', async () => {
    const webhook = { url: 'https://hooks.test/a', events: ['succeeded'] };
    const earlier = await cancelled({ webhook });

    const { job } = await retry(earlier.id);

    expect(earlier).not.toHaveProperty('webhook');
    expect(job.webhook).toEqual({ status: 'pending', attempts: 0 });
    const kept = (await rig.store.find(SCOPE, job.id))?.webhook;
    expect(kept).toEqual({ ...webhook, state: 'waiting', attempts: 0 });
  });

  test('wakes a worker, who runs it under the request id of the retry', async () => {
    const failed = await run({}, (first) => first.fail(new BridgeError('upstream', 'no')));

    const { job } = await retry(failed.id);
    const second = await rig.run(1);
    second.succeed();

    expect(second.context.requestId).toBe('retry');
    expect(await rig.ended(job.id)).toMatchObject({ status: 'succeeded', retry_of: failed.id });
  });

  test('retries an interrupted job', async () => {
    const { job } = await rig.submit();
    const loop = rig.work();
    await rig.run(0);
    await loop.drain(AbortSignal.abort());

    const { job: again } = await retry(job.id);

    expect(again).toMatchObject({ status: 'queued', retry_of: job.id });
  });

  async function interruptedAfter(ids: readonly string[]) {
    const { job } = await rig.submit({ parameters: { n: 3 } });
    const { sequence } = (await rig.store.claim(1)) ?? { sequence: 0 };
    const artifacts = createArtifactStore(rig.database);
    const { response, publications } = resultOf(ids);
    for (const [nth, { record }] of publications.entries()) {
      const { index } = response.data[nth] ?? { index: 0 };
      await artifacts.claim([record], { job: sequence, facts: { index } });
    }
    const end = {
      status: 'interrupted',
      completedSecs: 2,
      error: CANCELLATION,
      publications: ids,
    } as const;
    await rig.store.settle(sequence, end);
    return job.id;
  }

  test.each([0, 1, 2])('asks for the images that are missing beside %i', async (count) => {
    const id = await interruptedAfter(['1', '2'].slice(0, count).map((one) => one.repeat(32)));

    const { job } = await retry(id);

    expect(job).toMatchObject({ retry_of: id, request: { parameters: { n: 3 - count } } });
  });

  test('refuses an interrupted job all of whose images were made', async () => {
    const id = await interruptedAfter(['1', '2', '3'].map((one) => one.repeat(32)));

    await expect(retry(id)).rejects.toMatchObject({ code: 'job_succeeded' });
  });

  test('refuses a job that has succeeded', async () => {
    const { id } = await run({}, (first) => first.succeed());

    await expect(retry(id)).rejects.toMatchObject({ code: 'job_succeeded' });
  });

  test.each(['queued', 'running'])('refuses a job that is %s', async (status) => {
    const { job } = await rig.submit();
    if (status === 'running') {
      rig.work();
      await rig.run(0);
    }

    await expect(retry(job.id)).rejects.toMatchObject({ code: 'job_not_terminal' });
  });

  test('finds no job of another scope, and none that is unknown', async () => {
    const { id } = await cancelled();

    const foreign = retry(id, { scope: 'other' });

    await expect(foreign).rejects.toMatchObject({ code: 'not_found' });
    await expect(retry('nothing')).rejects.toMatchObject({ code: 'not_found' });
  });

  test('a retry under a key is made once', async () => {
    const earlier = await cancelled();
    const other = await cancelled();
    const key = { idempotencyKey: 'again' };
    const first = await retry(earlier.id, key);

    const second = await retry(earlier.id, key);

    expect(second).toEqual({ ...first, replayed: true });
    await expect(retry(other.id, key)).rejects.toMatchObject({ code: 'idempotency_conflict' });
  });

  test('a full queue refuses it, but not under the key of a retry that was made', async () => {
    const { id } = await cancelled();
    await retry(id, { idempotencyKey: 'again' });
    await rig.submit();

    const refused = retry(id, { idempotencyKey: 'new' });

    await expect(refused).rejects.toMatchObject({ code: 'overloaded' });
    expect(await retry(id, { idempotencyKey: 'again' })).toMatchObject({ replayed: true });
  });

  test('names the image that is not stored any more', async () => {
    const { id } = await cancelled(edit);
    rig.database.prepare('DELETE FROM job_input WHERE sha256 = ?').run(SHA256);

    await expect(retry(id)).rejects.toMatchObject({
      code: 'input',
      param: 'images[0]',
      details: { reason: 'not_stored_any_more' },
    });
  });
});
