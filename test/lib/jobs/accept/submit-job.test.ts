import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { requestContext } from '../../../support/request-context.ts';
import { inlineBytes } from '../../generation/requests.ts';
import { forever, type JobRig, openJobRig, SCOPE } from '../job-rig.ts';

const SHA256 = 'ab'.repeat(32);
const edit = { operation: 'edit', images: [{ ...inlineBytes(), filename: 'boat.png' }] };
const key = { idempotencyKey: 'one' };

let rig: JobRig;

beforeEach(() => {
  rig = openJobRig({ max_pending: 1 });
});
afterEach(() => rig.close());

describe('createSubmitJob', () => {
  test('keeps the request with its defaults, without its key and without the bytes of its images', async () => {
    const { job } = await rig.submit({ ...edit, idempotency_key: 'one' });

    expect(job).toMatchObject({ status: 'queued', request: { prompt: 'a boat', mask: null } });
    expect(job.request).not.toHaveProperty('idempotency_key');
    const stored = { type: 'stored', sha256: SHA256, media_type: 'image/png', bytes: 5 };
    expect(job.request.images).toEqual([{ ...stored, filename: 'boat.png' }]);
    expect([...rig.kept]).toEqual([SHA256]);
  });

  test('keeps nothing of a key but a hash of scope and key', async () => {
    await rig.submit({}, { idempotencyKey: 'a revealing key' });

    const rows = rig.database.prepare('SELECT * FROM job_content').all();

    expect(JSON.stringify(rows)).not.toContain('revealing');
  });

  test('replies to a repetition when the queue is full, with the present state of its job', async () => {
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
  ])('a full queue refuses a request %s before its images are decoded', async (_, more) => {
    await rig.submit();
    const broken = { ...edit, images: [{ type: 'base64', data: '====', media_type: 'image/png' }] };

    const refused = rig.submit(broken, more);

    await expect(refused).rejects.toMatchObject({ code: 'overloaded', retryable: true });
  });

  test.each([
    ['another prompt', { ...edit, prompt: 'a ship' }],
    ['another image', { ...edit, images: [inlineBytes(4)] }],
    ['no image', {}],
  ])('refuses %s under the key', async (_, other) => {
    const { job } = await rig.submit(edit, key);

    await expect(rig.submit(other, key)).rejects.toMatchObject({ code: 'idempotency_conflict' });

    expect(await rig.read(job.id)).toEqual(job);
  });

  test('gives each scope keys of its own', async () => {
    const { job } = await rig.submit({}, key);
    await rig.jobs.cancel(SCOPE, job.id);

    const { replayed } = await rig.submit({ prompt: 'a ship' }, { ...key, scope: 'other' });

    expect(replayed).toBe(false);
  });

  test('keeps no image of a job that is refused, unless another job needs it', async () => {
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

  test('keeps an image when the jobs that came with it have ended', async () => {
    const { job: running } = await rig.submit(edit);
    rig.work();
    const run = await rig.run(0);
    const { job: queued } = await rig.submit(edit);
    await rig.jobs.cancel(SCOPE, queued.id);

    run.succeed();
    await rig.ended(running.id);

    expect([...rig.kept]).toEqual([SHA256]);
  });

  test('accepts nothing from a client that has disconnected', async () => {
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

  test('refuses a webhook that is not allowed before anything is kept', async () => {
    const webhook = { url: 'https://evil.test/' };

    await expect(rig.submit({ ...edit, webhook })).rejects.toMatchObject({
      code: 'invalid_request',
      param: 'webhook.url',
    });

    expect([...rig.kept]).toEqual([]);
  });

  test('the same key with another webhook is a conflict, and with the same one a repetition', async () => {
    const webhook = { url: 'https://hooks.test/a' };
    const { job } = await rig.submit({ webhook }, key);

    const again = await rig.submit({ webhook }, key);

    expect(again).toMatchObject({ replayed: true, job: { id: job.id } });
    for (const other of [{}, { webhook: { url: 'https://hooks.test/b' } }]) {
      await expect(rig.submit(other, key)).rejects.toMatchObject({ code: 'idempotency_conflict' });
    }
  });

  test('shows a webhook as pending, until the job has ended in a way that is not sent', async () => {
    const webhook = { url: 'https://hooks.test/', events: ['succeeded'] };
    const { job } = await rig.submit({ webhook });

    const ended = await rig.jobs.cancel(SCOPE, job.id);

    expect(job.webhook).toEqual({ status: 'pending', attempts: 0 });
    expect(job.request).not.toHaveProperty('webhook');
    expect(ended).not.toHaveProperty('webhook');
  });
});
