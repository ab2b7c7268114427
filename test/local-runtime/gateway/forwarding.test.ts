import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { openSocket, untilClosed } from '../../support/raw-http.ts';
import { type FakeSlot, startRig, startSlot, stopAll } from './gateway-rig.ts';

afterEach(stopAll);

const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

/** Sends one request with exactly these headers. */
async function send(
  port: number,
  options: object,
  body: Buffer | string = '',
): Promise<IncomingMessage & { text: string }> {
  const request = httpRequest({ host: '127.0.0.1', port, ...options }).end(body);
  const [reply] = await once(request, 'response');
  return Object.assign(reply, { text: await text(reply) });
}

function closeOf(incoming: IncomingMessage | undefined): Promise<void> {
  return new Promise((resolve) => incoming?.socket.once('close', () => resolve()));
}

describe('a gateway', () => {
  it('forwards a request unchanged, with its Host and without its hop-by-hop headers', async () => {
    let body = '';
    const blue = await startSlot('blue', (_incoming, outgoing, bytes) => {
      body = bytes.toString();
      outgoing.end();
    });
    const { port } = await startRig({ blue });

    await send(
      port,
      {
        method: 'PATCH',
        path: '/v1/jobs/%41?a=b&a=c',
        headers: {
          host: 'bridge.example:1234',
          authorization: 'Bearer token',
          'content-length': 5,
          connection: 'keep-alive, x-own, content-length, traceparent',
          'x-own': 'of the connection',
          'keep-alive': 'timeout=9',
          te: 'trailers',
          'proxy-authorization': 'Basic x',
          'proxy-connection': 'keep-alive',
          upgrade: 'websocket',
          'x-request-id': 'mine-1',
          traceparent: TRACE,
          'x-twice': ['one', 'two'],
        },
      },
      'hello',
    );

    const [seen] = blue.requests;
    expect([seen?.method, seen?.url, body]).toEqual(['PATCH', '/v1/jobs/%41?a=b&a=c', 'hello']);
    expect(seen?.headersDistinct).toEqual({
      host: ['bridge.example:1234'],
      connection: ['keep-alive'],
      authorization: ['Bearer token'],
      'content-length': ['5'],
      'x-request-id': ['mine-1'],
      traceparent: [TRACE],
      'x-twice': ['one', 'two'],
    });
  });

  it('forwards a reply unchanged, without its hop-by-hop headers', async () => {
    const blue = await startSlot('blue', (_incoming, outgoing) => {
      outgoing.writeHead(418, [
        ...['x-request-id', 'theirs', 'x-own', 'of the connection', 'connection', 'x-own'],
        ...['keep-alive', 'timeout=9', 'x-twice', 'one', 'x-twice', 'two', 'content-length', '3'],
      ]);
      outgoing.end('tea');
    });
    const { port } = await startRig({ blue });

    const reply = await send(port, { path: '/' });

    expect([reply.statusCode, reply.text]).toEqual([418, 'tea']);
    const { date, 'keep-alive': _kept, ...headers } = reply.headersDistinct;
    expect(date).toHaveLength(1);
    expect(headers).toEqual({
      'x-request-id': ['theirs'],
      'x-twice': ['one', 'two'],
      'content-length': ['3'],
      connection: ['keep-alive'],
    });
  });

  it.each([
    ['no x-request-id', {}],
    ['one that is not valid', { 'x-request-id': 'a b' }],
    ['two', { 'x-request-id': ['a', 'b'] }],
  ])('adds a new x-request-id if the client sends %s', async (_what, headers) => {
    const blue = await startSlot('blue');
    const { port } = await startRig({ blue });

    const reply = await send(port, { path: '/', headers });

    const ids = blue.requests[0]?.headersDistinct['x-request-id'];
    expect(ids).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/)]);
    expect(reply.headers['x-request-id']).toBe(ids?.[0]);
  });

  it.each([
    ['HEAD', 200, { 'content-length': '12' }],
    ['GET', 204, {}],
    ['GET', 304, { etag: '"x"' }],
  ])('forwards a reply to %s with %i and no body', async (method, status, headers) => {
    const blue = await startSlot('blue', (_incoming, outgoing) => {
      outgoing.writeHead(status, headers).end();
    });
    const { port } = await startRig({ blue });

    const replies = [
      await send(port, { method, path: '/' }),
      await send(port, { method, path: '/' }),
    ];

    expect(replies.map((reply) => [reply.statusCode, reply.text])).toEqual([
      [status, ''],
      [status, ''],
    ]);
    expect(replies[0]?.headers).toMatchObject(headers);
  });

  it.each(['chunked', 'with a length'])('forwards a body sent %s byte for byte', async (how) => {
    const sent = Buffer.alloc(900_000, 'abcdefgh');
    const blue = await startSlot('blue', (_incoming, outgoing, body) => outgoing.end(body));
    const { port } = await startRig({ blue });
    const headers =
      how === 'chunked' ? { 'transfer-encoding': 'chunked' } : { 'content-length': sent.length };

    const reply = await send(port, { method: 'POST', path: '/', headers }, sent);

    expect(reply.text === sent.toString()).toBe(true);
    expect(blue.requests[0]?.headers['transfer-encoding']).toBe(
      how === 'chunked' ? 'chunked' : undefined,
    );
  });

  it('forwards the head before any event, and each event as soon as the slot sends it', async () => {
    let reply: ServerResponse | undefined;
    const blue = await startSlot('blue', (_incoming, outgoing) => {
      reply = outgoing;
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
      outgoing.flushHeaders();
    });
    const { url } = await startRig({ blue });

    const { body } = await fetch(url);
    const reader = body?.getReader();
    reply?.write('data: 1\n\n');
    const first = await reader?.read();
    reply?.write('data: 2\n\n');
    const second = await reader?.read();

    expect([first, second].map((read) => Buffer.from(read?.value ?? []).toString())).toEqual([
      'data: 1\n\n',
      'data: 2\n\n',
    ]);
    reply?.end();
    expect((await reader?.read())?.done).toBe(true);
  });
});

describe('a disconnect', () => {
  it('of the client ends the request at the slot', async () => {
    const blue = await startSlot('blue', () => {});
    const { port } = await startRig({ blue });
    const client = httpRequest({ host: '127.0.0.1', port, method: 'POST' }).end('x');
    client.on('error', () => {});
    await expect.poll(() => blue.requests.length).toBe(1);
    const closed = closeOf(blue.requests[0]);

    client.destroy();

    await closed;
    expect(blue.requests).toHaveLength(1);
  });

  it('of the client in the middle of its body ends the request at the slot', async () => {
    let ended = false;
    const blue = await startSlot('blue', () => {
      ended = true;
    });
    const { port } = await startRig({ blue });
    const socket = await openSocket(port);
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf');
    await expect.poll(() => blue.requests.length).toBe(1);
    const closed = closeOf(blue.requests[0]);

    socket.destroy();

    await closed;
    expect(ended).toBe(false);
  });

  it('of the slot in the middle of its reply breaks the connection of the client', async () => {
    const blue = await startSlot('blue', (_incoming, outgoing) => {
      outgoing.writeHead(200, { 'content-length': 10 });
      outgoing.write('half', () => outgoing.destroy());
    });
    const { url } = await startRig({ blue });

    const reply = await fetch(url);

    expect(reply.status).toBe(200);
    await expect(reply.text()).rejects.toThrow();
  });

  it.each([
    ['POST', false, { outcome: 'unknown' }],
    ['GET', true, {}],
  ])(
    'of the slot instead of a reply to %s is retryable: %s',
    async (method, retryable, details) => {
      const blue = await startSlot('blue', (incoming) => incoming.socket.destroy());
      const { port } = await startRig({ blue });

      const reply = await send(port, { method, path: '/', headers: { 'x-request-id': 'lost-1' } });

      expect([reply.statusCode, reply.headers['x-should-retry']]).toEqual([502, String(retryable)]);
      expect(reply.headers['x-request-id']).toBe('lost-1');
      const { error, request_id } = JSON.parse(reply.text);
      expect(error.bridge_ext).toMatchObject({ code: 'protocol', retryable });
      expect(error.bridge_ext.details).toEqual(details);
      expect(request_id).toBe('lost-1');
      expect(blue.requests).toHaveLength(1);
    },
  );
});

/**
 * Starts a slot that replies to the first request of a connection, and closes the connection when a second request arrives
 * or when the test requests it.
 */
async function closesAtSecond() {
  const heads: string[] = [];
  const sockets: Socket[] = [];
  const server = createServer((socket: Socket) => {
    let count = 0;
    sockets.push(socket);
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      heads.push(bytes.toString());
      count += 1;
      if (count > 1) socket.destroy();
      else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const stop = async () => {};
  const slot: FakeSlot = { url: `http://127.0.0.1:${port}`, port, requests: [], stop };
  const closeAll = () => Promise.all(sockets.splice(0).map((one) => once(one.end(), 'close')));
  return { slot, heads, closeAll };
}

describe('a kept-alive connection that the slot closes', () => {
  it.each(['GET', 'POST', 'PUT', 'DELETE'])(
    'does not cause a %s to be sent twice',
    async (method) => {
      const { slot, heads } = await closesAtSecond();
      const { port } = await startRig({ blue: slot });
      const first = await send(port, { path: '/first' });

      const second = await send(port, { method, path: '/second' }, method === 'POST' ? 'x' : '');

      expect([first.statusCode, second.statusCode]).toEqual([200, 502]);
      expect(heads.filter((head) => head.includes('/second'))).toHaveLength(1);
    },
  );

  it('does not cause the loss of a request whose body begins later', async () => {
    const { slot, heads, closeAll } = await closesAtSecond();
    const { port, state } = await startRig({ blue: slot });
    await send(port, { path: '/first' });
    const socket = await openSocket(port);
    const closed = untilClosed(socket);
    socket.write(
      'POST /second HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 1\r\n\r\n',
    );
    await expect.poll(async () => (await state()).in_flight).toBe(1);

    await closeAll();
    await state();
    socket.write('x');

    expect(await closed).toMatch(/^HTTP\/1\.1 200 /);
    expect(heads.filter((head) => head.includes('/second'))).toHaveLength(1);
  });
});

describe('a slot that cannot be reached', () => {
  it('is reported as a retryable overloaded error', async () => {
    const { port } = await startRig({});

    const reply = await send(port, { method: 'POST', path: '/v1/images' }, '{}');

    expect([reply.statusCode, reply.headers['retry-after']]).toEqual([503, '1']);
    expect(JSON.parse(reply.text).error.bridge_ext).toMatchObject({
      code: 'overloaded',
      retryable: true,
      details: { reason: 'slot_unreachable' },
    });
  });
});

describe('a reply that is sent before the end of the request body', () => {
  it('reaches a client that is still sending, and closes the connection', async () => {
    const blue = await startSlot('blue');
    blue.requests.push = (...incoming) => {
      // Runs before the rest of the handler can read.
      const [one] = incoming;
      one?.socket.write('HTTP/1.1 401 No\r\ncontent-length: 2\r\n\r\nno');
      return 1;
    };
    const { port } = await startRig({ blue });
    const socket = await openSocket(port);
    const closed = untilClosed(socket);
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 500000\r\n\r\nx');
    await once(socket, 'data');

    socket.write('y'.repeat(499_999));

    const reply = await closed;
    expect(reply).toMatch(/^HTTP\/1\.1 401 /);
    expect(reply).toMatch(/\r\nconnection: close\r\n/i);
    expect(reply.endsWith('no')).toBe(true);
  });
});

describe('backpressure', () => {
  it('of a slow client pauses the slot', async () => {
    let written = 0;
    const total = 256 * 1024 * 1024;
    const blue = await startSlot('blue', async (_incoming, outgoing) => {
      const piece = Buffer.alloc(1024 * 1024);
      while (written < total && !outgoing.destroyed) {
        written += piece.length;
        if (!outgoing.write(piece)) await once(outgoing, 'drain').catch(() => {});
      }
    });
    const { port } = await startRig({ blue });
    const socket = await openSocket(port);
    socket.pause();
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    let before = -1;
    await expect
      .poll(
        () => {
          const isSteady = written > 0 && written === before;
          before = written;
          return isSteady;
        },
        { interval: 300 },
      )
      .toBe(true);

    expect(written).toBeLessThan(total / 4);
    socket.destroy();
  });

  it('of a slow slot pauses the client', async () => {
    const blue = await startSlot('blue');
    blue.requests.push = (...incoming) => {
      incoming[0]?.removeAllListeners('data').pause();
      queueMicrotask(() => incoming[0]?.pause());
      return 1;
    };
    const { port } = await startRig({ blue }, 'blue', { maxBodyBytes: 1e9 });
    const socket = await openSocket(port);
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 500000000\r\n\r\n');
    const piece = Buffer.alloc(1024 * 1024);
    let before = -1;
    while (socket.write(piece)) await new Promise(setImmediate);
    const pump = () => {
      if (socket.bytesWritten < 200e6) while (socket.write(piece));
    };
    socket.on('drain', pump);
    pump();
    await expect
      .poll(
        () => {
          const taken = socket.bytesWritten - socket.writableLength;
          const isSteady = taken === before;
          before = taken;
          return isSteady;
        },
        { interval: 300 },
      )
      .toBe(true);

    expect(socket.bytesWritten - socket.writableLength).toBeLessThan(50e6);
    socket.destroy();
  });
});
