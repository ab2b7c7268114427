import { setTimeout as delay } from 'node:timers/promises';
import OpenAI from 'openai';
import OpenAI6 from 'openai-6';
import sharp from 'sharp';
import { afterEach, describe, expect, it } from 'vitest';
import { cleanUp, startBridge } from '../../support/start-bridge.ts';
import { createJobClient, type JobClient } from './jobs-rig.ts';

const ASYNC = { prefer: 'respond-async' };
const WAITING = { prefer: 'respond-async, wait=60' };
const SMALL = { parameters: { size: '64x64' } };
const HANG = { prompt: 'a tower', routing: { model: 'sandbox-hang' } };

afterEach(cleanUp);

async function editForm(): Promise<FormData> {
  const form = new FormData();
  const image = sharp({ create: { width: 64, height: 64, channels: 3, background: 'red' } });
  form.append('image', new Blob([await image.png().toBuffer()]), 'red.png');
  form.append('prompt', 'a red hen');
  return form;
}

const PREFERENCE = { prefer: 'respond-async, wait=1' };

/** Called with the id of a job each time a client learns that the job has not ended. */
type OnUnended = (id: string) => Promise<void>;

/** Resolves with the image for a client that follows `location`. */
async function imageByLocation(
  address: string,
  [path, body]: readonly [path: string, body: string | FormData],
  onUnended: OnUnended,
): Promise<Buffer> {
  const type = { 'content-type': 'application/json' };
  const headers = { ...PREFERENCE, ...(typeof body === 'string' ? type : {}) };
  const { headers: reply } = await fetch(address + path, { method: 'POST', headers, body });
  for (;;) {
    const polled = await fetch(`${address}${reply.get('location')}?wait_ms=1000`);
    const job = JSON.parse(await polled.text());
    if (job.completed === undefined) {
      await onUnended(job.id);
      continue;
    }
    const image = await fetch(`${address}/v1/artifacts/${job.result.data[0].id}`);
    return Buffer.from(await image.arrayBuffer());
  }
}

/** Resolves with the same image through the official client, which does not retry here. */
async function imageByClient(
  address: string,
  Client: typeof OpenAI,
  onUnended: OnUnended,
): Promise<Buffer> {
  const client = new Client({ baseURL: `${address}/v1`, apiKey: 'none', maxRetries: 0 });
  const request = { prompt: 'a fox', size: '64x64' };
  const reply: unknown = await client.images.generate(request, { headers: PREFERENCE });
  // The declared type is that of the reply with images, but this reply is the job.
  let job = reply as { id: string; completed?: number; result: { data: [{ id: string }] } };
  while (job.completed === undefined) {
    await onUnended(job.id);
    job = await client.get(`/jobs/${job.id}`, { query: { wait_ms: 1000 } });
  }
  const image = await client.get(`/artifacts/${job.result.data[0].id}`).asResponse();
  return Buffer.from(await image.arrayBuffer());
}

type Options = NonNullable<Parameters<typeof startBridge>[0]>;

async function start(options: Options = {}) {
  const bridge = await startBridge(options);
  const jobs = await createJobClient(bridge);
  const post = (path: string, body: object, headers: Record<string, string> = ASYNC) =>
    jobs.send('POST', path, { body, headers });
  return { bridge, jobs, post };
}

/** Resolves with the id of the first job as soon as there is one. */
async function firstJob(jobs: JobClient): Promise<string> {
  for (;;) {
    const [job] = (await jobs.get('/v1/jobs')).json.items;
    if (job) return job.id;
    await delay(5);
  }
}

/** The headers that the official clients send with each attempt. */
const tried = (count: number, preference: Record<string, string> = ASYNC) => ({
  ...preference,
  'x-stainless-retry-count': String(count),
});

describe('a retry of a client without an idempotency key', () => {
  const ONCE = { prompt: 'a fox, made once' };

  it('finds the job of a request that timed out, and gets its images', async () => {
    const { bridge, jobs } = await start({ set: ['providers.sandbox.latency_ms=4000'] });
    const client = new OpenAI({
      apiKey: 'any',
      baseURL: `${bridge.address}/v1`,
      timeout: 1000,
      maxRetries: 20,
      defaultHeaders: WAITING,
    });

    const { data, response } = await client.images
      .generate({ prompt: ONCE.prompt, size: '64x64' as '1024x1024' })
      .withResponse();

    const { items } = (await jobs.get('/v1/jobs')).json;
    const [image] = data.data ?? [];
    expect(await sharp(Buffer.from(image?.b64_json ?? '', 'base64')).metadata()).toMatchObject({
      width: 64,
    });
    expect(response.headers.get('idempotent-replayed')).toBe('true');
    expect(items).toMatchObject([{ status: 'succeeded', prompt: ONCE.prompt }]);
  });

  it.each([
    ['was cut before its end', { prefer: 'respond-async, wait=60' }],
    ['was a job', ASYNC],
  ])('finds the job when the first reply %s', async (_how, preference) => {
    const { bridge, jobs, post } = await start();
    const hanging = { ...ONCE, ...HANG };
    const cut = new AbortController();
    const first = fetch(`${bridge.address}/v1/images`, {
      method: 'POST',
      headers: { ...tried(0, preference), 'content-type': 'application/json' },
      body: JSON.stringify(hanging),
      signal: cut.signal,
    });
    const settled = first.catch(() => undefined);
    const id = await firstJob(jobs);
    if (preference === ASYNC) await (await first).text();
    else cut.abort();
    await settled;

    const again = await post('/v1/images', hanging, tried(1));
    const others = [
      await post('/v1/images', { ...hanging, prompt: 'another tower' }, tried(1)),
      await post('/v1/images', hanging, tried(0)),
      await post('/v1/images', hanging, ASYNC),
    ];

    expect([again.status, again.json.id, again.headers['idempotent-replayed']]).toEqual([
      202,
      id,
      'true',
    ]);
    const ids = others.map(({ json }) => json.id);
    expect(new Set([id, ...ids]).size).toBe(4);
    for (const one of [id, ...ids]) await jobs.cancel(one);
  });

  it('finds the job even if no further job would be accepted', async () => {
    const { jobs, post } = await start({ set: ['server.jobs.max_pending=1'] });
    await jobs.send('PATCH', '/v1/queue', { body: { paused: true } });

    const first = await post('/v1/images', ONCE, tried(0));
    const full = await post('/v1/images', ONCE, tried(0));
    const again = await post('/v1/images', ONCE, tried(1));
    const other = await post('/v1/images', { prompt: 'another fox' }, tried(1));

    expect([first.status, full.status, again.status, other.status]).toEqual([202, 503, 202, 503]);
    expect(again.json.id).toBe(first.json.id);
  });

  it('creates one more job if the first job is known to have failed', async () => {
    const { jobs, post } = await start();
    const failing = { prompt: 'a fox', routing: { model: 'sandbox-fail-upstream' } };
    const first = await post('/v1/images', failing, tried(0));
    await jobs.ended(first.json.id);
    await jobs.send('PATCH', '/v1/queue', { body: { paused: true } });

    const again = await post('/v1/images', failing, tried(1));
    const joined = await post('/v1/images', failing, tried(2));

    expect(again.headers).not.toHaveProperty('idempotent-replayed');
    expect(again.json).toMatchObject({ status: 'queued' });
    expect(joined.headers).toMatchObject({ 'idempotent-replayed': 'true' });
    expect(joined.json.id).toBe(again.json.id);
    expect(new Set([first.json.id, again.json.id]).size).toBe(2);
  });
});

describe('Prefer: respond-async', () => {
  it('replies with a job that generates the images, on each of the three routes', async () => {
    const { bridge, jobs, post } = await start();
    const native = await post('/v1/images', { prompt: 'a fox', ...SMALL });
    const openai = await post('/v1/images/generations', { prompt: 'a hen', size: '64x64' });
    const edited = await fetch(`${bridge.address}/v1/images/edits`, {
      method: 'POST',
      headers: ASYNC,
      body: await editForm(),
    });
    const edit = JSON.parse(await edited.text());

    const ended = [
      await jobs.ended(native.json.id),
      await jobs.ended(openai.json.id),
      await jobs.ended(edit.id),
    ];

    expect([native.status, openai.status, edited.status]).toEqual([202, 202, 202]);
    expect(native.headers).toMatchObject({
      location: `/v1/jobs/${native.json.id}`,
      'preference-applied': 'respond-async',
      'retry-after': expect.stringMatching(/^\d+$/),
    });
    expect(ended.map(({ status, result }) => [status, result.data[0].type])).toEqual([
      ['succeeded', 'artifact'],
      ['succeeded', 'artifact'],
      ['succeeded', 'artifact'],
    ]);
    const { items } = (await jobs.get('/v1/jobs')).json;
    expect(items.map(({ prompt }: { prompt: string }) => prompt)).toEqual([
      'a red hen',
      'a hen',
      'a fox',
    ]);
  });

  it('replies with the images in the requested form if they are ready in time', async () => {
    const { jobs, post } = await start();

    const inline = await post('/v1/images', { prompt: 'a fox', ...SMALL }, WAITING);
    const url = await post(
      '/v1/images',
      { prompt: 'a fox', output: { response_format: 'url' }, ...SMALL },
      WAITING,
    );
    const openai = await post(
      '/v1/images/generations',
      { prompt: 'a hen', size: '64x64' },
      WAITING,
    );

    expect([inline.status, url.status, openai.status]).toEqual([200, 200, 200]);
    expect(inline.headers).not.toHaveProperty('preference-applied');
    const bytes = Buffer.from(inline.json.data[0].b64_json, 'base64');
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'png', width: 64 });
    expect(url.json.data[0].url).toContain('/v1/artifacts/');
    const small = await sharp(Buffer.from(openai.json.data[0].b64_json, 'base64')).metadata();
    expect(small).toMatchObject({ width: 64, height: 64 });
    expect((await jobs.get('/v1/jobs?status=succeeded')).json.items).toHaveLength(3);
  });

  it('replies with the job if the images are not ready in time', async () => {
    const { jobs, post } = await start();

    const late = await post('/v1/images', HANG, { prefer: 'respond-async, wait=1' });

    expect([late.status, late.headers['preference-applied']]).toEqual([
      202,
      'respond-async, wait=1',
    ]);
    expect(['queued', 'running']).toContain(late.json.status);
    await jobs.cancel(late.json.id);
  });

  it('delivers images to clients whose requests are all answered long before the images are ready', async () => {
    const { bridge, jobs } = await start();
    const { address } = bridge;
    const setPaused = (paused: boolean) => jobs.send('PATCH', '/v1/queue', { body: { paused } });
    await setPaused(true);
    const openai = JSON.stringify({ prompt: 'a hen', size: '64x64' });
    const requests = [
      ['/v1/images', JSON.stringify({ prompt: 'a fox', ...SMALL })],
      ['/v1/images/generations', openai],
      ['/v1/images/edits', await editForm()],
    ] as const;
    // TypeScript treats two versions of one class as different types.
    const clients = [OpenAI, OpenAI6 as unknown as typeof OpenAI];
    const unended = new Set<string>();
    // No image can be ready before every client was answered.
    const onUnended = async (id: string) => {
      unended.add(id);
      if (unended.size === requests.length + clients.length) await setPaused(false);
    };

    const images = await Promise.all([
      ...requests.map((request) => imageByLocation(address, request, onUnended)),
      ...clients.map((Client) => imageByClient(address, Client, onUnended)),
    ]);

    for (const image of images) {
      expect(await sharp(image).metadata()).toMatchObject({ format: 'png', width: 64 });
    }
    expect((await jobs.get('/v1/jobs?status=succeeded')).json.items).toHaveLength(images.length);
  });

  it('replies with the error of a job that fails in time, in the form of the route', async () => {
    const { post } = await start();
    const failing = { prompt: 'a fox', routing: { model: 'sandbox-fail-safety_rejected' } };

    const job = await post('/v1/images', failing, WAITING);
    const plain = await post('/v1/images', failing, {});
    const refused = await post('/v1/images', { prompt: '' }, ASYNC);

    expect([job.status, plain.status]).toEqual([400, 400]);
    expect(job.json.error).toMatchObject({
      code: 'moderation_blocked',
      type: plain.json.error.type,
      message: plain.json.error.message,
    });
    expect(refused.status).toBe(422);
  });

  it('keeps the image of a disconnected client in the history, even after a kill', async () => {
    const { bridge, jobs } = await start();
    await jobs.send('PATCH', '/v1/queue', { body: { paused: true } });
    const client = new AbortController();
    const disconnected = fetch(`${bridge.address}/v1/images`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...WAITING },
      body: JSON.stringify({ prompt: 'kept for later', ...SMALL }),
      signal: client.signal,
    });
    const refused = expect(disconnected).rejects.toThrow();
    const id = await firstJob(jobs);
    client.abort();
    await refused;
    await bridge.end('SIGKILL');

    const again = await start({ cwd: bridge.cwd });
    await again.jobs.send('PATCH', '/v1/queue', { body: { paused: false } });
    const done = await again.jobs.ended(id);

    expect(done).toMatchObject({ status: 'succeeded', request: { prompt: 'kept for later' } });
  });

  it('creates one job for each idempotency key, and shares no key with synchronous requests', async () => {
    const { jobs, post } = await start();
    const key = { 'idempotency-key': 'one' };
    const body = { prompt: 'a fox', ...SMALL };
    const first = await post('/v1/images', body, { ...WAITING, ...key });

    const again = await post('/v1/images', body, { ...WAITING, ...key });
    const job = await post('/v1/images', body, { ...ASYNC, ...key });
    const other = await post('/v1/images', { ...body, prompt: 'a hen' }, { ...ASYNC, ...key });
    const plain = await post('/v1/images', { ...body, prompt: 'a hen' }, key);

    expect([again.status, again.headers['idempotent-replayed']]).toEqual([200, 'true']);
    expect(again.json).toEqual(first.json);
    expect([job.status, job.headers['idempotent-replayed']]).toEqual([202, 'true']);
    expect([other.status, plain.status]).toEqual([409, 200]);
    expect((await jobs.get('/v1/jobs')).json.items).toHaveLength(1);
  });

  it('is ignored for streams, and if jobs are disabled', async () => {
    const { bridge } = await start();
    const stream = await fetch(`${bridge.address}/v1/images/generations`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...ASYNC },
      body: JSON.stringify({ prompt: 'a fox', size: '64x64', stream: true }),
    });
    const events = await stream.text();
    const disabled = await start({ set: ['server.jobs.enabled=false'] });
    const plain = await disabled.post('/v1/images', { prompt: 'a fox', ...SMALL });

    expect([stream.status, stream.headers.get('preference-applied')]).toEqual([200, null]);
    expect(events).toContain('event: image_generation.completed');
    expect([plain.status, plain.json.data.length]).toEqual([200, 1]);
    expect(plain.headers).not.toHaveProperty('preference-applied');
  });
});
