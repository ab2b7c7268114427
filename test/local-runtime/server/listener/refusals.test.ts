import { afterEach, expect, it } from 'vitest';
import { requestRaw } from '../../../support/raw-http.ts';
import { startListener, stopListeners } from '../listener-rig.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';
const NAMED = ['X-Request-Id: mine', `traceparent: 00-${TRACE}-${SPAN}-01`];

afterEach(stopListeners);

const head = (line: string, ...headers: string[]) =>
  `${[line, 'Connection: close', ...headers].join('\r\n')}\r\n\r\n`;

const HOST = 'Host: localhost';
const POST = 'POST /v1/images HTTP/1.1';
const JSON_TYPE = 'Content-Type: application/json';
const CHUNKED = 'Transfer-Encoding: chunked';

it.each([
  ['a Host that is none', 400, head('GET /v1/jobs HTTP/1.1', 'Host: a b', ...NAMED)],
  ['a target that is no path', 400, head('OPTIONS * HTTP/1.1', HOST, ...NAMED)],
  ['a chunk that is none', 400, `${head(POST, HOST, JSON_TYPE, CHUNKED, ...NAMED)}zz\r\n`],
  ['a proxy request', 405, head('CONNECT evil.example:443 HTTP/1.1', HOST, ...NAMED)],
  ['a body that stalls', 408, head(POST, HOST, JSON_TYPE, 'Content-Length: 9', ...NAMED)],
  ['an expectation', 417, head(POST, HOST, 'Expect: 200-maybe', ...NAMED)],
  [
    'ten thousand headers',
    431,
    head('GET /v1/jobs HTTP/1.1', HOST, ...NAMED, ...Array(10_000).fill('a:b')),
  ],
])(
  'the listener rejects %s with the request id and the trace of the caller',
  async (_name, status, bytes) => {
    const { port } = await startListener({ settings: { read_timeout_ms: 200 } });

    const reply = await requestRaw(port, bytes);

    expect(reply.status).toBe(status);
    expect(reply.headers['x-request-id']).toBe('mine');
    expect(JSON.parse(reply.text)).toMatchObject({ request_id: 'mine' });
    expect(reply.headers['traceparent']).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`));
    expect(reply.headers['traceparent']).not.toContain(SPAN);
  },
);

it.each([
  ['bytes that are no HTTP', 400, 'hello\r\n\r\n'],
  ['a head that is too long', 431, head(`GET /${'a'.repeat(40_000)} HTTP/1.1`, HOST, ...NAMED)],
  ['a head that stalls', 408, `GET /health/live HTTP/1.1\r\n${NAMED.join('\r\n')}\r\n`],
  [
    'an id and a trace that are not valid',
    405,
    head('CONNECT a:1 HTTP/1.1', 'X-Request-Id: a b', `traceparent: 00-${'0'.repeat(32)}-1-01`),
  ],
])(
  'the listener rejects %s with a new request id and a new trace',
  async (_name, status, bytes) => {
    const { port } = await startListener({ settings: { read_timeout_ms: 200 } });

    const reply = await requestRaw(port, bytes);

    expect(reply.status).toBe(status);
    expect(reply.headers['x-request-id']).toMatch(UUID);
    expect(reply.headers['traceparent']).toMatch(/^00-(?!0{32})[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  },
);
