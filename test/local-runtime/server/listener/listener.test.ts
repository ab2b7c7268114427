import { request } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { routes } from '../../../../handlers/routes.ts';
import type { RequestContext } from '../../../../lib/contract/request/request-context.ts';
import { BridgeError } from '../../../../lib/errors/bridge-error.ts';
import type { Services } from '../../../../lib/services.ts';
import { createListener } from '../../../../local-runtime/server/listener/listener.ts';
import { openHttpSettings } from '../../../support/invoke.ts';
import { openSocket, parseReply, requestRaw, untilClosed } from '../../../support/raw-http.ts';
import { startListener as start, stopListeners } from '../listener-rig.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
afterEach(stopListeners);

/** Waits until the client has disconnected. */
async function untilAborted(signal: AbortSignal): Promise<never> {
  await new Promise((resolve) => {
    signal.addEventListener('abort', resolve, { once: true });
  });
  throw signal.reason;
}

const head = (line: string, ...headers: string[]) =>
  `${[line, 'Host: localhost', 'Connection: close', ...headers].join('\r\n')}\r\n\r\n`;

/** Sends the same request on a kept-alive connection. */
const keptHead = (line: string, ...headers: string[]) =>
  `${[line, 'Host: localhost', ...headers].join('\r\n')}\r\n\r\n`;

/** A complete request that calls `imageRequests`. */
function imageRequest(toHead: typeof head): string {
  const body = '{"prompt":"a fox"}';
  const headers = ['Content-Type: application/json', `Content-Length: ${body.length}`];
  return toHead('POST /v1/images HTTP/1.1', ...headers) + body;
}

/** Creates a listener without starting it. */
function listenerOf(services: Promise<Services>) {
  return createListener({
    routes,
    httpSettings: openHttpSettings(),
    services,
    settings: {
      max_header_bytes: 1000,
      max_connections: 1,
      head_timeout_ms: 10_000,
      read_timeout_ms: 0,
      write_timeout_ms: 1000,
    },
  });
}

describe('createListener', () => {
  it.each<[string, string | Buffer, number]>([
    ['an unknown path', head('GET /v1/nothing HTTP/1.1'), 404],
    ['a path outside of everything', head('GET /nothing HTTP/1.1'), 404],
    ['a target that is no path', head('OPTIONS * HTTP/1.1'), 400],
    ['another method', head('DELETE /v1/providers HTTP/1.1'), 405],
    ['a method of a route with a parameter there', head('DELETE /v1/jobs/events HTTP/1.1'), 405],
    ['an invented method', head('PROPFIND /v1/providers HTTP/1.1'), 405],
    ['a trace', head('TRACE /v1/providers HTTP/1.1'), 405],
    ['a proxy request', head('CONNECT evil.example:443 HTTP/1.1'), 405],
    ['bytes that are no HTTP', 'hello\r\n\r\n', 400],
    ['a TLS hello', Buffer.from('16030100a5010000a1', 'hex'), 400],
    ['a header without a colon', head('GET /v1/providers HTTP/1.1', 'broken'), 400],
    [
      'two different lengths',
      head('POST /v1/images HTTP/1.1', 'Content-Length: 1', 'Content-Length: 2'),
      400,
    ],
    [
      'a length and chunks',
      head('POST /v1/images HTTP/1.1', 'Content-Length: 1', 'Transfer-Encoding: chunked'),
      400,
    ],
    ['a missing host', 'GET /v1/providers HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['two hosts', head('GET /v1/providers HTTP/1.1', 'Host: evil.example'), 400],
    [
      'a host that is none',
      'GET /v1/providers HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n',
      400,
    ],
    [
      'a foreign host',
      'GET /v1/providers HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n',
      403,
    ],
    [
      'two origins',
      head('GET /v1/providers HTTP/1.1', 'Origin: http://localhost', 'Origin: http://localhost'),
      403,
    ],
    ['an expectation', head('POST /v1/images HTTP/1.1', 'Expect: 200-maybe'), 417],
    ['a long address', head(`GET /${'a'.repeat(40_000)} HTTP/1.1`), 431],
    ['a long header', head('GET /health/live HTTP/1.1', `A: ${'a'.repeat(40_000)}`), 431],
    ['ten thousand headers', head('GET /v1/providers HTTP/1.1', ...Array(10_000).fill('a:b')), 431],
  ])('replies to %s in the format of the contract', async (_name, bytes, status) => {
    const { port } = await start();

    const reply = await requestRaw(port, bytes);

    expect(reply.status).toBe(status);
    expect(reply.headers['x-request-id']).toMatch(UUID);
    expect(reply.headers['x-should-retry']).toBe('false');
    const { error, request_id } = JSON.parse(reply.text);
    expect(request_id).toBe(reply.headers['x-request-id']);
    expect(error.suggestions ?? error.bridge_ext.suggestions).not.toEqual([]);
  });

  it('accepts a health probe without a Host header, as HTTP/1.0 sends it', async () => {
    const { port } = await start();

    const reply = await requestRaw(port, 'GET /health/live HTTP/1.0\r\n\r\n');

    expect([reply.status, reply.text]).toEqual([200, '{"status":"live"}']);
  });

  it('lists the methods of a path in Allow', async () => {
    const { port } = await start();

    const reply = await requestRaw(port, head('PUT /v1/providers HTTP/1.1'));

    expect(reply.headers['allow']).toBe('GET, HEAD');
  });

  it('keeps the request id of the caller when it rejects a head', async () => {
    const { port } = await start();
    const long = head('GET / HTTP/1.1', 'X-Request-Id: mine', ...Array(9000).fill('a:b'));

    const reply = await requestRaw(port, long);

    expect(reply.headers['x-request-id']).toBe('mine');
  });

  it('replies to HEAD with the headers of GET', async () => {
    const { port } = await start();

    const get = await requestRaw(port, head('GET /health/live HTTP/1.1'));
    const reply = await requestRaw(port, head('HEAD /health/live HTTP/1.1'));

    expect(reply.status).toBe(200);
    expect(reply.text).toBe('');
    expect(reply.headers['content-length']).toBe(get.headers['content-length']);
  });

  it('rejects a declared 200 MB body at once, and the client receives the reply', async () => {
    const { port } = await start();
    const socket = await openSocket(port);
    const closed = untilClosed(socket);

    socket.write(
      head(
        'POST /v1/images HTTP/1.1',
        'Content-Type: application/json',
        'Content-Length: 209715200',
      ),
    );
    const chunk = Buffer.alloc(65_536, 0x20);
    const pump = () => {
      while (!socket.destroyed && socket.writable && socket.write(chunk));
    };
    socket.on('drain', pump);
    pump();
    const reply = parseReply(await closed);

    expect(reply.status).toBe(413);
    expect(JSON.parse(reply.text).error.code).toBe('invalid_request');
  });

  it('rejects an endless body of undeclared length when it exceeds the limit', async () => {
    const { port } = await start();
    const socket = await openSocket(port);
    const closed = untilClosed(socket);

    socket.write(
      head(
        'POST /v1/images HTTP/1.1',
        'Content-Type: application/json',
        'Transfer-Encoding: chunked',
      ),
    );
    const chunk = Buffer.from(`8000\r\n${' '.repeat(0x8000)}\r\n`);
    const pump = () => {
      while (!socket.destroyed && socket.writable && socket.write(chunk));
    };
    socket.on('drain', pump);
    pump();
    const reply = parseReply(await closed);

    expect(reply.status).toBe(413);
  });

  it('replies to a request whose body stops half-way', async () => {
    const { port } = await start();
    const socket = await openSocket(port);
    const closed = untilClosed(socket);

    socket.end(
      `${head('POST /v1/images HTTP/1.1', 'Content-Type: application/json', 'Content-Length: 100')}{"prompt":`,
    );
    const reply = parseReply(await closed);

    expect(reply.status).toBe(400);
    expect(JSON.parse(reply.text).error.code).toBe('invalid_request');
  });

  it('sends 100 Continue only when a handler reads the body', async () => {
    const { port } = await start({ services: { imageRequests: { serve: untilAborted } } });
    const refused = await requestRaw(
      port,
      head(
        'POST /v1/images HTTP/1.1',
        'Content-Type: text/plain',
        'Content-Length: 5',
        'Expect: 100-continue',
      ),
    );
    const socket = await openSocket(port);
    const first = new Promise<string>((resolve) => {
      socket.once('data', (chunk) => resolve(chunk.toString()));
    });

    socket.write(
      head(
        'POST /v1/images HTTP/1.1',
        'Content-Type: application/json',
        'Content-Length: 5',
        'Expect: 100-continue',
      ),
    );

    expect(refused.status).toBe(415);
    expect(await first).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    socket.destroy();
  });

  it('aborts the signal of the handler when its client disconnects', async () => {
    let left: (reason: unknown) => void = () => {};
    const reason = new Promise((resolve) => {
      left = resolve;
    });
    const create = async (_body: unknown, { signal }: RequestContext) => {
      client.destroy();
      return untilAborted(signal()).catch((error) => {
        left(error);
        throw error;
      });
    };
    const { port } = await start({ services: { imageRequests: { serve: create } } });
    const body = '{"prompt":"a fox"}';
    const client = request({
      port,
      method: 'POST',
      path: '/v1/images',
      headers: { 'content-type': 'application/json', 'content-length': body.length },
    });
    client.on('error', () => {});
    client.end(body);

    expect(await reason).toMatchObject({ code: 'cancelled' });
  });

  it('replies to a request that stalls in its body with 408', async () => {
    const { port } = await start({ settings: { read_timeout_ms: 50 } });

    const reply = await requestRaw(
      port,
      `${head('POST /v1/images HTTP/1.1', 'Content-Type: application/json', 'Content-Length: 100')}{`,
    );

    expect(reply.status).toBe(408);
    expect(reply.headers['x-request-id']).toMatch(UUID);
  });

  it('replies to a request that stalls in its head with 408', async () => {
    const { port } = await start({ settings: { read_timeout_ms: 50 } });

    const reply = await requestRaw(port, 'GET /health/live HTTP/1.1\r\nHost: loc');

    expect(reply.status).toBe(408);
  });

  it.each([
    ['never begins', ''],
    ['comes byte by byte', 'GET /health/live HTTP/1.1\r\nHost: loc'],
  ])('replies to a head that %s with 408 after the head time-out', async (_name, sent) => {
    const { port } = await start({ settings: { head_timeout_ms: 300 } });
    const socket = await openSocket(port);
    const received = untilClosed(socket);
    // A head that arrives slowly but without a pause also exceeds the time-out.
    const trickle = setInterval(() => socket.write(sent === '' ? '' : 'x'), 20);

    socket.write(sent);
    const reply = parseReply(await received);
    clearInterval(trickle);

    expect(reply.status).toBe(408);
    expect(reply.headers['x-request-id']).toMatch(UUID);
  });

  it('applies the head time-out to each request of a connection separately', async () => {
    const { port } = await start({ settings: { head_timeout_ms: 300 } });
    const socket = await openSocket(port);
    const received = untilClosed(socket);

    socket.write(keptHead('GET /health/live HTTP/1.1'));
    socket.write('GET /health/live HTTP/1.1\r\nHost: loc');

    expect((await received).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 408']);
  });

  it.each(['head_timeout_ms', 'read_timeout_ms', 'write_timeout_ms'])(
    'serves requests if %s is longer than a timer of Node can wait',
    async (setting) => {
      const warnings: string[] = [];
      const note = ({ name }: Error) => warnings.push(name);
      process.on('warning', note);

      const { port } = await start({ settings: { [setting]: 2 ** 53 - 1 } });
      const reply = await requestRaw(port, head('GET /health/live HTTP/1.1'));
      process.off('warning', note);

      expect(reply.status).toBe(200);
      // Node warns about a timer whose delay overflows, and fires this timer at once.
      expect(warnings).not.toContain('TimeoutOverflowWarning');
    },
  );

  it('allows work to take longer than the read time-out', async () => {
    const create = () =>
      new Promise((_resolve, reject) => {
        // Several of the listener's time-outs pass first.
        setTimeout(() => reject(new BridgeError('upstream', 'late')), 200);
      });
    const services = { imageRequests: { serve: create } };
    const { port } = await start({ services, settings: { read_timeout_ms: 50 } });
    const body = '{"prompt":"a fox"}';

    const reply = await requestRaw(
      port,
      head(
        'POST /v1/images HTTP/1.1',
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
      ) + body,
    );

    expect(reply.status).toBe(502);
  });

  it('closes an idle kept-alive connection', async () => {
    const { port } = await start({ settings: { read_timeout_ms: 10_000 } });
    const socket = await openSocket(port);
    const received = untilClosed(socket);

    socket.write('GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n');

    // Five seconds later, after Node's own keep-alive time-out.
    expect(parseReply(await received).status).toBe(200);
  });

  it('disconnects a client that does not read its reply', async () => {
    const { port } = await start({
      services: { apiDocument: () => Buffer.alloc(64 * 1024 * 1024) },
      settings: { write_timeout_ms: 100 },
    });
    const socket = await openSocket(port);
    socket.pause();
    const closed = new Promise<void>((resolve) => {
      socket.once('close', () => resolve());
      socket.once('error', () => resolve());
    });

    socket.write(head('GET /v1/openapi.json HTTP/1.1'));
    // Writing detects the closed connection; reading would let the reply through.
    const knock = setInterval(() => socket.write('x'), 10);

    await closed;
    clearInterval(knock);
    expect(socket.bytesRead).toBeLessThan(64 * 1024 * 1024);
  });

  it('disconnects a client that does not read its reply while its next request is running', async () => {
    let left: (reason: unknown) => void = () => {};
    const reason = new Promise((resolve) => {
      left = resolve;
    });
    const serve = (_body: unknown, { signal }: RequestContext) =>
      untilAborted(signal()).catch((error) => {
        left(error);
        throw error;
      });
    const { port } = await start({
      services: {
        apiDocument: () => Buffer.alloc(64 * 1024 * 1024),
        imageRequests: { serve },
      },
      settings: { write_timeout_ms: 100 },
    });
    const socket = await openSocket(port);
    socket.pause();

    socket.write(keptHead('GET /v1/openapi.json HTTP/1.1') + imageRequest(keptHead));

    expect(await reason).toMatchObject({ code: 'cancelled' });
    socket.destroy();
  });

  it('disconnects a client that slowly sends a body and does not read its reply', async () => {
    let report = () => {};
    const stalled = new Promise<void>((resolve) => {
      report = resolve;
    });
    const { port } = await start({
      services: { apiDocument: () => Buffer.alloc(64 * 1024 * 1024) },
      settings: { write_timeout_ms: 100 },
      httpSettings: { observer: { replied: () => {}, stalled: report } },
    });
    const socket = await openSocket(port);
    socket.pause().on('error', () => {});

    socket.write(keptHead('GET /v1/openapi.json HTTP/1.1', 'Content-Length: 90000'));
    const trickle = setInterval(() => socket.write('x'), 10);

    await stalled;
    clearInterval(trickle);
    socket.destroy();
  });

  it('does not time out work when the reply to a later request waits behind it', async () => {
    const serve = () =>
      new Promise((_resolve, reject) => {
        // Several of the listener's time-outs pass first.
        setTimeout(() => reject(new BridgeError('upstream', 'late')), 300);
      });
    const services = { imageRequests: { serve } };
    const { port } = await start({ services, settings: { write_timeout_ms: 50 } });

    const reply = await requestRaw(
      port,
      imageRequest(keptHead) + head('GET /health/live HTTP/1.1'),
    );

    expect(reply.status).toBe(502);
    expect(reply.text).toContain('{"status":"live"}');
  });

  it('replies once to Expect: 100-continue if the body does not arrive', async () => {
    const { port } = await start({ settings: { read_timeout_ms: 50 } });
    const socket = await openSocket(port);
    const received = untilClosed(socket);

    socket.write(keptHead('POST /v1/images HTTP/1.1', 'Expect: 200-maybe', 'Content-Length: 100'));

    expect((await received).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 417']);
  });

  it('completes running requests when it stops, and rejects new requests', async () => {
    let finish: (value: unknown) => void = () => {};
    let begun: (value: unknown) => void = () => {};
    const started = new Promise((resolve) => {
      begun = resolve;
    });
    const create = () => {
      begun(undefined);
      return new Promise((_resolve, reject) => {
        finish = reject;
      });
    };
    const { port, listener } = await start({ services: { imageRequests: { serve: create } } });
    const body = '{"prompt":"a fox"}';
    const kept = await openSocket(port);
    const keptReply = untilClosed(kept);
    const replying = requestRaw(
      port,
      head(
        'POST /v1/images HTTP/1.1',
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
      ) + body,
    );
    await started;

    const trace = '0af7651916cd43dd8448eb211c80319c';
    kept.write('GET /v1/openapi.json HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: mine\r\n');
    kept.write(`traceparent: 00-${trace}-b7ad6b7169203331-01\r\n`);
    const stopped = listener.stop(60_000);
    kept.write('\r\n');
    const refused = parseReply(await keptReply);
    finish(new BridgeError('upstream', 'done'));

    expect(refused.status).toBe(503);
    expect(refused.headers).toMatchObject({ connection: 'close', 'retry-after': '1' });
    expect(refused.headers).toMatchObject({
      'x-request-id': 'mine',
      traceparent: expect.stringContaining(trace),
    });
    expect((await replying).status).toBe(502);
    await stopped;
    await expect(openSocket(port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('aborts requests that outlast the grace period', async () => {
    let begun: (value: unknown) => void = () => {};
    const started = new Promise((resolve) => {
      begun = resolve;
    });
    const create = (_body: unknown, { signal }: RequestContext) => {
      begun(undefined);
      return untilAborted(signal());
    };
    const { port, listener } = await start({ services: { imageRequests: { serve: create } } });
    const body = '{"prompt":"a fox"}';
    const replying = requestRaw(
      port,
      head(
        'POST /v1/images HTTP/1.1',
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
      ) + body,
    );
    await started;

    await listener.stop(20);

    expect((await replying).status).toBe(499);
  });

  it('closes the connection of a request that waits for an app that cannot be built', async () => {
    const services = Promise.reject(new Error('no state directory'));
    services.catch(() => {});
    const listener = listenerOf(services);
    const port = await listener.listen({ host: '127.0.0.1', port: 0 });
    const socket = await openSocket(port);
    const received = untilClosed(socket);

    socket.write('GET /health/ready HTTP/1.1\r\nHost: localhost\r\n\r\n');

    expect(String(await received)).toBe('');
    await listener.stop(0);
  });

  it('names the setting and the address if the port is in use', async () => {
    const { port } = await start();
    const other = listenerOf(Promise.resolve({} as Services));

    await expect(other.listen({ host: '127.0.0.1', port })).rejects.toThrow(
      `server.bind: 127.0.0.1:${port} is already in use (EADDRINUSE)`,
    );
  });
});
