import { afterAll, describe, expect, it } from 'vitest';
import { createSchema, HAS_POSTGRES } from '../../support/postgres.ts';
import { startPostgresProxy } from '../../support/postgres-proxy.ts';
import { cleanUp, freshFolder, startBridge } from '../../support/start-bridge.ts';

const TOKEN = 'a-token-of-the-tests';
const AUTHORIZATION = { authorization: `Bearer ${TOKEN}` };
// A port at which nothing listens.
const NOWHERE = 'postgres://127.0.0.1:9/postgres';
const PROBES = 200;

afterAll(cleanUp);

describe.runIf(HAS_POSTGRES)('a bridge whose database is away', () => {
  it('is not ready, rejects requests with 503 and never with 401, and writes one line about all of them', async () => {
    const schema = await createSchema();
    const proxy = await startPostgresProxy(schema.url);
    const bridge = await startBridge({
      command: 'serve',
      env: { DATABASE_URL: proxy.url, TOKEN },
      set: [
        'state.driver=postgres',
        `state.postgres.schema=${schema.schema}`,
        'state.postgres.max_connections=2',
        'state.postgres.statement_timeout_ms=500',
        'replica.lease_ms=5000',
        'artifacts.driver=folder',
        `artifacts.root=${await freshFolder()}`,
        'server.bearer_token_env=TOKEN',
        'providers.sandbox.enabled=true',
        'default_provider=sandbox',
      ],
    });
    const ask = (path: string, headers: Record<string, string> = AUTHORIZATION) =>
      fetch(bridge.address + path, { headers });
    expect((await ask('/v1/jobs')).status).toBe(200);
    await expect.poll(async () => (await ask('/health/ready')).status).toBe(200);
    const before = bridge.stderr();

    proxy.moveTo(NOWHERE);
    await expect.poll(async () => (await ask('/health/ready')).status).toBe(503);
    const replies = await Promise.all(Array.from({ length: 20 }, () => ask('/v1/jobs')));
    for (let nth = 0; nth < PROBES; nth += 1) await ask('/health/ready');
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([503]));
    expect((await ask('/v1/jobs', {})).status).toBe(401);
    const lines = bridge.stderr().slice(before.length).split('\n').slice(0, -1);
    const ofRequests = lines.filter((line) => JSON.parse(line).request_id);
    expect(ofRequests).toHaveLength(1);
    proxy.moveTo(schema.url);
    await expect.poll(async () => (await ask('/health/ready')).status).toBe(200);
    expect((await ask('/v1/jobs')).status).toBe(200);
    await bridge.end();
    await proxy.close();
    await schema.drop();
  });
});
