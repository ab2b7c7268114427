import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Route, routes } from '../../../handlers/routes.ts';
import { buildOpenApiDocument } from '../../../infra/generators/openapi/build-document.ts';
import { loadConfig } from '../../../lib/config/load-config.ts';
import type { HttpSettings } from '../../../lib/http/http-event.ts';
import { createOperation } from '../../../lib/http/operation.ts';
import { bytes } from '../../../lib/http/reply/reply.ts';
import { createTraceLog } from '../../../lib/log/trace-log.ts';
import { systemClock as clock } from '../../../lib/platform/clock.ts';
import { createIds } from '../../../lib/platform/ids.ts';
import { QUICKSTART_PRESETS } from '../../../local-runtime/cli/quickstart-presets.ts';
import {
  createFunctionHandler,
  type FunctionEvent,
} from '../../../local-runtime/functions/function-handler.ts';
import {
  servedByFunctions,
  toRouteKeys,
} from '../../../local-runtime/functions/function-routes.ts';
import { toHttpSettings } from '../../../local-runtime/server/listener/to-http-settings.ts';
import { openObservation } from '../../../local-runtime/server/observation.ts';
import { openApp } from '../../../local-runtime/server/open-app.ts';
import { createReplyChecker } from '../../support/reply-checker.ts';
import { cleanUp, freshFolder } from '../../support/start-bridge.ts';

const TOKEN = 'a-long-enough-secret';
// As in the template.
const MAX_BODY_BYTES = 5_242_880;
const ids = createIds(clock.nowMs);
const checker = createReplyChecker(buildOpenApiDocument(routes, '0.0.0'));

let app: Awaited<ReturnType<typeof openApp>>;
let httpSettings: HttpSettings;
let handle: ReturnType<typeof createFunctionHandler>;
/** Serves the routes that need a process. */
let container: typeof handle;

beforeAll(async () => {
  const cwd = await freshFolder();
  const set = [
    'server.metrics.enabled=true',
    'server.bearer_token_env=TOKEN',
    'providers.sandbox.latency_ms=0',
    `server.max_body_bytes=${MAX_BODY_BYTES}`,
    `state.directory=${cwd}/state`,
    `artifacts.root=${cwd}/artifacts`,
  ];
  const loaded = await loadConfig({ env: {}, cwd, set, presets: QUICKSTART_PRESETS });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
  const { config } = loaded;
  const observation = await openObservation({ config, routes, clock, version: '0.0.0' });
  const log = createTraceLog(() => {});
  const { observer } = observation;
  httpSettings = toHttpSettings(config, { bearer: TOKEN }, { clock, ids, observer, log });
  app = await openApp(config, routes, {
    ...observation,
    httpSettings,
    clock,
    ids,
    log,
    env: {},
    webhookKeys: undefined,
    tasks: [],
    facts: {
      version: '0.0.0',
      listener: { scope: 'remote', port: 443 },
      authenticationRequired: true,
      origins: [],
    },
  });
  const deps = { services: app.services, httpSettings };
  handle = createFunctionHandler({ routes, ...deps });
  const everywhere = routes.map(({ needsProcess: _, ...route }) => route);
  container = createFunctionHandler({ routes: everywhere, ...deps });
});
afterAll(async () => {
  await app.close();
  await cleanUp();
});

interface Sent {
  readonly parameters?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | object;
  readonly remainingMs?: number;
}

/** Returns the event that API Gateway sends for a request of this route. */
function toFunctionEvent(routeKey: string, sent: Sent = {}) {
  const [method = 'GET', at = '/'] = routeKey.split(' ');
  const { parameters = {}, query = '', body } = sent;
  const path = at.replace(/\{(\w+)\+?\}/g, (_, name: string) => parameters[name] ?? '');
  const bytes =
    body === undefined || Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
  return {
    version: '2.0',
    routeKey,
    rawPath: path,
    rawQueryString: query,
    headers: {
      host: 'abc123.execute-api.eu-central-1.amazonaws.com',
      'x-forwarded-proto': 'https',
      authorization: `Bearer ${TOKEN}`,
      ...(bytes ? { 'content-type': 'application/json', 'content-length': `${bytes.length}` } : {}),
      ...sent.headers,
    },
    pathParameters: parameters,
    requestContext: { stage: '$default', http: { method, path, protocol: 'HTTP/1.1' } },
    ...(bytes ? { body: bytes.toString('base64') } : {}),
    isBase64Encoded: bytes !== undefined,
  };
}

async function invoke(event: FunctionEvent, { remainingMs = 26_000, run = handle } = {}) {
  const reply = await run(event, { getRemainingTimeInMillis: () => remainingMs });
  const bytes = Buffer.from(reply.body, reply.isBase64Encoded ? 'base64' : 'utf8');
  const isJson = reply.headers['content-type']?.includes('json');
  const json = isJson && bytes.length > 0 ? JSON.parse(bytes.toString()) : undefined;
  return { ...reply, bytes, json };
}

const call = (routeKey: string, sent: Sent = {}) =>
  invoke(
    toFunctionEvent(routeKey, sent),
    sent.remainingMs ? { remainingMs: sent.remainingMs } : {},
  );

/** Sends an event, and checks the reply against the OpenAPI document. */
async function checkedReply(event: FunctionEvent) {
  const reply = await invoke(event);
  const { statusCode, headers, bytes, json } = reply;
  const text = headers['content-type']?.startsWith('text/') ? bytes.toString() : bytes;
  const [method = '', at = ''] = event.routeKey.replace('+}', '}').split(' ');
  const route = routes.find((it) => it.method === method.replace('HEAD', 'GET') && it.path === at);
  if (method !== 'HEAD') {
    checker.check(route?.handler.spec.id ?? '', statusCode, headers, json ?? text);
  }
  return reply;
}

const PROMPT = { prompt: 'a kite', parameters: { size: '64x64' } };
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47]);

async function createImage(body: object) {
  const { json } = await invoke(toFunctionEvent('POST /v1/images', { body }), { run: container });
  return json.data[0];
}

async function artifactId(): Promise<string> {
  return (await createImage({ ...PROMPT, output: { response_format: 'artifact' } })).id;
}

/** Creates an ended job with one input. */
async function endedJob(): Promise<string> {
  const data = (await createImage(PROMPT)).b64_json;
  const body = { operation: 'edit', prompt: 'a kite', images: [{ type: 'base64', data }] };
  const { id } = (await call('POST /v1/jobs', { body })).json;
  await call('GET /v1/jobs/{id}', { parameters: { id }, query: 'wait_ms=10000' });
  return id;
}

const job = async (): Promise<Sent> => ({ parameters: { id: await endedJob() } });
const presetName = () => `p${ids.newOpaqueId()}`;
const preset = async (): Promise<Sent> => {
  const name = presetName();
  await call('POST /v1/presets', { body: { name, template: {} } });
  return { parameters: { name } };
};

/** A request for every route of the functions, with the expected status of its reply. */
const CALLS: Readonly<Record<string, readonly [number, (() => Promise<Sent> | Sent)?]>> = {
  'GET /health/live': [200],
  'GET /v1/models': [200],
  'GET /v1/models/{id+}': [200, () => ({ parameters: { id: 'sandbox-image' } })],
  'POST /v1/jobs': [202, () => ({ body: PROMPT })],
  'GET /v1/jobs': [200],
  'GET /v1/jobs/days': [200],
  'GET /v1/jobs/labels': [200],
  'GET /v1/jobs/{id}': [200, job],
  'DELETE /v1/jobs/{id}': [200, job],
  'PATCH /v1/jobs/{id}': [200, async () => ({ ...(await job()), body: { favorite: true } })],
  'POST /v1/jobs/{id}/retry': [409, job],
  'GET /v1/jobs/{id}/family': [200, job],
  'GET /v1/jobs/{id}/derived': [200, job],
  'GET /v1/jobs/{id}/partial': [204, job],
  'GET /v1/jobs/{id}/inputs/{index}/thumbnail': [200, input],
  'GET /v1/prompts': [200],
  'GET /v1/queue': [200],
  'PATCH /v1/queue': [200, () => ({ body: { paused: false } })],
  'GET /v1/queue/own': [200],
  'GET /v1/queue/jobs': [200],
  'DELETE /v1/queue/jobs/{id}': [404, job],
  'GET /v1/providers': [200],
  'GET /v1/providers/{name}/capabilities': [200, () => ({ parameters: { name: 'sandbox' } })],
  'GET /v1/presets': [200],
  'POST /v1/presets': [201, () => ({ body: { name: presetName(), template: {} } })],
  'GET /v1/presets/{name}': [200, preset],
  'PUT /v1/presets/{name}': [200, async () => ({ ...(await preset()), body: { template: {} } })],
  'DELETE /v1/presets/{name}': [204, preset],
  'GET /v1/sessions/{key}': [404, () => ({ parameters: { key: 'none' } })],
  'DELETE /v1/sessions/{key}': [404, () => ({ parameters: { key: 'none' } })],
  'GET /v1/usage': [200],
  'PATCH /v1/artifacts/{id}': [
    404,
    async () => ({ ...(await artifact()), body: { favorite: true } }),
  ],
  'POST /v1/artifacts/{id}/crop': [
    202,
    async () => ({ ...(await artifact()), body: { x: 16, y: 16, width: 32, height: 32 } }),
  ],
  'GET /v1/artifacts/{id}/thumbnail': [200, artifact],
  'GET /v1/artifacts/{id}/credentials': [200, artifact],
  'GET /v1/openapi.json': [200],
};

async function* broken(): AsyncGenerator<Uint8Array> {
  yield PNG;
  throw new Error('the file has disappeared');
}

async function artifact(): Promise<Sent> {
  return { parameters: { id: await artifactId() } };
}

async function input(): Promise<Sent> {
  return { parameters: { id: await endedJob(), index: '0' } };
}

const KEYS = Object.keys(CALLS);
const GET_KEYS = KEYS.filter((key) => key.startsWith('GET '));

/** Returns the request of `CALLS` for a route. */
async function sentFor(routeKey: string): Promise<Sent> {
  return (await CALLS[routeKey]?.[1]?.()) ?? {};
}

describe('createFunctionHandler', () => {
  it('is tested with every route that needs no process', () => {
    const keys = servedByFunctions(routes).map((route) => toRouteKeys(route)[0]);

    expect(KEYS).toEqual(keys);
  });

  it.each(KEYS)('replies to %s as the contract requires', async (routeKey) => {
    const sent = await sentFor(routeKey);

    const { statusCode } = await checkedReply(toFunctionEvent(routeKey, sent));

    expect(statusCode).toBe(CALLS[routeKey]?.[0]);
  });

  it.each(GET_KEYS)('replies to HEAD as to %s, without the body', async (routeKey) => {
    const sent = await sentFor(routeKey);
    const got = await call(routeKey, sent);

    const head = await call(routeKey.replace('GET', 'HEAD'), sent);

    const OWN = ['x-request-id', 'traceparent', 'content-length'];
    const shared = ({ headers }: typeof head) =>
      Object.entries(headers).filter(([name]) => !OWN.includes(name));
    expect([head.statusCode, shared(head), head.body]).toEqual([got.statusCode, shared(got), '']);
  });

  it.each(KEYS)('replies to %s if the event lacks everything that is empty', async (routeKey) => {
    const { rawPath, requestContext } = toFunctionEvent(routeKey, await sentFor(routeKey));

    const { statusCode } = await checkedReply({ routeKey, rawPath, requestContext });

    // Without headers there is neither a token nor a `Host`.
    expect(statusCode).toBe(routeKey === 'GET /health/live' ? 200 : 400);
  });

  it.each(KEYS)('rejects a body of 10 MB, if %s reads a body', async (routeKey) => {
    const sent = await sentFor(routeKey);
    const readsBody = sent.body !== undefined;

    const { statusCode } = await checkedReply(
      toFunctionEvent(routeKey, { ...sent, body: Buffer.alloc(10_000_000, ' ') }),
    );

    expect(statusCode).toBe(readsBody ? 413 : CALLS[routeKey]?.[0]);
  });

  it.each(KEYS)('accepts a head of 10,240 bytes for %s', async (routeKey) => {
    const sent = await sentFor(routeKey);
    const { headers } = toFunctionEvent(routeKey, sent);
    const used = Object.entries(headers).reduce((sum, pair) => sum + pair.join(': \r\n').length, 0);
    const filled = { ...sent.headers, 'x-filler': 'a'.repeat(10_240 - used) };

    const { statusCode } = await checkedReply(
      toFunctionEvent(routeKey, { ...sent, headers: filled }),
    );

    expect(statusCode).toBe(CALLS[routeKey]?.[0]);
  });

  it.each(KEYS)('ignores cookies sent to %s', async (routeKey) => {
    const event = toFunctionEvent(routeKey, await sentFor(routeKey));
    const cookies = { cookies: ['session=1', 'theme=dark'] };

    const { statusCode, headers } = await checkedReply({ ...event, ...cookies });

    expect(statusCode).toBe(CALLS[routeKey]?.[0]);
    expect(headers).not.toHaveProperty('set-cookie');
  });

  it('reads a body of exactly `server.max_body_bytes`', async () => {
    const frame = JSON.stringify({ prompt: '' });
    const body = { prompt: 'a'.repeat(MAX_BODY_BYTES - frame.length) };

    const { statusCode, json } = await call('POST /v1/jobs', { body });

    expect([statusCode, json.error.param]).toEqual([422, 'prompt']);
  });

  it('returns the bytes of an image unchanged', async () => {
    const parameters = { id: await artifactId() };

    const { bytes, headers } = await call('GET /v1/artifacts/{id}/thumbnail', { parameters });

    expect(bytes.subarray(0, 4)).toEqual(PNG);
    expect(bytes.length).toBe(Number(headers['content-length']));
  });

  it('reads repeated headers, which API Gateway joins', async () => {
    const parameters = { id: await artifactId() };
    const thumbnail = 'GET /v1/artifacts/{id}/thumbnail';
    const { etag = '' } = (await call(thumbnail, { parameters })).headers;

    const headers = { 'if-none-match': `"another",${etag}` };
    const { statusCode, body } = await call(thumbnail, { parameters, headers });

    expect([statusCode, body]).toEqual([304, '']);
  });

  it('rejects a repeated token', async () => {
    const authorization = `Bearer ${TOKEN},Bearer ${TOKEN}`;

    expect((await call('GET /v1/jobs', { headers: { authorization } })).statusCode).toBe(401);
  });

  it('reads header names in any case', async () => {
    const { headers, ...event } = toFunctionEvent('GET /v1/jobs');
    const { authorization, ...others } = headers;

    const reply = await invoke({ ...event, headers: { ...others, Authorization: authorization } });

    expect(reply.statusCode).toBe(200);
  });

  it('accepts a body that API Gateway sends as text', async () => {
    const event = toFunctionEvent('POST /v1/jobs', { body: PROMPT });
    const text = { ...event, body: JSON.stringify(PROMPT), isBase64Encoded: false };

    expect((await invoke(text)).statusCode).toBe(202);
  });

  it.each([
    ['$default', '/v1/nothing', 404],
    ['$default', '/v1/usage', 405],
    ['$default', '/v1/images', 404],
    ['$default', '/v1/jobs/1/events', 404],
    ['GET /v1/jobs/{id}', '/v1/jobs/events', 404],
    ['DELETE /v1/jobs/{id}', '/v1/jobs/events', 404],
  ])('replies to %s %s with %i', async (routeKey, rawPath, status) => {
    const { statusCode } = await invoke({ ...toFunctionEvent(routeKey), rawPath });

    expect(statusCode).toBe(status);
  });

  it('lists only the methods of the functions in `Allow`', async () => {
    const event = { ...toFunctionEvent('$default'), rawPath: '/v1/jobs' };

    expect((await invoke(event)).headers['allow']).toBe('GET, HEAD, POST');
  });

  it('rejects a wrong token', async () => {
    const { statusCode } = await call('GET /v1/jobs', { headers: { authorization: 'Bearer no' } });

    expect(statusCode).toBe(401);
  });

  it('ends the wait for a job before the function times out', async () => {
    await call('PATCH /v1/queue', { body: { paused: true } });
    const { id } = (await call('POST /v1/jobs', { body: { prompt: 'a waiting kite' } })).json;

    const { statusCode, json } = await call('GET /v1/jobs/{id}', {
      parameters: { id },
      query: 'wait_ms=30000',
      remainingMs: 1100,
    });

    await call('PATCH /v1/queue', { body: { paused: false } });
    expect([statusCode, json.status]).toEqual([200, 'queued']);
  });

  it('rejects an event of another source', async () => {
    const warmUp = { source: 'aws.events' } as unknown as FunctionEvent;

    await expect(invoke(warmUp)).rejects.toThrow('not a request to an HTTP API');
  });

  /** A route whose reply has this body. */
  function routeOf(body: AsyncIterable<Uint8Array> | Uint8Array, ends: boolean[] = []): Route {
    const handler = createOperation({
      id: 'getBytes',
      summary: 'Bytes',
      protection: 'public',
      request: {},
      reply: { status: 200, description: 'Bytes.', mediaTypes: ['image/png'] },
      errors: [],
      handle({ context }) {
        context.onReplied((isComplete) => ends.push(isComplete));
        return bytes(body, { 'content-type': 'image/png', 'content-length': '8' });
      },
    });
    return { method: 'GET', path: '/bytes', tag: 'Images', handler };
  }

  const invokeRoute = (route: Route) =>
    invoke(toFunctionEvent('GET /bytes'), {
      run: createFunctionHandler({ routes: [route], services: app.services, httpSettings }),
    });

  it('joins the pieces of a body', async () => {
    const ends: boolean[] = [];

    const reply = await invokeRoute(routeOf(pieces(['abc', 'def']), ends));

    expect([reply.bytes.toString(), ends]).toEqual(['abcdef', [true]]);
  });

  it('joins the pieces of a body that share their memory', async () => {
    const reply = await invokeRoute(routeOf(sharedPieces(['abc', 'def'])));

    expect(reply.bytes.toString()).toBe('abcdef');
  });

  it('replies with an error if a body breaks, and reports the reply as incomplete', async () => {
    const ends: boolean[] = [];

    const reply = await invokeRoute(routeOf(broken(), ends));

    expect(reply.statusCode).toBe(500);
    expect(reply.json).toMatchObject({
      error: { code: 'internal_error' },
      request_id: reply.headers['x-request-id'],
    });
    expect(reply.headers).not.toHaveProperty('content-length');
    expect(ends).toEqual([false]);
  });

  it.each([
    ['bytes', Buffer.alloc(5_000_000)],
    ['pieces', pieces(Array(5).fill('a'.repeat(1_000_000)))],
  ])('replies with an error if a body of %s is too long for a function', async (_form, body) => {
    const { statusCode, json, headers } = await invokeRoute(routeOf(body));

    expect(statusCode).toBe(400);
    expect(json).toMatchObject({
      error: { code: 'unsupported_capability' },
      request_id: headers['x-request-id'],
    });
  });
});

async function* pieces(texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

async function* sharedPieces(texts: readonly string[]): AsyncGenerator<Uint8Array> {
  const memory = Buffer.alloc(16);
  for (const text of texts) yield memory.subarray(0, memory.write(text));
}
