import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HAS_REPLICAS, type Replicas, startReplicas } from '../../support/replicas.ts';
import { cleanUp } from '../../support/start-bridge.ts';
import { openEvents } from '../jobs/event-reader.ts';
import { createJobClient, type JobClient } from '../jobs/jobs-rig.ts';

const TOKEN = 'a-token-of-the-tests';
const AUTHORIZATION = { authorization: `Bearer ${TOKEN}` };
// The type of the client lists only the sizes of OpenAI.
const SMALL_SIZE = '64x64' as '1024x1024';
const SMALL = { prompt: 'a kite', parameters: { size: '64x64' } };

let replicas: Replicas;
/** The clients of the balancer, and of each replica. */
let jobs: JobClient;
let one: JobClient;
let two: JobClient;

// Replicas of the whole file. Tests that end a replica start it again.
beforeAll(async () => {
  if (!HAS_REPLICAS) return;
  replicas = await startReplicas({
    set: [
      'server.bearer_token_env=TOKEN',
      'server.mcp.enabled=true',
      'replica.lease_ms=5000',
      'providers.sandbox.latency_ms=300',
      'artifacts.s3.redirect_above_bytes=65536',
    ],
    env: { TOKEN },
  });
  [jobs, one, two] = (await Promise.all(
    [replicas, ...replicas.each].map((at) => createJobClient(at, TOKEN)),
  )) as [JobClient, JobClient, JobClient];
});
afterAll(async () => {
  await replicas?.stop();
  await cleanUp();
});

describe.runIf(HAS_REPLICAS)('two replicas behind HAProxy', () => {
  it('serve the official client of OpenAI', async () => {
    const client = new OpenAI({ baseURL: `${replicas.address}/v1`, apiKey: TOKEN });

    const replies = await Promise.all(
      Array.from({ length: 6 }, () =>
        client.images.generate({ prompt: 'a fox', size: SMALL_SIZE }),
      ),
    );

    expect(replies.map(({ data }) => data?.length)).toEqual(Array(6).fill(1));
    expect((await client.models.list()).data.map(({ id }) => id)).toContain('sandbox-image');
  });

  it('give the official client of OpenAI the URL of an image, which redirects to the bucket without the token', async () => {
    const client = new OpenAI({ baseURL: `${replicas.address}/v1`, apiKey: TOKEN });

    const { data } = await client.images.generate({ prompt: 'a fox', response_format: 'url' });

    const url = data?.[0]?.url ?? '';
    const reply = await fetch(url, { headers: AUTHORIZATION, redirect: 'manual' });
    expect([reply.status, new URL(url).origin]).toEqual([307, replicas.address]);
    const followed = await fetch(url, { headers: AUTHORIZATION });
    const direct = await fetch(url, {
      headers: { ...AUTHORIZATION, 'x-artifact-redirect': 'never' },
    });
    expect([followed.redirected, followed.headers.get('content-type')]).toEqual([
      true,
      'image/png',
    ]);
    expect([direct.status, direct.redirected]).toEqual([200, false]);
    expect(new Uint8Array(await followed.arrayBuffer())).toEqual(
      new Uint8Array(await direct.arrayBuffer()),
    );
    expect((await fetch(url, { redirect: 'manual' })).status).toBe(401);
  });

  it('stream partial images to the official client of OpenAI', async () => {
    const client = new OpenAI({ baseURL: `${replicas.address}/v1`, apiKey: TOKEN });

    const stream = await client.images.generate({
      prompt: 'a fox',
      size: SMALL_SIZE,
      stream: true,
      partial_images: 2,
    });
    const types: string[] = [];
    for await (const { type } of stream) types.push(type);

    expect(types.at(-1)).toBe('image_generation.completed');
  });

  it.each([
    ['2025-11-25', { mode: 'legacy' }],
    ['2026-07-28', { mode: 'auto' }],
  ] as const)(
    'serve the tools of an agent with the revision %s',
    async (_revision, versionNegotiation) => {
      const client = new Client({ name: 'test', version: '1' }, { versionNegotiation });
      const url = new URL(`${replicas.address}/mcp`);
      await client.connect(
        new StreamableHTTPClientTransport(url, { requestInit: { headers: AUTHORIZATION } }),
      );

      const results = [];
      for (let call = 0; call < 4; call += 1) {
        results.push(
          await client.callTool({
            name: 'generate_image',
            arguments: { prompt: `a fox ${call}`, size: '64x64' },
          }),
        );
      }

      await client.close();
      expect(results.map(({ isError }) => isError ?? false)).toEqual(Array(4).fill(false));
    },
  );

  it('wait for the end of a job that the other replica accepted', async () => {
    const created = await one.post(SMALL);

    const job = await two.ended(created.json.id);

    expect(job).toMatchObject({ id: created.json.id, status: 'succeeded' });
  });

  it('deliver the image of a job from either replica', async () => {
    const { json } = await one.post(SMALL);
    const { result } = await one.ended(json.id);
    const path = `/v1/artifacts/${result.data[0].id}`;

    const [first, second] = await Promise.all([one.get(path), two.get(path)]);

    expect(first.bytes.byteLength).toBeGreaterThan(0);
    expect(second.bytes.equals(first.bytes)).toBe(true);
  });

  it('tell a reader on one replica about the jobs of the other', async () => {
    const reader = await openEvents(`${replicas.each[1].address}/v1/jobs/events`, AUTHORIZATION);
    const { json } = await one.post(SMALL);

    await reader.until((events) =>
      events.some(({ data: { job } }) => job?.id === json.id && job.status === 'succeeded'),
    );

    reader.disconnect();
  });

  it('let an event stream resume on the other replica', async () => {
    const first = await openEvents(`${replicas.each[0].address}/v1/jobs/events`, AUTHORIZATION);
    await one.ended((await one.post(SMALL)).json.id);
    await first.until((events) => events.length > 0);
    const lastId = first.lastId() ?? '';
    first.disconnect();
    const missed = (await one.post(SMALL)).json.id;

    const resumed = await openEvents(`${replicas.each[1].address}/v1/jobs/events`, {
      ...AUTHORIZATION,
      'last-event-id': lastId,
    });

    await resumed.until((events) => events.some(({ data: { job } }) => job?.id === missed));
    resumed.disconnect();
  });

  it('cancel a job that runs on the other replica', async () => {
    const body = {
      ...SMALL,
      parameters: { size: '64x64', n: 8 },
      policies: { batch_execution: 'sequential' },
    };
    const created = await jobs.post(body);
    await jobs.running(created.json.id);

    await Promise.all([one.cancel(created.json.id), two.cancel(created.json.id)]);

    expect((await jobs.ended(created.json.id)).status).toBe('cancelled');
  });

  it('answer a repeated key with one job, on either replica', async () => {
    const key = { 'idempotency-key': 'one-job-for-both' };

    const [first, second] = await Promise.all([one.post(SMALL, key), two.post(SMALL, key)]);

    expect(second.json.id).toBe(first.json.id);
  });

  it('generate one image for equal requests with a key that reach both replicas', async () => {
    const sent = { body: SMALL, headers: { 'idempotency-key': 'one-image-for-both' } };

    const [first, second] = await Promise.all([
      one.send('POST', '/v1/images', sent),
      two.send('POST', '/v1/images', sent),
    ]);

    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.json.id).toBe(first.json.id);
  });

  it('page through a list with a cursor of the other replica', async () => {
    await Promise.all([one.post(SMALL), two.post(SMALL)]);
    const first = await one.get('/v1/jobs?limit=1');

    const second = await two.get(`/v1/jobs?limit=1&cursor=${first.json.next_cursor}`);

    expect(second.status).toBe(200);
    expect(second.json.items[0].id).not.toBe(first.json.items[0].id);
  });

  it('share a paused queue', async () => {
    await one.send('PATCH', '/v1/queue', { body: { paused: true } });
    const { json } = await two.post(SMALL);

    expect((await two.get('/v1/queue')).json.paused).toBe(true);
    expect((await two.get(`/v1/jobs/${json.id}?wait_ms=1000`)).json.status).toBe('queued');

    await two.send('PATCH', '/v1/queue', { body: { paused: false } });
    expect((await one.ended(json.id)).status).toBe('succeeded');
  });

  it('complete every request and every job while one replica after the other is replaced', async () => {
    const client = new OpenAI({ baseURL: `${replicas.address}/v1`, apiKey: TOKEN });
    let isOver = false;
    const images: unknown[] = [];
    const ids: string[] = [];
    const load = async () => {
      while (!isOver) {
        images.push(
          (await client.images.generate({ prompt: 'a fox', size: SMALL_SIZE })).data?.length,
        );
        const sent = await fetch(`${replicas.address}/v1/jobs`, {
          method: 'POST',
          headers: { ...AUTHORIZATION, 'content-type': 'application/json' },
          body: JSON.stringify(SMALL),
        });
        expect(sent.status).toBe(202);
        ids.push(((await sent.json()) as { id: string }).id);
      }
    };
    const loads = Promise.all([load(), load(), load()]);

    for (const index of [0, 1] as const) {
      await replicas.each[index].end('SIGTERM');
      await replicas.restart(index);
    }
    isOver = true;
    await loads;

    expect(images.every((count) => count === 1)).toBe(true);
    const ends = await Promise.all(ids.map((id) => jobs.ended(id)));
    expect(ends.filter(({ status }) => status !== 'succeeded')).toEqual([]);
  });

  it('end the job of a killed replica as interrupted, and run the others', async () => {
    const slow = {
      ...SMALL,
      parameters: { size: '64x64', n: 10 },
      policies: { batch_execution: 'sequential' },
    };
    const created = await Promise.all(Array.from({ length: 6 }, () => jobs.post(slow)));
    const ids = created.map(({ json }) => json.id);
    await Promise.all(ids.slice(0, 2).map((id) => jobs.running(id)));

    await replicas.each[0].end('SIGKILL');

    const ends = await Promise.all(ids.map((id) => two.ended(id)));
    const statuses = ends.map(({ status }) => status);
    expect(statuses.filter((status) => status !== 'succeeded' && status !== 'interrupted')).toEqual(
      [],
    );
    await replicas.restart(0);
  });
});
