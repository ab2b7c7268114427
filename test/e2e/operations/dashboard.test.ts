import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Diagnostics } from '../../../lib/contract/resources/diagnostics.ts';
import { requestRaw } from '../../support/raw-http.ts';
import { createReplyChecker } from '../../support/reply-checker.ts';
import { cleanUp, type StartedBridge, startBridge } from '../../support/start-bridge.ts';

const TOKEN = 'a-token-of-the-operator';
const authorization = `Bearer ${TOKEN}`;
const SET = ['providers.agent_responses.enabled=false', 'server.metrics.enabled=true'];

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; " +
  "font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

let bridge: StartedBridge;
let checker: ReturnType<typeof createReplyChecker>;
/** Returns the first script that the page loads. */
let script: string;

beforeAll(async () => {
  bridge = await startBridge({
    set: [...SET, 'server.bearer_token_env=BRIDGE_TOKEN'],
    env: { BRIDGE_TOKEN: TOKEN },
  });
  const document = await fetch(`${bridge.address}/v1/openapi.json`, { headers: { authorization } });
  checker = createReplyChecker((await document.json()) as Record<string, unknown>);
  const { body } = await get('/dashboard');
  script = /src="([^"]+\.js)"/.exec(body.toString())?.[1] ?? 'none';
});
afterAll(cleanUp);

/** Sends exactly these headers and no token. The body is the received bytes, still compressed. */
async function get(
  path: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): Promise<Reply> {
  const reply = await new Promise<Reply>((resolve, reject) => {
    const sent = request({ port: bridge.port, path, method, headers }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk) => chunks.push(chunk));
      incoming.on('end', () =>
        resolve({
          status: incoming.statusCode ?? 0,
          headers: incoming.headers as Record<string, string>,
          body: Buffer.concat(chunks),
        }),
      );
    });
    sent.on('error', reject).end();
  });
  checker.check({ method, path: documentedPath(path) }, reply.status, reply.headers, reply.body);
  return reply;
}

/** A parameter of a documented path contains no slash. */
function documentedPath(path: string): string {
  const [pathname = ''] = path.split('?');
  return pathname.replace(/^(\/dashboard\/(assets\/)?).*/, '$1name');
}

describe('the dashboard', () => {
  it('is a page that needs no token, with all security headers', async () => {
    const reply = await get('/dashboard');

    expect(reply.status).toBe(200);
    expect(reply.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-length': String(reply.body.length),
      'content-security-policy': POLICY,
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'cross-origin-opener-policy': 'same-origin',
      'cache-control': 'no-cache',
      vary: 'accept-encoding',
    });
    expect(reply.headers['permissions-policy']).toMatch(/^([a-z-]+=\(\)(, |$)){30,}$/);
    expect(reply.headers['x-request-id']).toBeDefined();
  });

  it('has no inline script, no inline style and no data: URL', async () => {
    const page = (await get('/dashboard')).body.toString();

    expect(page).not.toMatch(/<style|\sstyle=|\son[a-z]+=|data:|javascript:/i);
    expect(page.match(/<script[^>]*>[^<]+/)).toBeNull();
  });

  it.each([
    '/dashboard/',
    '/dashboard/jobs/01JD0000000000000000000000',
    '/dashboard/system',
    '/dashboard?q=harbour&show=hidden',
    '/dashboard/a%2fb/%00/%zz/..%2f..%2fpackage',
  ])('replies to %s with the same page', async (path) => {
    const shell = await get('/dashboard');

    const reply = await get(path);

    expect(reply.status).toBe(200);
    expect(reply.body).toEqual(shell.body);
    expect(reply.headers['content-security-policy']).toBe(POLICY);
  });

  it('sends its files with names that change with their content, for unlimited caching', async () => {
    const reply = await get(script);

    expect(script).toMatch(/^\/dashboard\/assets\/[\w-]+\.js$/);
    expect(reply.status).toBe(200);
    expect(reply.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': POLICY,
      'x-content-type-options': 'nosniff',
    });
  });

  it.each([
    ['br', 'gzip, deflate, br, zstd', brotliDecompressSync],
    ['gzip', 'gzip;q=0.8, br;q=0', gunzipSync],
    ['br', '*', brotliDecompressSync],
  ])('sends its files as %s to a client that accepts %s', async (coding, accepted, decompress) => {
    const plain = await get(script);

    const reply = await get(script, { 'accept-encoding': accepted });

    expect(reply.headers['content-encoding']).toBe(coding);
    expect(reply.headers['content-length']).toBe(String(reply.body.length));
    expect(reply.body.length).toBeLessThan(plain.body.length / 2);
    expect(decompress(reply.body)).toEqual(plain.body);
    expect(reply.headers['etag']).not.toBe(plain.headers['etag']);
  });

  it.each(['/dashboard', 'the script'])(
    'replies 304 to a client that has cached %s',
    async (what) => {
      const path = what === 'the script' ? script : what;
      const headers = { 'accept-encoding': 'br' };
      const etag = (await get(path, headers)).headers['etag'] ?? '';

      const reply = await get(path, { ...headers, 'if-none-match': etag });
      const other = await get(path, { 'if-none-match': etag });

      expect([reply.status, reply.body.length]).toEqual([304, 0]);
      expect(reply.headers).toMatchObject({ etag, 'content-security-policy': POLICY });
      expect(other.status).toBe(200);
    },
  );

  it('replies to HEAD with headers only', async () => {
    const whole = await get('/dashboard/system');

    const reply = await get('/dashboard/system', {}, 'HEAD');

    expect([reply.status, reply.body.length]).toEqual([200, 0]);
    for (const name of ['content-length', 'content-type', 'etag', 'content-security-policy']) {
      expect(reply.headers[name]).toBe(whole.headers[name]);
    }
  });

  it('rejects other methods', async () => {
    const reply = await get('/dashboard', {}, 'DELETE');

    expect([reply.status, reply.headers['allow']]).toEqual([405, 'GET, HEAD']);
  });

  it.each([
    '/dashboard/assets/',
    '/dashboard/assets/nothing.js',
    '/dashboard/..%2f..%2fpackage.json',
    '/dashboard/assets/index.html',
    '/dashboard/assets/__proto__',
    '/dashboard/assets/..%2findex.html',
    '/dashboard/assets/..%2f..%2f..%2fpackage.json',
    '/dashboard/assets/%2e%2e%5c%2e%2e%5cpackage.json',
    '/dashboard/assets/%00',
    '/dashboard/assets/%zz',
  ])('has no file %s', async (path) => {
    const reply = await get(path);

    expect(reply.status).toBe(404);
    expect(JSON.parse(reply.body.toString())).toMatchObject({ error: { code: 'not_found' } });
  });

  it.each([
    ['a null byte', 'GET /dashboard/\0 HTTP/1.1'],
    ['a null byte in a file', 'GET /dashboard/assets/a\0.js HTTP/1.1'],
    ['a path longer than the head may be', `GET /dashboard/${'a'.repeat(100_000)} HTTP/1.1`],
  ])('rejects %s before it reads the path', async (_what, line) => {
    const { status, text } = await requestRaw(
      bridge.port,
      `${line}\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
    );

    expect([400, 431]).toContain(status);
    expect(JSON.parse(text)).toHaveProperty('error.code');
  });

  it('has no file with a name of 10,000 characters', async () => {
    expect((await get(`/dashboard/assets/${'a/'.repeat(5000)}`)).status).toBe(404);
  });

  it.each(['..', '%2e%2e', '.%2E', '%2e%2e/..', '..\\..'])(
    'sends no file of the package below /dashboard/assets/%s',
    async (steps) => {
      const head = `GET /dashboard/assets/${steps}/package.json HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;

      const { text } = await requestRaw(bridge.port, head);

      expect(text).not.toContain('"dependencies"');
    },
  );

  it('is counted by path template, and its files do not fill the diagnostics', async () => {
    await Promise.all([get('/dashboard/jobs/private-1'), get(script), get('/dashboard/assets/x')]);

    const read = (path: string) =>
      fetch(bridge.address + path, { headers: { authorization } }).then((it) => it.text());
    const { events } = JSON.parse(await read('/v1/diagnostics')) as Diagnostics;
    const metrics = await read('/metrics');
    const routes = new Set(events.items.map(({ route }) => route));

    expect(metrics).toContain('route="/dashboard/{view}"');
    expect(metrics).toContain('route="/dashboard/assets/{name}"');
    expect(metrics).not.toContain('private-1');
    expect([...routes].filter((route) => route.startsWith('/dashboard/'))).toEqual([]);
  });

  it('is announced when the bridge starts', () => {
    const first = bridge.stdout().trim().split('\n')[0];

    expect(first).toBe(`Dashboard: ${bridge.address}/dashboard`);
  });
});

describe('without jobs', () => {
  it('there is no dashboard', async () => {
    const plain = await startBridge({ set: [...SET, 'server.jobs.enabled=false'] });

    const replies = await Promise.all(
      ['/dashboard', '/dashboard/', '/dashboard/system', script].map((path) =>
        fetch(plain.address + path),
      ),
    );

    expect(replies.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    expect(plain.stdout()).not.toContain('dashboard');
  });
});
