import { setTimeout as delay } from 'node:timers/promises';
import sharp from 'sharp';
import { afterEach, describe, expect, it } from 'vitest';
import { cleanUp, startBridge } from '../support/start-bridge.ts';
import { createJobClient, type JobClient } from './jobs-rig.ts';

const ASYNC = { prefer: 'respond-async' };
const WAITING = { prefer: 'respond-async, wait=60' };
const SMALL = { parameters: { size: '64x64' } };
const HANG = { prompt: 'a tower', routing: { model: 'sandbox-hang' } };

afterEach(cleanUp);

type Options = NonNullable<Parameters<typeof startBridge>[0]>;

async function start(options: Options = {}) {
  const bridge = await startBridge(options);
  const jobs = await createJobClient(bridge);
  const post = (path: string, body: object, headers: Record<string, string> = ASYNC) =>
    jobs.send('POST', path, { body, headers });
  return { bridge, jobs, post };
}

/** The id of the first job, once there is one. */
async function firstJob(jobs: JobClient): Promise<string> {
  for (;;) {
    const [job] = (await jobs.get('/v1/jobs')).json.items;
    if (job) return job.id;
    await delay(5);
  }
}

describe('Prefer: respond-async', () => {
  it('replies with a job that makes the images, on each of the three routes', async () => {
    const { bridge, jobs, post } = await start();
    const native = await post('/v1/images', { prompt: 'a fox', ...SMALL });
    const openai = await post('/v1/images/generations', { prompt: 'a hen', size: '64x64' });
    const form = new FormData();
    const image = await sharp({ create: { width: 64, height: 64, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    form.append('image', new Blob([image]), 'red.png');
    form.append('prompt', 'a red hen');
    const edited = await fetch(`${bridge.address}/v1/images/edits`, {
      method: 'POST',
      headers: ASYNC,
      body: form,
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

  it('replies with the images as they were asked for when they are made in time', async () => {
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

  it('replies with the job when the images are not made in time', async () => {
    const { jobs, post } = await start();

    const late = await post('/v1/images', HANG, { prefer: 'respond-async, wait=1' });

    expect([late.status, late.headers['preference-applied']]).toEqual([
      202,
      'respond-async, wait=1',
    ]);
    expect(late.json).toMatchObject({ status: 'running' });
    await jobs.cancel(late.json.id);
  });

  it('replies with the error of a job that fails in time, as the route does', async () => {
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

  it('a client that disconnects finds its image in the history, also after a kill', async () => {
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

  it('repeats nothing under a key, which it shares with no synchronous request', async () => {
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

  it('is ignored for streams, and where jobs are disabled', async () => {
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
