import { Readable } from 'node:stream';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { closedObject } from '../../../lib/contract/schema/closed-object.ts';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import { createAccess } from '../../../lib/http/access.ts';
import { createOperation } from '../../../lib/http/operation.ts';
import { ok } from '../../../lib/http/reply/reply.ts';
import { invoke, openHttpSettings, type Sent } from '../../support/invoke.ts';

const echo = createOperation({
  id: 'echo',
  summary: 'Reply with what was parsed',
  protection: 'read',
  request: {
    query: closedObject({ page: v.optional(v.string()) }),
    body: closedObject({ name: v.string(), size: v.optional(v.number(), 1) }),
  },
  reply: { status: 201, description: 'What was parsed.' },
  errors: [],
  handle: ({ body, query, context: { scope, baseUrl } }) => ok({ body, query, scope, baseUrl }),
});

const failing = createOperation({
  id: 'fail',
  summary: 'Fail',
  protection: 'public',
  request: {},
  reply: { status: 200, description: 'Never.' },
  errors: [],
  handle() {
    throw new Error('/secret/path and a prompt');
  },
});

const post = (sent: Sent, httpSettings = openHttpSettings()) =>
  invoke(echo, { method: 'POST', body: { name: 'a' }, ...sent }, {}, httpSettings);

const errorOf = (json: unknown) =>
  (json as { error: { code: string; param: string | null; bridge_ext: { details: unknown } } })
    .error;

describe('createOperation', () => {
  it('parses query and body, and replies with the declared status', async () => {
    const reply = await post({ query: 'page=2', headers: { host: '127.0.0.1:9' } });

    expect(reply.status).toBe(201);
    expect(reply.json).toEqual({
      body: { name: 'a', size: 1 },
      query: { page: '2' },
      scope: 'anonymous',
      baseUrl: 'http://127.0.0.1:9',
    });
  });

  it('keeps a well-formed x-request-id and replaces any other', async () => {
    const kept = await post({ headers: { 'x-request-id': 'job-7.a_B' } });
    const replaced = await post({ headers: { 'x-request-id': 'a b' } });

    expect(kept.headers['x-request-id']).toBe('job-7.a_B');
    expect(replaced.headers['x-request-id']).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  });

  it('keeps an inbound trace id and creates a new span', async () => {
    const inbound = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

    const reply = await post({ headers: { traceparent: inbound } });

    expect(reply.headers['traceparent']).toMatch(
      /^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-01$/,
    );
    expect(reply.headers['traceparent']).not.toBe(inbound);
  });

  it.each([
    '00-00000000000000000000000000000000-b7ad6b7169203331-01',
    '01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    'nonsense',
  ])('creates a new trace for the traceparent %s', async (traceparent) => {
    const reply = await post({ headers: { traceparent } });

    expect(reply.headers['traceparent']).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    expect(reply.headers['traceparent']).not.toContain('0af7651916cd43dd8448eb211c80319c');
  });

  it('replies to an unexpected failure without its text', async () => {
    const reply = await invoke(failing, {}, {});

    expect(reply.status).toBe(500);
    expect(errorOf(reply.json).code).toBe('internal_error');
    expect(reply.bytes.toString()).not.toMatch(/secret|prompt|Error:/);
    expect(reply.headers['x-request-id']).toBeDefined();
    expect(reply.headers['x-should-retry']).toBe('false');
  });

  it.each<[string, Sent, number, string]>([
    ['a body that is no JSON', { body: Buffer.from('{"name":') }, 400, 'malformed'],
    ['an empty body', { body: Buffer.alloc(0) }, 400, 'malformed'],
    ['invalid UTF-8', { body: Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]) }, 400, 'malformed'],
    ['a byte order mark', { body: Buffer.from('\ufeff{"name":"a"}') }, 400, 'malformed'],
    ['nesting beyond 64', { body: Buffer.from('['.repeat(65) + ']'.repeat(65)) }, 400, 'malformed'],
    [
      'more than five thousand parts',
      { body: Buffer.from(`[${'1,'.repeat(5000)}1]`) },
      400,
      'malformed',
    ],
    ['another media type', { headers: { 'content-type': 'text/plain' } }, 415, 'media'],
    [
      'another charset',
      { headers: { 'content-type': 'application/json; charset=latin1' } },
      415,
      'media',
    ],
    ['a suffix of the type', { headers: { 'content-type': 'application/jsonx' } }, 415, 'media'],
    ['no media type', { headers: { 'content-type': '' } }, 415, 'media'],
    ['an encoded body', { headers: { 'content-encoding': 'gzip' } }, 415, 'media'],
    [
      'a declared length beyond the limit',
      { headers: { 'content-length': '999999999' } },
      413,
      'large',
    ],
  ])('replies to %s as an invalid request', async (_name, sent, status) => {
    const reply = await post(sent);

    expect(reply.status).toBe(status);
    expect(errorOf(reply.json)).toMatchObject({ code: 'invalid_request', param: null });
  });

  it.each([
    'application/json',
    'Application/JSON; charset=utf-8',
    'application/json;charset="UTF-8"',
  ])('accepts the media type %s', async (type) => {
    const reply = await post({ headers: { 'content-type': type } });

    expect(reply.status).toBe(201);
  });

  it('counts an undeclared body and stops reading at the limit', async () => {
    let given = 0;
    const endless = new Readable({
      read() {
        given += 1024;
        this.push(Buffer.alloc(1024, 0x20));
      },
    });
    const httpSettings = openHttpSettings({ maxBodyBytes: 10_000 });
    const context = {
      services: {},
      settings: httpSettings,
      signal: () => new AbortController().signal,
      onReplied: () => {},
    };
    const event = {
      version: '2.0' as const,
      rawPath: '/v1/test',
      rawQueryString: '',
      headers: { host: 'localhost', 'content-type': 'application/json' },
      requestContext: { http: { method: 'POST', path: '/v1/test' } },
      body: endless,
      isBase64Encoded: false,
    };

    const reply = await echo(event, context);

    expect(reply.statusCode).toBe(413);
    expect(given).toBeLessThan(200_000);
    endless.destroy();
  });

  it('runs other work between the steps of a long body', async () => {
    let immediates = 0;
    let hasReplied = false;
    const count = () => {
      immediates += 1;
      if (!hasReplied) setImmediate(count);
    };
    const body = Buffer.from(JSON.stringify({ name: 'a'.repeat(2 * 1024 * 1024) }));

    setImmediate(count);
    const reply = await post({ body });
    hasReplied = true;

    expect(reply.status).toBe(201);
    expect(immediates).toBeGreaterThanOrEqual(3);
  });

  it('replies to a body that is shorter than its declared length as malformed', async () => {
    const broken = new Readable({ read() {} });
    const context = {
      services: {},
      settings: openHttpSettings(),
      signal: () => new AbortController().signal,
      onReplied: () => {},
    };
    const event = {
      version: '2.0' as const,
      rawPath: '/v1/test',
      rawQueryString: '',
      headers: { host: 'localhost', 'content-type': 'application/json', 'content-length': '50' },
      requestContext: { http: { method: 'POST', path: '/v1/test' } },
      body: broken,
      isBase64Encoded: false,
    };

    const replying = echo(event, context);
    broken.push('{"na');
    broken.destroy();
    const reply = await replying;

    expect(reply.statusCode).toBe(400);
  });

  it('reports every unknown and every invalid field at once, sorted', async () => {
    const reply = await post({ body: { name: 7, zebra: 1, apple: 2, size: 'x' } });

    expect(reply.status).toBe(422);
    const { details } = errorOf(reply.json).bridge_ext as {
      details: { issues: { field: string }[] };
    };
    expect(details.issues.map(({ field }) => field)).toEqual(['apple', 'name', 'size', 'zebra']);
    expect(errorOf(reply.json).param).toBe('apple');
  });

  it.each([
    ['an unknown parameter', 'pages=1', 'pages'],
    ['a parameter given twice', 'page=1&page=2', 'page'],
  ])('rejects %s in the query', async (_name, query, param) => {
    const reply = await post({ query });

    expect(reply.status).toBe(422);
    expect(errorOf(reply.json).param).toBe(param);
  });

  it('treats an empty query value as absent', async () => {
    const reply = await post({ query: 'page=' });

    expect(reply.json).toMatchObject({ query: {} });
  });

  it('ignores unknown query parameters on public routes', async () => {
    const open = createOperation({
      id: 'open',
      summary: 'Open',
      protection: 'public',
      request: {},
      reply: { status: 200, description: 'Fine.' },
      errors: [],
      handle: () => ok({}),
    });

    const reply = await invoke(open, { query: 'probe=1' }, {});

    expect(reply.status).toBe(200);
  });

  it('checks the browser guard before the token, and the token before the body', async () => {
    const access = createAccess({ bearer: 'a-token-of-some-length', hosts: [] });
    const httpSettings = openHttpSettings({ access });
    const cross = { 'sec-fetch-site': 'cross-site', 'content-type': 'text/plain' };

    const guarded = await post({ headers: cross }, httpSettings);
    const anonymous = await post({ headers: { 'content-type': 'text/plain' } }, httpSettings);

    expect(guarded.status).toBe(403);
    expect(anonymous.status).toBe(401);
    expect(anonymous.headers['www-authenticate']).toBe('Bearer');
  });

  it('converts a thrown error to the documented body and headers', async () => {
    const busy = createOperation({
      id: 'busy',
      summary: 'Busy',
      protection: 'public',
      request: {},
      reply: { status: 200, description: 'Never.' },
      errors: ['overloaded'],
      handle() {
        throw new BridgeError('overloaded', 'too much to do', {
          details: { retry_after_ms: 1500 },
        });
      },
    });

    const reply = await invoke(busy, { headers: { 'x-request-id': 'r1' } }, {});

    expect(reply.status).toBe(503);
    expect(reply.headers).toMatchObject({
      'retry-after': '2',
      'retry-after-ms': '1500',
      'x-should-retry': 'true',
      'cache-control': 'no-store',
    });
    expect(reply.json).toEqual({
      error: {
        message: 'too much to do',
        type: 'server_overloaded_error',
        param: null,
        code: 'overloaded',
        bridge_ext: {
          code: 'overloaded',
          retryable: true,
          details: { retry_after_ms: 1500 },
          suggestions: expect.any(Array),
        },
      },
      request_id: 'r1',
    });
  });
});
