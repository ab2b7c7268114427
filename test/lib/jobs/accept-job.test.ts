import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import { reservationFor } from '../../../lib/jobs/accept-job.ts';
import { CANCELLATION, FAILURE, jobResult, newJob, WIDE } from '../../support/jobs.ts';
import { requestContext } from '../../support/request-context.ts';
import { inlineBytes } from '../generation/requests.ts';
import { forever, type JobRig, openJobRig, SCOPE } from './job-rig.ts';
import { resultOf } from './scripted-generation.ts';

const SHA256 = 'ab'.repeat(32);
const edit = { operation: 'edit', images: [{ ...inlineBytes(), filename: 'boat.png' }] };
const key = { idempotencyKey: 'one' };

let rig: JobRig;

describe('createJobAcceptance, submit', () => {
  beforeEach(async () => {
    rig = await openJobRig({ max_pending: 1 });
  });
  afterEach(() => rig.close());

  test('a job keeps its request with defaults, without its key and without the bytes of its images', async () => {
    const { job } = await rig.submit({ ...edit, idempotency_key: 'one' });

    expect(job).toMatchObject({ status: 'queued', request: { prompt: 'a boat', mask: null } });
    expect(job.request).not.toHaveProperty('idempotency_key');
    const stored = { type: 'stored', sha256: SHA256, media_type: 'image/png', bytes: 5 };
    const size = { width: 1, height: 1 };
    expect(job.request.images).toEqual([{ ...stored, ...size, filename: 'boat.png' }]);
    expect([...rig.kept]).toEqual([SHA256]);
  });

  test('only a hash of scope and key is stored for a key', async () => {
    await rig.submit({}, { idempotencyKey: 'a revealing key' });

    expect(await rig.state.hasJobText('request')).toBe(true);
    expect(await rig.state.hasJobText('revealing')).toBe(false);
  });

  test('an earlier job that cannot be read rejects only the repetition of its own request', async () => {
    const { submit } = rig.store;
    const repeated = { ...WIDE, key: { hash: 'a hash', fingerprint: 'a fingerprint' } };
    await submit(newJob(), repeated);
    await rig.state.damageJobRequests();

    const ends = await Promise.allSettled(
      [WIDE, repeated, WIDE].map((admission) => submit(newJob(), admission)),
    );

    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  test('a repeated request resolves with the present state of its job when the queue is full', async () => {
    const { job } = await rig.submit(edit, key);
    const full = await rig.submit(edit).catch((error: unknown) => error);

    const { job: again, replayed } = await rig.submit(edit, key);

    expect(full).toMatchObject({ code: 'overloaded', retryable: true });
    expect(replayed).toBe(true);
    expect(again).toEqual(job);
  });

  test.each([
    ['without a key', {}],
    ['under a key that is new', { idempotencyKey: 'new' }],
  ])('a full queue rejects a request %s before its images are decoded', async (_, more) => {
    await rig.submit();
    const broken = { ...edit, images: [{ type: 'base64', data: '====', media_type: 'image/png' }] };

    const refused = rig.submit(broken, more);

    await expect(refused).rejects.toMatchObject({ code: 'overloaded', retryable: true });
  });

  test.each([
    ['another prompt', { ...edit, prompt: 'a ship' }],
    ['another image', { ...edit, images: [inlineBytes(4)] }],
    ['no image', {}],
  ])('a request with %s under the same key is a conflict', async (_, other) => {
    const { job } = await rig.submit(edit, key);

    await expect(rig.submit(other, key)).rejects.toMatchObject({ code: 'idempotency_conflict' });

    expect(await rig.read(job.id)).toEqual(job);
  });

  test('equal keys of different scopes are independent', async () => {
    const { job } = await rig.submit({}, key);
    await rig.jobs.cancel(SCOPE, job.id);

    const { replayed } = await rig.submit({ prompt: 'a ship' }, { ...key, scope: 'other' });

    expect(replayed).toBe(false);
  });

  test('an image of a rejected job is not kept, unless another job needs it', async () => {
    await rig.submit();
    await expect(rig.submit(edit)).rejects.toMatchObject({ code: 'overloaded' });
    const afterRefusal = [...rig.kept];
    rig.work();
    await rig.run(0);
    await rig.submit(edit);

    await expect(rig.submit(edit)).rejects.toMatchObject({ code: 'overloaded' });

    expect(afterRefusal).toEqual([]);
    expect([...rig.kept]).toEqual([SHA256]);
  });

  test('an image is kept after the jobs that use it have ended', async () => {
    const { job: running } = await rig.submit(edit);
    rig.work();
    const run = await rig.run(0);
    const { job: queued } = await rig.submit(edit);
    await rig.jobs.cancel(SCOPE, queued.id);

    run.succeed();
    await rig.ended(running.id);

    expect([...rig.kept]).toEqual([SHA256]);
  });

  test('no job is accepted from a client that has disconnected', async () => {
    const signal = AbortSignal.abort(new Error('disconnected'));
    const context = requestContext({
      operationId: 'createJob',
      scope: SCOPE,
      signal: () => signal,
    });
    const { job } = await rig.submit();
    const { request } = await rig.read(job.id);
    await rig.jobs.cancel(SCOPE, job.id);

    const submitted = rig.jobs.submit(
      {
        ...request,
        images: [],
        mask: null,
        reference_images: [],
        idempotency_key: null,
      },
      context,
    );

    await expect(submitted).rejects.toThrow('disconnected');
    const all = await rig.jobLists.list(SCOPE, { visibility: 'all', limit: 100 }, forever);
    expect(all.items.map(({ id }) => id)).toEqual([job.id]);
  });

  test.each([
    ['finds a job that failed after a charge', 'protocol', true],
    ['replaces a job that failed without a charge', 'upstream', false],
    ['replaces a job that failed before a call', 'overloaded', false],
  ] as const)('a repetition by a client that counts its retries %s', async (_, code, found) => {
    rig.work();
    const { job } = await rig.submit({}, { retryCount: '0' });
    (await rig.run(0)).fail(new BridgeError(code, 'the provider failed'));
    await rig.ended(job.id);

    const { job: again, replayed } = await rig.submit({}, { retryCount: '1' });

    expect([again.id === job.id, replayed]).toEqual([found, found]);
  });

  test('a webhook that is not allowed is rejected before an image is stored', async () => {
    const webhook = { url: 'https://evil.test/' };

    await expect(rig.submit({ ...edit, webhook })).rejects.toMatchObject({
      code: 'invalid_request',
      param: 'webhook.url',
    });

    expect([...rig.kept]).toEqual([]);
  });

  test('the same key is a conflict with another webhook, and a repetition with the same webhook', async () => {
    const webhook = { url: 'https://hooks.test/a' };
    const { job } = await rig.submit({ webhook }, key);

    const again = await rig.submit({ webhook }, key);

    expect(again).toMatchObject({ replayed: true, job: { id: job.id } });
    for (const other of [{}, { webhook: { url: 'https://hooks.test/b' } }]) {
      await expect(rig.submit(other, key)).rejects.toMatchObject({ code: 'idempotency_conflict' });
    }
  });

  test('a webhook is shown as pending until its job has an end that is not sent', async () => {
    const webhook = { url: 'https://hooks.test/', events: ['succeeded'] };
    const { job } = await rig.submit({ webhook });

    const ended = await rig.jobs.cancel(SCOPE, job.id);

    expect(job.webhook).toEqual({ status: 'pending', attempts: 0 });
    expect(job.request).not.toHaveProperty('webhook');
    expect(ended).not.toHaveProperty('webhook');
  });
});

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

describe('createJobAcceptance, retry', () => {
  beforeEach(async () => {
    rig = await openJobRig({ max_pending: 2 });
  });
  afterEach(() => rig.close());

  test('a retry queues a new job with the request, the images, the priority and the labels of the earlier one', async () => {
    const earlier = await cancelled({
      ...edit,
      priority: 7,
      labels: ['cats'],
      metadata: { shelf: '3' },
    });

    const { job, replayed } = await retry(earlier.id);

    expect(replayed).toBe(false);
    expect(job).toMatchObject({
      status: 'queued',
      priority: 7,
      labels: ['cats'],
      retry_of: earlier.id,
      request: earlier.request,
    });
    expect(job.id).not.toBe(earlier.id);
    expect(await rig.read(job.id)).toEqual(job);
    expect(await rig.read(earlier.id)).toEqual({ ...earlier, retried_as: job.id });
  });

  test('a retry keeps the webhook of the earlier job, even if its end was not sent', async () => {
    const webhook = { url: 'https://hooks.test/a', events: ['succeeded'] };
    const earlier = await cancelled({ webhook });

    const { job } = await retry(earlier.id);

    expect(earlier).not.toHaveProperty('webhook');
    expect(job.webhook).toEqual({ status: 'pending', attempts: 0 });
    const kept = (await rig.store.find(SCOPE, job.id))?.webhook;
    expect(kept).toEqual({ ...webhook, state: 'waiting', attempts: 0 });
  });

  test('a retry wakes a worker, which runs the job under the request id of the retry', async () => {
    const failed = await run({}, (first) => first.fail(new BridgeError('upstream', 'no')));

    const { job } = await retry(failed.id);
    const second = await rig.run(1);
    second.succeed();

    expect(second.context.requestId).toBe('retry');
    expect(await rig.ended(job.id)).toMatchObject({ status: 'succeeded', retry_of: failed.id });
  });

  test('an interrupted job can be retried', async () => {
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
    const artifacts = rig.stores.artifacts;
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

  test.each([0, 1, 2])(
    'a retry asks only for the images that are missing beside %i finished ones',
    async (count) => {
      const id = await interruptedAfter(['1', '2'].slice(0, count).map((one) => one.repeat(32)));

      const { job } = await retry(id);

      expect(job).toMatchObject({ retry_of: id, request: { parameters: { n: 3 - count } } });
    },
  );

  test('an interrupted job cannot be retried if all its images are finished', async () => {
    const id = await interruptedAfter(['1', '2', '3'].map((one) => one.repeat(32)));

    await expect(retry(id)).rejects.toMatchObject({ code: 'job_succeeded' });
  });

  test('a succeeded job cannot be retried', async () => {
    const { id } = await run({}, (first) => first.succeed());

    await expect(retry(id)).rejects.toMatchObject({ code: 'job_succeeded' });
  });

  test.each(['queued', 'running'])('a %s job cannot be retried', async (status) => {
    const { job } = await rig.submit();
    if (status === 'running') {
      rig.work();
      await rig.run(0);
    }

    await expect(retry(job.id)).rejects.toMatchObject({ code: 'job_not_terminal' });
  });

  test('a retry does not find an unknown job or a job of another scope', async () => {
    const { id } = await cancelled();

    const foreign = retry(id, { scope: 'other' });

    await expect(foreign).rejects.toMatchObject({ code: 'not_found' });
    await expect(retry('nothing')).rejects.toMatchObject({ code: 'not_found' });
  });

  test('repeated retries under one key create one job', async () => {
    const earlier = await cancelled();
    const other = await cancelled();
    const key = { idempotencyKey: 'again' };
    const first = await retry(earlier.id, key);

    const second = await retry(earlier.id, key);

    expect(second).toEqual({ ...first, replayed: true });
    await expect(retry(other.id, key)).rejects.toMatchObject({ code: 'idempotency_conflict' });
  });

  test('a full queue rejects a retry, unless its key belongs to an earlier retry', async () => {
    const { id } = await cancelled();
    await retry(id, { idempotencyKey: 'again' });
    await rig.submit();

    const refused = retry(id, { idempotencyKey: 'new' });

    await expect(refused).rejects.toMatchObject({ code: 'overloaded' });
    expect(await retry(id, { idempotencyKey: 'again' })).toMatchObject({ replayed: true });
  });

  test('the error of a retry names the image that is not stored any more', async () => {
    const { id } = await cancelled(edit);
    await rig.state.forgetInput(SHA256);

    await expect(retry(id)).rejects.toMatchObject({
      code: 'input',
      param: 'images[0]',
      details: { reason: 'not_stored_any_more' },
    });
  });
});

describe('reservationFor', () => {
  test.each([1, 16, 255])('the largest usual result with %i images fits', (outputs) => {
    const ids = Array.from({ length: outputs }, (_, index) => index.toString().padStart(32, '0'));
    const { data, ...result } = jobResult(ids);
    const wordy = data.map((image) => ({ ...image, revised_prompt: 'ü'.repeat(1500) }));

    const bytes = Buffer.byteLength(JSON.stringify({ ...result, data: wordy }));

    expect(reservationFor(outputs)).toBeGreaterThan(bytes);
  });

  test('a result with only failures fits', () => {
    const failures = Array.from({ length: 255 }, () => ({ index: 0, error: FAILURE }));

    expect(reservationFor(255)).toBeGreaterThan(JSON.stringify(failures).length);
  });
});
