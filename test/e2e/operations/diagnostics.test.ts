import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Diagnostics } from '../../../lib/contract/resources/diagnostics.ts';
import { parseExposition } from '../../lib/metrics/exposition.ts';
import { requestRaw } from '../../support/raw-http.ts';
import { createReplyChecker } from '../../support/reply-checker.ts';
import { cleanUp, type StartedBridge, startBridge } from '../../support/start-bridge.ts';

const TOKEN = 'a-token-of-the-operator';
const PROMPT = 'a-lighthouse-that-stays-secret';
const authorization = `Bearer ${TOKEN}`;

let bridge: StartedBridge;
let checker: ReturnType<typeof createReplyChecker>;

beforeAll(async () => {
  bridge = await startBridge({
    set: [
      'server.metrics.enabled=true',
      'server.bearer_token_env=BRIDGE_TOKEN',
      'providers.agent_responses.enabled=false',
    ],
    env: { BRIDGE_TOKEN: TOKEN },
  });
  const document = await (await get('/v1/openapi.json')).json();
  checker = createReplyChecker(document as Record<string, unknown>);
});
afterAll(cleanUp);

const get = (path: string, headers: Readonly<Record<string, string>> = { authorization }) =>
  fetch(bridge.address + path, { headers });

async function diagnostics(): Promise<Diagnostics> {
  const response = await get('/v1/diagnostics');
  const body = (await response.json()) as Diagnostics;
  const headers = Object.fromEntries(response.headers);
  checker.check('getDiagnostics', response.status, headers, body);
  return body;
}

async function metrics() {
  const response = await get('/metrics?a=1&a=2');
  const text = await response.text();
  checker.check('getMetrics', response.status, Object.fromEntries(response.headers), text);
  return parseExposition(text);
}

/** Returns the number of replies of a route with this status, according to the metrics. */
async function replyCount(route: string, method: string, status: number): Promise<number> {
  const samples = (await metrics()).get('image_bridge_http_requests_total')?.samples ?? [];
  const sample = samples.find(
    ({ labels }) =>
      labels['route'] === route && labels['method'] === method && labels['status'] === `${status}`,
  );
  return sample?.value ?? 0;
}

async function makeArtifact(): Promise<{ id: string; name: string; bytes: number }> {
  const response = await fetch(`${bridge.address}/v1/images`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({
      prompt: PROMPT,
      parameters: { size: '256x256' },
      output: { response_format: 'artifact' },
    }),
  });
  const { data } = (await response.json()) as {
    data: { id: string; name: string; bytes: number }[];
  };
  const [made] = data;
  if (!made) throw new Error('there is no image');
  return made;
}

describe('GET /v1/diagnostics', () => {
  it('reports the version and the origin of each setting, without a value', async () => {
    const report = await diagnostics();

    expect(report).toMatchObject({
      listener: { scope: 'loopback', port: bridge.port },
      authentication_required: true,
      configuration: { version: 1 },
      providers: [{ name: 'sandbox', ready: true, restarts: 0 }],
    });
    expect(report.configuration.origins).toContainEqual({
      field: 'server.bearer_token_env',
      source: 'override',
    });
    expect(report.configuration.origins).toContainEqual({
      field: 'runtime.default_timeout_ms',
      source: 'default',
    });
  });

  it('reports the number of published artifacts, and the size of the database', async () => {
    const before = (await diagnostics()).storage;
    const { bytes } = await makeArtifact();

    const after = (await diagnostics()).storage;

    expect(after.artifacts_count).toBe(before.artifacts_count + 1);
    expect(after.artifacts_bytes).toBe(before.artifacts_bytes + bytes);
    expect(after.database_bytes_logical).toBeGreaterThan(0);
    expect(after.database_bytes_physical).toBeGreaterThan(0);
  });

  it('lists the newest replies first, without probes and scrapes', async () => {
    await get('/v1/providers?limit=1');
    await get('/health/live');
    await metrics();
    await get('/v1/nothing/here');

    const { items } = (await diagnostics()).events;

    expect(items.slice(0, 2)).toMatchObject([
      { method: 'GET', route: 'unmatched', status: 404 },
      { method: 'GET', route: '/v1/providers', status: 200 },
    ]);
    expect(items.map(({ route }) => route)).not.toContain('/health/live');
  });

  it('contains no content of requests and no paths', async () => {
    const { id, name } = await makeArtifact();
    await get(`/v1/artifacts/${id}?download=true`);
    await get('/v1/a-path-of-a-caller?secret=query', {
      authorization,
      'x-request-id': 'my-own-id',
    });

    const text = JSON.stringify(await diagnostics());

    for (const secret of [
      PROMPT,
      TOKEN,
      'BRIDGE_TOKEN',
      id,
      name,
      bridge.cwd,
      'a-path-of-a-caller',
    ]) {
      expect(text).not.toContain(secret);
    }
    expect(text).not.toMatch(/my-own-id|secret=|query|bridge\.sqlite|data\/state/);
  });
});

describe('GET /metrics', () => {
  it('requires the token and rejects pages of other sites', async () => {
    const foreign = { authorization, 'sec-fetch-site': 'cross-site' };

    const statuses = await Promise.all([
      get('/metrics', {}),
      get('/metrics', foreign),
      get('/metrics'),
    ]);

    expect(statuses.map(({ status }) => status)).toEqual([401, 403, 200]);
  });

  it.each<[string, string, string, string, number]>([
    ['a known route', `GET /v1/artifacts/${'0'.repeat(32)}`, '/v1/artifacts/{id}', 'GET', 404],
    ['an unknown path', 'GET /v1/surprise', 'unmatched', 'GET', 404],
    ['another method', 'DELETE /v1/providers', '/v1/providers', 'DELETE', 405],
    ['an invented method', 'PROPFIND /v1/providers', '/v1/providers', 'OTHER', 405],
    ['a proxy request', 'CONNECT evil.example:443', 'unmatched', 'OTHER', 405],
    ['bytes that are no HTTP', 'hello', 'unmatched', 'OTHER', 400],
    ['a long head', `GET /${'a'.repeat(40_000)}`, 'unmatched', 'OTHER', 431],
  ])('counts %s once', async (_, line, route, method, status) => {
    const before = await replyCount(route, method, status);
    const isHttp = line.includes(' ');
    const head = [
      isHttp ? `${line} HTTP/1.1` : line,
      'Host: localhost',
      'Connection: close',
      `Authorization: ${authorization}`,
    ];

    const reply = await requestRaw(bridge.port, `${head.join('\r\n')}\r\n\r\n`);

    expect(reply.status).toBe(status);
    expect(await replyCount(route, method, status)).toBe(before + 1);
  });

  it('counts the verification of an artifact', async () => {
    const verified = async () =>
      (await metrics()).get('image_bridge_artifact_verifications_total')?.samples[0]?.value ?? 0;
    const { id } = await makeArtifact();
    const before = await verified();

    await (await get(`/v1/artifacts/${id}`)).arrayBuffer();

    expect(await verified()).toBe(before + 1);
  });

  it('shows the gates and the breaker of each provider', async () => {
    const families = await metrics();

    expect(families.get('image_bridge_queue_depth')?.samples).toMatchObject([
      { labels: { scope: 'global' }, value: 0 },
      { labels: { scope: 'sandbox' }, value: 0 },
    ]);
    expect(families.get('image_bridge_circuit_state')?.samples).toContainEqual(
      expect.objectContaining({ labels: { provider: 'sandbox', state: 'closed' }, value: 1 }),
    );
  });

  it('is an unknown path if it is disabled, for any method', async () => {
    const plain = await startBridge();

    const replies = await Promise.all(
      (['GET', 'POST'] as const).map((method) => fetch(`${plain.address}/metrics`, { method })),
    );

    expect(replies.map(({ status }) => status)).toEqual([404, 404]);
    expect(await (await fetch(`${plain.address}/v1/openapi.json`)).json()).toHaveProperty([
      'paths',
      '/metrics',
    ]);
    expect(plain.stderr()).not.toContain('server.metrics');
  });
});

describe('openapi.yaml', () => {
  it('lists both routes', async () => {
    const text = await readFile(join(import.meta.dirname, '../../../openapi.yaml'), 'utf8');

    expect(text).toContain('\n  /metrics:\n');
    expect(text).toContain('\n  /v1/diagnostics:\n');
  });
});
