import { Client } from 'pg';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSchema, HAS_POSTGRES, type TestSchema } from '../../support/postgres.ts';
import { type PostgresProxy, startPostgresProxy } from '../../support/postgres-proxy.ts';
import {
  cleanUp,
  freshFolder,
  type StartedBridge,
  startBridge,
} from '../../support/start-bridge.ts';

const TOKEN = 'a-token-of-the-tests';
// A port at which nothing listens.
const NOWHERE = 'postgres://127.0.0.1:9/postgres';
const REQUESTS = 20;

let schema: TestSchema;
let proxy: PostgresProxy;
let bridge: StartedBridge;

beforeEach(async () => {
  if (!HAS_POSTGRES) return;
  schema = await createSchema();
  proxy = await startPostgresProxy(schema.url);
  bridge = await startBridge({
    command: 'serve',
    env: { DATABASE_URL: proxy.url, TOKEN },
    set: [
      'state.driver=postgres',
      `state.postgres.schema=${schema.schema}`,
      'state.postgres.max_connections=2',
      'state.postgres.statement_timeout_ms=500',
      'artifacts.driver=folder',
      `artifacts.root=${await freshFolder()}`,
      'server.bearer_token_env=TOKEN',
      'providers.sandbox.enabled=true',
      'default_provider=sandbox',
    ],
  });
  await expect.poll(() => statusOf('/health/ready')).toBe(200);
});
afterEach(async () => {
  await bridge?.end();
  await proxy?.close();
  await schema?.drop();
});
afterAll(cleanUp);

async function statusOf(path: string, token = TOKEN): Promise<number> {
  const reply = await fetch(bridge.address + path, {
    headers: token === '' ? {} : { authorization: `Bearer ${token}` },
  });
  await reply.arrayBuffer();
  return reply.status;
}

const listJobs = () =>
  Promise.all(Array.from({ length: REQUESTS }, () => statusOf('/v1/jobs?limit=1')));

/** Returns the lines about requests that the bridge has written. */
const linesOfRequests = (): readonly string[] =>
  bridge
    .stderr()
    .split('\n')
    .filter((line) => line !== '' && JSON.parse(line).request_id !== undefined);

describe.runIf(HAS_POSTGRES)('a bridge whose database is away', () => {
  it('is not ready, rejects requests with 503 and never with 401, and writes one line about all of them', async () => {
    proxy.moveTo(NOWHERE);
    await expect.poll(() => statusOf('/health/ready')).toBe(503);

    const statuses = await listJobs();

    expect(statuses).toEqual(Array(REQUESTS).fill(503));
    expect(await statusOf('/v1/jobs', '')).toBe(401);
    expect(linesOfRequests()).toHaveLength(1);
    proxy.moveTo(schema.url);
    await expect.poll(() => statusOf('/health/ready')).toBe(200);
    expect(await statusOf('/v1/jobs')).toBe(200);
  });
});

describe.runIf(HAS_POSTGRES)('a bridge whose connections are all in use', () => {
  it('rejects requests with 503 and never with 401, and works again afterwards', async () => {
    const other = new Client({ connectionString: schema.url });
    await other.connect();
    // Each query of a bridge keeps its connection until the time limit.
    await other.query(`BEGIN; LOCK TABLE ${schema.schema}.job IN ACCESS EXCLUSIVE MODE`);

    const statuses = await listJobs();

    expect(statuses).toEqual(Array(REQUESTS).fill(503));
    expect(await statusOf('/v1/jobs', 'another-token-of-the-tests')).toBe(401);
    await other.end();
    await expect.poll(() => statusOf('/v1/jobs')).toBe(200);
  });
});
