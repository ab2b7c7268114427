import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cleanUp, type StartedBridge, startBridge } from '../../support/start-bridge.ts';
import { createJobClient, type JobClient, storedInputs } from './jobs-rig.ts';

const ROCKET = fileURLToPath(new URL('../../data/photos/rocket.jpg', import.meta.url));
const hang = { routing: { model: 'sandbox-hang' } };
const slow = { routing: { model: 'sandbox-slow' } };
const small = { parameters: { size: '320x192' } };

let bridge: StartedBridge;
let jobs: JobClient;

beforeAll(async () => {
  bridge = await startBridge({
    set: ['runtime.cancellation_grace_ms=200', 'server.metrics.enabled=true'],
  });
  jobs = await createJobClient(bridge);
});
afterAll(cleanUp);

async function accepted(body: object): Promise<string> {
  const { status, json } = await jobs.post({ prompt: 'a lighthouse', ...small, ...body });
  expect(status).toBe(202);
  return json.id;
}

async function done(body: object = {}) {
  return jobs.ended(await accepted(body));
}

describe('a job', () => {
  it('is queued, generated and stored with its artifact', async () => {
    const body = { prompt: 'a lighthouse', ...small, output: { response_format: 'b64_json' } };
    const { status, headers, json: job } = await jobs.post(body);

    const ended = await jobs.ended(job.id);

    expect(status).toBe(202);
    expect(job).toMatchObject({ status: 'queued', cancel_requested: false, favorite: false });
    expect(job.request.output.response_format).toBe('artifact');
    expect(headers['location']).toBe(`/v1/jobs/${job.id}`);
    expect(headers).not.toHaveProperty('idempotent-replayed');
    expect(ended).toMatchObject({ id: job.id, status: 'succeeded', created: job.created });
    expect(ended).not.toHaveProperty('progress');
    expect(ended.result).toMatchObject({ id: headers['x-request-id'], provider: 'sandbox' });
    const [image] = ended.result.data;
    const artifact = await jobs.get(`/v1/artifacts/${image.id}`);
    expect(createHash('sha256').update(artifact.bytes).digest('hex')).toBe(image.sha256);
  });

  it('stores an inline image once for all jobs, and keeps it after they have ended', async () => {
    const photo = readFileSync(ROCKET);
    const sha256 = createHash('sha256').update(photo).digest('hex');
    const image = { type: 'base64', data: photo.toString('base64'), filename: 'rocket.jpg' };
    const body = { operation: 'edit', parameters: {}, images: [image] };
    const hanging = await accepted({ ...body, ...hang });

    const job = await done(body);
    const kept = await storedInputs(bridge);
    await jobs.cancel(hanging);
    await jobs.ended(hanging);

    const stored = { type: 'stored', sha256, media_type: 'image/jpeg', bytes: photo.length };
    const size = { width: 640, height: 427 };
    expect(job.request.images).toEqual([{ ...stored, ...size, filename: 'rocket.jpg' }]);
    expect(job).toMatchObject({ status: 'succeeded' });
    expect(job.result.data[0]).toMatchObject({ width: 640, height: 427 });
    expect(kept).toEqual([sha256]);
    expect(await storedInputs(bridge)).toEqual(kept);
  });

  it('shows its latest partial image while it runs, and none before or after', async () => {
    const id = await accepted({ ...slow, parameters: { size: '320x192', partial_images: 3 } });
    // Another replica may know the image a little later than the replica that reports the progress.
    const latest = () => jobs.get(`/v1/jobs/${id}/partial`);
    await expect.poll(async () => (await latest()).status, { timeout: 30_000 }).toBe(200);
    const partial = await latest();
    const head = await jobs.send('HEAD', `/v1/jobs/${id}/partial`);
    await jobs.cancel(id);
    await jobs.ended(id);
    const after = await jobs.get(`/v1/jobs/${id}/partial`);

    expect(partial.status).toBe(200);
    expect(partial.headers).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'no-store',
      'x-partial-index': expect.stringMatching(/^[012]$/),
    });
    expect(await sharp(partial.bytes).metadata()).toMatchObject({ format: 'png' });
    expect([head.status, head.bytes.length]).toEqual([200, 0]);
    expect([after.status, after.bytes.length]).toEqual([204, 0]);
  });

  it('is returned to a waiting client when the job ends or when the waiting time expires', async () => {
    const id = await accepted(hang);
    await jobs.running(id);
    const waiting = jobs.get(`/v1/jobs/${id}?wait_ms=30000`);
    const short = await jobs.get(`/v1/jobs/${id}?wait_ms=50`);

    const cancelled = await jobs.cancel(id);
    const { json } = await waiting;

    expect(short.json).toMatchObject({ status: 'running', progress: { partial_images: 0 } });
    expect(cancelled.json).toMatchObject({ status: 'running', cancel_requested: true });
    expect(json).toMatchObject({ status: 'cancelled', cancel_requested: true });
    expect(json.error).toMatchObject({ code: 'cancelled', retryable: false });
    expect(json.error.details).toHaveProperty('provider_stopped');
  });

  it('is not changed by a second cancellation or by a cancellation after its end', async () => {
    const job = await done();

    const { status, json } = await jobs.cancel(job.id);

    expect(status).toBe(200);
    expect(json).toEqual(job);
  });

  it('ends as failed with the error of its provider', async () => {
    const job = await done({ routing: { model: 'sandbox-fail-safety_rejected' } });

    expect(job).toMatchObject({ status: 'failed', error: { code: 'safety_rejected' } });
    const { json } = await jobs.get('/v1/jobs?limit=1');
    expect(json.items[0]).toMatchObject({ id: job.id, error_code: 'safety_rejected' });
  });

  it('can be marked, hidden and restored after it has ended', async () => {
    const { id } = await done();

    const marked = await jobs.patch(id, { favorite: true, deleted: true });
    const shown = await jobs.get('/v1/jobs?favorite=true');
    const hidden = await jobs.get('/v1/jobs?favorite=true&visibility=hidden');
    const old = await jobs.get('/v1/jobs?favorite=true&include_deleted=true');
    const restored = await jobs.patch(id, { favorite: false, deleted: false });

    expect(marked.json).toMatchObject({ favorite: true, deleted: expect.any(Number) });
    expect([shown, hidden, old].map(({ json }) => json.items.length)).toEqual([0, 1, 1]);
    expect(restored.json).not.toHaveProperty('deleted');
    expect(restored.json.favorite).toBe(false);
  });

  it('cannot be hidden before it has ended', async () => {
    const id = await accepted(hang);

    const refused = await jobs.patch(id, { deleted: true });
    const marked = await jobs.patch(id, { favorite: true });
    await jobs.cancel(id);
    await jobs.ended(id);

    expect(refused.status).toBe(409);
    expect(refused.json.error.code).toBe('job_not_terminal');
    expect(marked.json.favorite).toBe(true);
  });

  it.each([
    ['an invalid request', { prompt: ' ' }, 422],
    ['an unknown provider', { prompt: 'a fox', routing: { provider: 'unknown' } }, 422],
    ['an unknown model', { prompt: 'a fox', routing: { model: 'nothing' } }, 400],
    ['an invalid image', { ...edit('bm8gcGljdHVyZQ==') }, 400],
  ])('is rejected with %s, and stores nothing', async (_name, body, expected) => {
    const before = await jobs.get('/v1/diagnostics');
    const kept = await storedInputs(bridge);

    const { status } = await jobs.post(body);

    const after = await jobs.get('/v1/diagnostics');
    expect(status).toBe(expected);
    expect(after.json.jobs).toEqual(before.json.jobs);
    expect(await storedInputs(bridge)).toEqual(kept);
  });
});

function edit(data: string) {
  return { operation: 'edit', prompt: 'in winter', images: [{ type: 'base64', data }] };
}

describe('the list of jobs', () => {
  it('returns pages of the jobs that match its filters, and rejects the cursor of another list', async () => {
    const made = [];
    for (let nth = 0; nth < 5; nth += 1) made.push(await done({ prompt: `Ünique ${nth}% owl` }));
    const query = '/v1/jobs?limit=2&search=ünique';

    const ids: string[] = [];
    let cursor = '';
    do {
      const { json } = await jobs.get(`${query}&cursor=${cursor}`);
      ids.push(...json.items.map((job: { id: string }) => job.id));
      cursor = json.next_cursor ?? '';
    } while (cursor);
    const first = (await jobs.get(query)).json.next_cursor;
    const changed = `${first.slice(0, -2)}${first.endsWith('AA') ? 'BB' : 'AA'}`;
    const refused = await Promise.all([
      jobs.get(`${query}&cursor=${changed}`),
      jobs.get(`${query}&status=failed&cursor=${first}`),
      jobs.get(`/v1/jobs?limit=2&cursor=${first}`),
      jobs.get(`${query}&provider=sandbox&cursor=${first}`),
    ]);

    expect(ids).toEqual(made.map(({ id }) => id).reverse());
    expect(refused.map(({ status }) => status)).toEqual([422, 422, 422, 422]);
    const literal = await jobs.get(`/v1/jobs?search=${encodeURIComponent('3% OWL')}`);
    expect(literal.json.items).toMatchObject([{ prompt: 'Ünique 3% owl', outputs: 1 }]);
    expect(literal.json.items[0].artifacts).toMatchObject([{ width: 320, height: 192 }]);
    expect(literal.json.items[0]).toMatchObject({ size: '320x192', inputs: 0 });
    expect(literal.json.items[0]).not.toHaveProperty('request');
    const ofProvider = await jobs.get('/v1/jobs?search=owl&provider=sandbox');
    expect(ofProvider.json.items).toHaveLength(5);
    expect((await jobs.get('/v1/jobs?search=owl&provider=agent-responses')).json.items).toEqual([]);
  });

  it('finds jobs by words, phrases and excluded words, and counts all pages', async () => {
    const made: string[] = [];
    for (const prompt of ['a red Kestrel at dawn', 'Dawn, kestrel, blue', 'a kestrel at night']) {
      made.push((await done({ prompt })).id);
    }
    const found = async (q: string, more = '') => {
      const { json } = await jobs.get(`/v1/jobs?q=${encodeURIComponent(q)}&total=true${more}`);
      return [json.items.map((job: { id: string }) => made.indexOf(job.id)), json.total.count];
    };

    expect(await found('DAWN kestrel')).toEqual([[1, 0], 2]);
    expect(await found('kestrel "at dawn')).toEqual([[0], 1]);
    expect(await found('kestrel -"at d" -blue')).toEqual([[2], 1]);
    expect(await found('kestrel', '&limit=1')).toEqual([[2], 3]);
    expect(await found('kestrel', '&search=red%20k')).toEqual([[0], 1]);
    const all = (await jobs.get('/v1/jobs?total=true&limit=1')).json.total;
    expect(all).toEqual({ count: expect.any(Number), at_least: false });
    expect((await jobs.get(`/v1/jobs?q=${'a+'.repeat(9)}b+c&total=maybe`)).status).toBe(422);
  });

  it('counts the jobs in metrics and diagnostics', async () => {
    const { by_status: counts } = (await jobs.get('/v1/diagnostics')).json.jobs;

    const text = (await jobs.get('/metrics')).bytes.toString();

    for (const [status, count] of Object.entries(counts)) {
      expect(text).toContain(`image_bridge_jobs{status="${status}"} ${count}\n`);
    }
  });
});

describe('a job with an idempotency key', () => {
  it('is returned only to an equal request with the same key in the header or the body', async () => {
    const first = await jobs.post({ prompt: 'once', ...small }, { 'idempotency-key': 'one' });
    await jobs.ended(first.json.id);

    const repeat = await jobs.post({ prompt: 'once', ...small, idempotency_key: 'one' });
    const other = await jobs.post({ prompt: 'twice', ...small }, { 'idempotency-key': 'one' });

    expect(repeat.status).toBe(202);
    expect(repeat.headers).toMatchObject({
      'idempotent-replayed': 'true',
      location: first.headers['location'],
    });
    expect(repeat.json).toMatchObject({ id: first.json.id, status: 'succeeded' });
    expect(repeat.json.request).not.toHaveProperty('idempotency_key');
    expect(other.status).toBe(409);
    expect(other.json.error.code).toBe('idempotency_conflict');
  });

  it('is one job for many concurrent equal requests', async () => {
    const replies = await Promise.all(
      Array.from({ length: 16 }, () =>
        jobs.post({ prompt: 'at once', ...small }, { 'idempotency-key': 'many' }),
      ),
    );

    expect(new Set(replies.map(({ json }) => json.id)).size).toBe(1);
    const fresh = replies.filter(({ headers }) => !headers['idempotent-replayed']);
    expect(fresh).toHaveLength(1);
  });
});

describe('without server.jobs.enabled', () => {
  it('the routes of jobs do not exist, and the routes of presets exist', async () => {
    const without = await startBridge({ set: ['server.jobs.enabled=false'] });

    const statuses = await Promise.all(
      ['/v1/jobs', '/v1/jobs/x', '/v1/jobs/x/partial', '/v1/presets', '/health/ready'].map(
        async (path) => (await fetch(without.address + path)).status,
      ),
    );

    expect(statuses).toEqual([404, 404, 404, 200, 200]);
  });
});
