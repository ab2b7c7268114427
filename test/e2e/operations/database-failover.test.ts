import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type PostgresServer,
  query,
  startPostgres,
} from '../../support/engines/postgres-server.ts';
import {
  createImagesUpstream,
  type ImagesUpstream,
} from '../../support/images-upstream/images-upstream.ts';
import { createManualClock, type ManualClock } from '../../support/manual-clock.ts';
import { HAS_POSTGRES } from '../../support/postgres.ts';
import {
  cleanUp,
  freshFolder,
  type StartedBridge,
  startBridge,
} from '../../support/start-bridge.ts';
import { createJobClient, type JobClient } from '../jobs/jobs-rig.ts';
import { PROVIDER, providerSettings } from '../providers/openai-images-rig.ts';

/** The time that the provider takes for an image. It passes only when a test advances the clock of the provider. */
const DRAWING_MS = 1000;

let server: PostgresServer;
let provider: ImagesUpstream;
let clock: ManualClock;
let bridge: StartedBridge;
let client: JobClient;

beforeAll(async () => {
  if (HAS_POSTGRES) server = await startPostgres();
});
beforeEach(async () => {
  if (!HAS_POSTGRES) return;
  clock = createManualClock();
  provider = await createImagesUpstream({ dialect: 'generic', clock });
  provider.setDefaultBehaviour({ behaviour: 'succeed', delayMs: DRAWING_MS });
  bridge = await startBridge({
    command: 'serve',
    env: { DATABASE_URL: server.url },
    set: [
      'state.driver=postgres',
      'state.postgres.statement_timeout_ms=1000',
      `artifacts.root=${await freshFolder()}`,
      `default_provider=${PROVIDER}`,
      ...providerSettings(PROVIDER, provider),
    ],
  });
  client = await createJobClient(bridge);
});
afterEach(async () => {
  // A call that a failed test has left would keep the bridge from ending.
  await clock?.advance(DRAWING_MS);
  await bridge?.end();
  await provider?.close();
  if (HAS_POSTGRES) await query(server.url, 'DROP SCHEMA image_bridge CASCADE');
});
afterAll(async () => {
  await cleanUp();
  await server?.stop();
});

async function isReady(): Promise<boolean> {
  const reply = await fetch(`${bridge.address}/health/ready`);
  await reply.arrayBuffer();
  return reply.ok;
}

/** Resolves when the provider has received a call. */
const untilCalled = () => expect.poll(() => clock.waiting).toBe(1);

/** Crashes the server while the provider is called, and restarts it after the provider has replied. */
async function failOver(): Promise<void> {
  await untilCalled();
  await server.crash();
  await clock.advance(DRAWING_MS);
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
    expect(provider.calls).toHaveLength(1);
    await expect.poll(todaysImages).toEqual(ONE_IMAGE);
  });

  it('loses no image of a job, which is called and charged once', async () => {
    const { json: job } = await client.post({ prompt: 'a kite' });
    await failOver();

    const ended = await client.ended(job.id);

    expect([ended.status, ended.error]).toEqual(['succeeded', undefined]);
    const { status: found } = await client.get(`/v1/artifacts/${ended.result.data[0].id}`);
    expect(found).toBe(200);
    expect(provider.calls).toHaveLength(1);
    await expect.poll(todaysImages).toEqual(ONE_IMAGE);
  });

  it('does not delay an image that is sent inline, and a repeat with its key has the same image', async () => {
    const replying = send({ response_format: 'b64_json' }, 'one image');
    await untilCalled();
    await server.crash();
    await clock.advance(DRAWING_MS);
    const { status, json } = await replying;
    await server.restart();
    await expect.poll(isReady, { timeout: 30_000 }).toBe(true);

    await expect.poll(todaysImages).toEqual(ONE_IMAGE);
    const again = await send({ response_format: 'b64_json' }, 'one image');

    expect([status, again.status]).toEqual([200, 200]);
    expect(again.json.data).toEqual(json.data);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(provider.calls).toHaveLength(1);
  });
});
