import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Route, routes } from '../../../handlers/routes.ts';
import { buildOpenApiDocument } from '../../../infra/generators/openapi/build-document.ts';
import { loadConfig } from '../../../lib/config/load-config.ts';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import type { HttpSettings } from '../../../lib/http/http-event.ts';
import { createOperation } from '../../../lib/http/operation.ts';
import { EVENT_STREAM_HEADERS } from '../../../lib/http/reply/event-stream.ts';
import { bytes } from '../../../lib/http/reply/reply.ts';
import { createTraceLog } from '../../../lib/log/trace-log.ts';
import { systemClock as clock } from '../../../lib/platform/clock.ts';
import { createIds } from '../../../lib/platform/ids.ts';
import { QUICKSTART_PRESETS } from '../../../local-runtime/cli/quickstart-presets.ts';
import {
  createFunctionHandler,
  encodeReply,
  type FunctionEvent,
} from '../../../local-runtime/server/function-handler.ts';
import { toHttpSettings } from '../../../local-runtime/server/listener/to-http-settings.ts';
import { openObservation } from '../../../local-runtime/server/observation.ts';
import { openApp } from '../../../local-runtime/server/open-app.ts';
import { formBytes, formType } from '../../support/form-bytes.ts';
import { createReplyChecker } from '../../support/reply-checker.ts';
import { cleanUp, freshFolder } from '../../support/start-bridge.ts';

const TOKEN = 'a-long-enough-secret';
const ids = createIds(clock.nowMs);
const checker = createReplyChecker(buildOpenApiDocument(routes, '0.0.0'));

let app: Awaited<ReturnType<typeof openApp>>;
let httpSettings: HttpSettings;
let handle: ReturnType<typeof createFunctionHandler>;

beforeAll(async () => {
  const cwd = await freshFolder();
  const set = [
    'server.metrics.enabled=true',
    'server.bearer_token_env=TOKEN',
    'providers.sandbox.latency_ms=0',
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
  handle = createFunctionHandler({ routes, services: app.services, httpSettings });
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
function toFunctionEvent(routeKey: string, sent: Sent): FunctionEvent {
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
    requestContext: { http: { method, path } },
    ...(bytes ? { body: bytes.toString('base64') } : {}),
    isBase64Encoded: bytes !== undefined,
  };
}

async function call(routeKey: string, sent: Sent = {}) {
  const reply = await handle(toFunctionEvent(routeKey, sent), {
    getRemainingTimeInMillis: () => sent.remainingMs ?? 30_000,
  });
  const bytes = Buffer.from(reply.body, reply.isBase64Encoded ? 'base64' : 'utf8');
  const isJson = reply.headers['content-type']?.includes('json');
  const json = isJson && bytes.length > 0 ? JSON.parse(bytes.toString()) : undefined;
  return { ...reply, bytes, json };
}

const PROMPT = { prompt: 'a kite', parameters: { size: '64x64' } };
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47]);

async function imageBytes(): Promise<Buffer> {
  const { json } = await call('POST /v1/images', { body: PROMPT });
  return Buffer.from(json.data[0].b64_json, 'base64');
}

async function artifactId(): Promise<string> {
  const body = { ...PROMPT, output: { response_format: 'artifact' } };
  return (await call('POST /v1/images', { body })).json.data[0].id;
}

/** Creates an ended job with one input. */
async function endedJob(): Promise<string> {
  const data = (await imageBytes()).toString('base64');
  const body = { operation: 'edit', prompt: 'a kite', images: [{ type: 'base64', data }] };
  const { id } = (await call('POST /v1/jobs', { body })).json;
  await call('GET /v1/jobs/{id}', { parameters: { id }, query: 'wait_ms=10000' });
  return id;
}

const job = async (): Promise<Sent> => ({ parameters: { id: await endedJob() } });
const preset = async (): Promise<Sent> => {
  const name = `p${ids.newOpaqueId()}`;
  await call('POST /v1/presets', { body: { name, template: {} } });
  return { parameters: { name } };
};

/** A request for every route, with the expected status of its reply. */
const CALLS: Readonly<Record<string, readonly [number, (() => Promise<Sent> | Sent)?]>> = {
  'GET /health/live': [200],
  'GET /health/ready': [200],
  'POST /v1/images': [200, () => ({ body: PROMPT })],
  'POST /v1/images/stream': [200, () => ({ body: PROMPT })],
  'POST /v1/plan': [200, () => ({ body: PROMPT })],
  'POST /v1/images/generations': [200, () => ({ body: { prompt: 'a kite', size: '64x64' } })],
  'POST /v1/images/edits': [200, form],
  'GET /v1/models': [200],
  'GET /v1/models/{id+}': [200, () => ({ parameters: { id: 'sandbox-image' } })],
  'POST /v1/jobs': [202, () => ({ body: PROMPT })],
  'GET /v1/jobs': [200],
  'GET /v1/jobs/events': [200, () => ({ remainingMs: 1100 })],
  'GET /v1/jobs/{id}': [200, job],
  'DELETE /v1/jobs/{id}': [200, job],
  'PATCH /v1/jobs/{id}': [200, async () => ({ ...(await job()), body: { favorite: true } })],
  'POST /v1/jobs/{id}/retry': [409, job],
  'GET /v1/jobs/{id}/partial': [204, job],
  'GET /v1/jobs/{id}/inputs/{index}': [200, input],
  'GET /v1/jobs/{id}/inputs/{index}/thumbnail': [200, input],
  'GET /v1/jobs/{id}/events': [200, job],
  'GET /v1/queue': [200],
  'PATCH /v1/queue': [200, () => ({ body: { paused: false } })],
  'GET /v1/queue/jobs': [200],
  'DELETE /v1/queue/jobs/{id}': [404, job],
  'GET /v1/providers': [200],
  'GET /v1/providers/{name}/capabilities': [200, () => ({ parameters: { name: 'sandbox' } })],
  'GET /v1/presets': [200],
  'POST /v1/presets': [201, () => ({ body: { name: 'one', template: {} } })],
  'GET /v1/presets/{name}': [200, preset],
  'PUT /v1/presets/{name}': [200, async () => ({ ...(await preset()), body: { template: {} } })],
  'DELETE /v1/presets/{name}': [204, preset],
  'GET /v1/sessions/{key}': [404, () => ({ parameters: { key: 'none' } })],
  'DELETE /v1/sessions/{key}': [404, () => ({ parameters: { key: 'none' } })],
  'GET /v1/usage': [200],
  'GET /v1/artifacts/{id}': [200, async () => ({ parameters: { id: await artifactId() } })],
  'GET /v1/artifacts/{id}/thumbnail': [
    200,
    async () => ({ parameters: { id: await artifactId() } }),
  ],
  'GET /v1/diagnostics': [200],
  'GET /metrics': [200],
  // Replies of the protocol itself have another format.
  'POST /mcp': [401, () => ({ body: {}, headers: { authorization: 'Bearer no' } })],
  'GET /mcp': [401, () => ({ headers: { authorization: 'Bearer no' } })],
  'DELETE /mcp': [401, () => ({ headers: { authorization: 'Bearer no' } })],
  'GET /dashboard': [200],
  'GET /dashboard/assets/{name+}': [404, () => ({ parameters: { name: 'none.js' } })],
  'GET /dashboard/{view+}': [200, () => ({ parameters: { view: 'jobs' } })],
  'GET /v1/openapi.json': [200],
};

async function* broken(): AsyncGenerator<Uint8Array> {
  yield PNG;
  throw new Error('the file has disappeared');
}

async function form(): Promise<Sent> {
  const body = formBytes([
    { name: 'prompt', content: 'in winter' },
    { name: 'image', filename: 'kite.png', type: 'image/png', content: await imageBytes() },
  ]);
  return { body, headers: { 'content-type': formType() } };
}

async function input(): Promise<Sent> {
  return { parameters: { id: await endedJob(), index: '0' } };
}

describe('createFunctionHandler', () => {
  it('is tested with every route of the table', () => {
    const keys = routes.map(({ method, path, takesSlashes }) =>
      takesSlashes ? `${method} ${path.slice(0, -1)}+}` : `${method} ${path}`,
    );

    expect(Object.keys(CALLS)).toEqual(keys);
  });

  it.each(Object.keys(CALLS))('replies to %s as the contract requires', async (routeKey) => {
    const [status, toSent = () => ({})] = CALLS[routeKey] ?? [];
    const sent = await toSent();

    const { statusCode, headers, bytes, json } = await call(routeKey, sent);

    const text = headers['content-type']?.startsWith('text/') ? bytes.toString() : bytes;
    const [method = '', at = ''] = routeKey.replace('+}', '}').split(' ');
    const route = routes.find((it) => it.method === method && it.path === at);
    checker.check(route?.handler.spec.id ?? '', statusCode, headers, json ?? text);
    expect(statusCode).toBe(status);
  });

  it('returns the bytes of an image unchanged', async () => {
    const { bytes, headers } = await call('GET /v1/artifacts/{id}', {
      parameters: { id: await artifactId() },
    });

    expect(bytes.subarray(0, 4)).toEqual(PNG);
    expect(bytes.length).toBe(Number(headers['content-length']));
  });

  it('replies to HEAD with only the headers', async () => {
    const { statusCode, headers, body } = await call('HEAD /v1/openapi.json');

    expect({ statusCode, body }).toEqual({ statusCode: 200, body: '' });
    expect(headers['content-type']).toBe('application/json');
  });

  it('accepts a body that API Gateway sends as text', async () => {
    const event = toFunctionEvent('POST /v1/plan', { body: PROMPT });
    const text = { ...event, body: JSON.stringify(PROMPT), isBase64Encoded: false };

    const reply = await handle(text, { getRemainingTimeInMillis: () => 30_000 });

    expect(reply.statusCode).toBe(200);
  });

  it.each([
    ['$default', '/v1/nothing', 404],
    ['$default', '/v1/images', 405],
  ])('replies to %s %s with %i', async (routeKey, path, status) => {
    const event = { ...toFunctionEvent('GET /x', {}), routeKey, rawPath: path };

    const reply = await handle(event, { getRemainingTimeInMillis: () => 30_000 });

    expect(reply.statusCode).toBe(status);
  });

  it('rejects a wrong token', async () => {
    const { statusCode } = await call('GET /v1/jobs', { headers: { authorization: 'Bearer no' } });

    expect(statusCode).toBe(401);
  });

  it('ends an event stream before the function times out', async () => {
    const { statusCode, bytes } = await call('GET /v1/jobs/events', { remainingMs: 1100 });

    expect(statusCode).toBe(200);
    expect(bytes.toString()).toMatch(/^(retry:|:|id:|event:)/);
  });

  it('returns https URLs of images, the scheme of API Gateway', async () => {
    const body = { ...PROMPT, output: { response_format: 'url' } };

    const { json } = await call('POST /v1/images', { body });

    const [image] = json.data;
    expect(image.url).toBe(
      `https://abc123.execute-api.eu-central-1.amazonaws.com/v1/artifacts/${image.id}`,
    );
  });

  it('replies with an error if a body breaks, and reports the reply as incomplete', async () => {
    const ends: boolean[] = [];
    const handler = createOperation({
      id: 'getBroken',
      summary: 'A body that breaks',
      protection: 'public',
      request: {},
      reply: { status: 200, description: 'Bytes.', mediaTypes: ['image/png'] },
      errors: [],
      handle({ context }) {
        context.onReplied((isComplete) => ends.push(isComplete));
        return bytes(broken(), { 'content-type': 'image/png', 'content-length': '8' });
      },
    });
    const route: Route = { method: 'GET', path: '/broken', tag: 'Images', handler };
    const run = createFunctionHandler({ routes: [route], services: app.services, httpSettings });

    const reply = await run(toFunctionEvent('GET /broken', {}), {
      getRemainingTimeInMillis: () => 30_000,
    });

    expect(reply.statusCode).toBe(500);
    expect(JSON.parse(Buffer.from(reply.body, 'base64').toString())).toMatchObject({
      error: { code: 'internal_error' },
      request_id: reply.headers['x-request-id'],
    });
    expect(reply.headers).not.toHaveProperty('content-length');
    expect(ends).toEqual([false]);
  });

  it('replies with an error if the reply is too long for a function', async () => {
    const body = { prompt: 'a kite', parameters: { size: '3840x2160', n: 2 } };

    const { statusCode, json, headers } = await call('POST /v1/images', { body });

    expect(statusCode).toBe(400);
    expect(json).toMatchObject({
      error: { code: 'unsupported_capability' },
      request_id: headers['x-request-id'],
    });
  });
});

const IMAGE_HEADERS = { 'content-type': 'application/json', 'content-length': '6' };
const OVER = new BridgeError('timeout', 'the function timed out');

const toText = ({ body }: { readonly body: string }) => Buffer.from(body, 'base64').toString();

/** Yields these pieces, then calls `follows`. */
async function* pieces(
  texts: readonly string[],
  follows: () => Promise<void> | void = () => {},
): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
  await follows();
}

function encode(
  body: AsyncIterable<Uint8Array>,
  headers: Record<string, string>,
  signal = new AbortController().signal,
) {
  return encodeReply({ statusCode: 200, headers, body }, { isBodiless: false, signal });
}

describe('encodeReply', () => {
  it('joins the pieces of a body', async () => {
    const reply = await encode(pieces(['abc', 'def']), IMAGE_HEADERS);

    expect(reply).toMatchObject({ statusCode: 200, headers: IMAGE_HEADERS, isBase64Encoded: true });
    expect(toText(reply)).toBe('abcdef');
  });

  it('ends an event stream early when the signal aborts', async () => {
    const ending = new AbortController();
    const events = pieces([': a\n\n'], () => {
      ending.abort(OVER);
      return new Promise(() => {});
    });

    const reply = await encode(events, { ...EVENT_STREAM_HEADERS }, ending.signal);

    expect(toText(reply)).toBe(': a\n\n');
  });

  it('throws instead of returning a part of any other body', async () => {
    const encoded = encode(pieces(['abc', 'def']), IMAGE_HEADERS, AbortSignal.abort(OVER));

    await expect(encoded).rejects.toBe(OVER);
  });

  it('throws the error of the body', async () => {
    const failing = pieces(['abc'], () => {
      throw new Error('the file has disappeared');
    });

    await expect(encode(failing, IMAGE_HEADERS)).rejects.toThrow('the file has disappeared');
  });
});
