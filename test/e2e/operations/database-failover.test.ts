import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type PostgresServer,
  query,
  startPostgres,
} from '../../support/engines/postgres-server.ts';
import { HAS_POSTGRES } from '../../support/postgres.ts';
import {
  cleanUp,
  freshFolder,
  type StartedBridge,
  startBridge,
} from '../../support/start-bridge.ts';
import { createJobClient, type JobClient } from '../jobs/jobs-rig.ts';

const NAMED = 'providers.openai_images.held';

let server: PostgresServer;
let provider: Awaited<ReturnType<typeof startHeldProvider>>;
let bridge: StartedBridge;
let client: JobClient;

beforeAll(async () => {
  if (HAS_POSTGRES) server = await startPostgres();
});
beforeEach(async () => {
  if (!HAS_POSTGRES) return;
  provider = await startHeldProvider();
  bridge = await startBridge({
    command: 'serve',
    env: { DATABASE_URL: server.url },
    set: [
      'state.driver=postgres',
      'state.postgres.statement_timeout_ms=1000',
      `artifacts.root=${await freshFolder()}`,
      `${NAMED}.dialect=generic`,
      `${NAMED}.base_url=${provider.url}`,
      `${NAMED}.models=["one"]`,
      `${NAMED}.image_model=one`,
      'default_provider=held',
    ],
  });
  client = await createJobClient(bridge);
});
afterEach(async () => {
  await bridge?.end();
  await provider?.close();
  if (HAS_POSTGRES) await query(server.url, 'DROP SCHEMA image_bridge CASCADE');
});
afterAll(async () => {
  await cleanUp();
  await server?.stop();
});

/** Starts a provider whose replies wait until `release`. */
async function startHeldProvider() {
  const png = await sharp({ create: { width: 64, height: 64, channels: 3, background: 'teal' } })
    .png()
    .toBuffer();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: called, resolve: noteCall } = Promise.withResolvers<void>();
  let calls = 0;
  const listener = createServer(async (incoming, outgoing) => {
    calls += 1;
    incoming.resume();
    noteCall();
    await released;
    outgoing.writeHead(200, { 'content-type': 'application/json' });
    outgoing.end(JSON.stringify({ created: 1, data: [{ b64_json: png.toString('base64') }] }));
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  // A server that listens on a TCP port has an address of this form.
  const { port } = listener.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    called,
    release,
    calls: () => calls,
    async close() {
      release();
      listener.close();
      listener.closeAllConnections();
      await once(listener, 'close');
    },
  };
}

async function isReady(): Promise<boolean> {
  const reply = await fetch(`${bridge.address}/health/ready`);
  await reply.arrayBuffer();
  return reply.ok;
}

/** Crashes the server while the provider is called, and restarts it after the provider has replied. */
async function failOver(): Promise<void> {
  await provider.called;
  await server.crash();
  provider.release();
  await expect.poll(isReady).toBe(false);
  await server.restart();
  await expect.poll(isReady, { timeout: 30_000 }).toBe(true);
}

/** Returns the images of today: of all outcomes, as the account of the caller has them. */
async function todaysImages() {
  const { json } = await client.get('/v1/usage?days=1');
  const [today] = json.items;
  const { images = 0, lost = 0, unknown = 0, failed = 0 } = today ?? {};
  return { images, lost, unknown, failed };
}

const ONE_IMAGE = { images: 1, lost: 0, unknown: 0, failed: 0 };

const send = (output: object, key?: string) =>
  client.send('POST', '/v1/images', {
    body: { prompt: 'a kite', output },
    headers: key === undefined ? {} : { 'idempotency-key': key },
  });

describe.runIf(HAS_POSTGRES)('a restart of PostgreSQL during a call of a provider', () => {
  it('loses no image of a request, which is called and charged once', async () => {
    const replying = send({ response_format: 'artifact' });
    await failOver();

    const { status, json } = await replying;

    expect([status, json.error]).toEqual([200, undefined]);
    const { status: found, bytes } = await client.get(`/v1/artifacts/${json.data[0].id}`);
    expect([found, bytes.length]).toEqual([200, json.data[0].bytes]);
    expect(provider.calls()).toBe(1);
    await expect.poll(todaysImages).toEqual(ONE_IMAGE);
  });

  it('loses no image of a job, which is called and charged once', async () => {
    const { json: job } = await client.post({ prompt: 'a kite' });
    await failOver();

    const ended = await client.ended(job.id);

    expect([ended.status, ended.error]).toEqual(['succeeded', undefined]);
    const { status: found } = await client.get(`/v1/artifacts/${ended.result.data[0].id}`);
    expect(found).toBe(200);
    expect(provider.calls()).toBe(1);
    await expect.poll(todaysImages).toEqual(ONE_IMAGE);
  });

  it('does not delay an image that is sent inline, and a repeat with its key has the same image', async () => {
    const replying = send({ response_format: 'b64_json' }, 'one image');
    await provider.called;
    await server.crash();
    provider.release();
    const { status, json } = await replying;
    await server.restart();
    await expect.poll(isReady, { timeout: 30_000 }).toBe(true);

    await expect.poll(todaysImages).toEqual(ONE_IMAGE);
    const again = await send({ response_format: 'b64_json' }, 'one image');

    expect([status, again.status]).toEqual([200, 200]);
    expect(again.json.data).toEqual(json.data);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(provider.calls()).toBe(1);
  });
});
