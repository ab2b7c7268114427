import { afterEach, describe, expect, it } from 'vitest';
import type { Route } from '../../../handlers/routes.ts';
import type { HttpSettings } from '../../../lib/http/http-event.ts';
import type { Services } from '../../../lib/services.ts';
import { createListener } from '../../../local-runtime/server/listener/listener.ts';
import { echoForm, sha256 } from '../../support/echo-form.ts';
import { BOUNDARY, formBytes, formType, inChunks } from '../../support/form-bytes.ts';
import { openHttpSettings } from '../../support/invoke.ts';
import { openSocket, parseReply, untilClosed } from '../../support/raw-http.ts';

const PATH = '/v1/echo';
const routes: readonly Route[] = [{ method: 'POST', path: PATH, tag: 'Images', handler: echoForm }];
const running: ReturnType<typeof createListener>[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((listener) => listener.stop(0)));
});

async function start(changes: Partial<HttpSettings> = {}) {
  const statuses: number[] = [];
  const listener = createListener({
    routes,
    httpSettings: openHttpSettings({
      observer: { replied: ({ status }) => statuses.push(status) },
      ...changes,
    }),
    // The echo handler uses no service.
    services: Promise.resolve({} as Services),
    settings: {
      max_header_bytes: 32_768,
      max_connections: 'unlimited',
      head_timeout_ms: 10_000,
      read_timeout_ms: 0,
      write_timeout_ms: 30_000,
    },
  });
  running.push(listener);
  return { statuses, listener, port: await listener.listen({ host: '127.0.0.1', port: 0 }) };
}

const content = Buffer.from(`\r\n--${BOUNDARY}`.slice(0, -1).repeat(5000));
const body = formBytes([
  { name: 'page', filename: '1.png', type: 'application/octet-stream', content },
  { name: 'title', content: 'a book' },
]);

const head = (...headers: readonly string[]) =>
  [
    `POST ${PATH} HTTP/1.1`,
    'Host: localhost',
    'Connection: close',
    `Content-Type: ${formType()}`,
    ...headers,
    '\r\n',
  ].join('\r\n');

async function upload(port: number, pieces: readonly (string | Buffer)[]) {
  const socket = await openSocket(port);
  const closed = untilClosed(socket);
  for (const piece of pieces) socket.write(piece);
  const reply = parseReply(await closed);
  return { status: reply.status, json: JSON.parse(reply.text) as unknown };
}

const asChunk = (bytes: Buffer) =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);

describe('a form sent to the listener', () => {
  const whole = { fields: { title: 'a book' }, unknown: [], page: [sha256(content)], cover: [] };

  it('arrives with a declared length', async () => {
    const { port } = await start();

    const reply = await upload(port, [head(`Content-Length: ${body.length}`), body]);

    expect(reply).toEqual({ status: 200, json: whole });
  });

  it.each([1000, 65_536])('arrives in chunks of %d bytes without a length', async (size) => {
    const { port } = await start();
    const chunks = inChunks(body, () => size).map(asChunk);

    const reply = await upload(port, [head('Transfer-Encoding: chunked'), ...chunks, '0\r\n\r\n']);

    expect(reply).toEqual({ status: 200, json: whole });
  });

  it('arrives after a 100 Continue', async () => {
    const { port } = await start();
    const socket = await openSocket(port);
    const closed = untilClosed(socket);

    socket.write(head(`Content-Length: ${body.length}`, 'Expect: 100-continue'));
    await new Promise((resolve) => socket.once('data', resolve));
    socket.write(body);
    const text = await closed;

    expect(text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /);
  });

  it('is rejected by its length before a byte of the body is sent', async () => {
    const { port } = await start({ maxBodyBytes: 1000 });

    const reply = await upload(port, [head(`Content-Length: ${body.length}`)]);

    expect(reply).toMatchObject({ status: 413, json: { error: { code: 'invalid_request' } } });
  });

  it('is rejected for its 257th part while the client is still sending', async () => {
    const { port } = await start();
    const one = { name: 'page', filename: 'p', content: Buffer.alloc(1200) };
    const parts = Array.from({ length: 900 }, () => one);
    const many = formBytes(parts);

    const reply = await upload(port, [head(`Content-Length: ${many.length + 1}`), many]);

    expect(reply).toMatchObject({ status: 413, json: { error: { code: 'invalid_request' } } });
  });

  it.each([
    ['the head of a part', 40],
    ['the content of a part', 5000],
    ['the last delimiter', body.length - 3],
  ])(
    'that breaks off in %s ends with its connection, while other requests continue',
    async (_name, sent) => {
      const { statuses, port } = await start();
      const socket = await openSocket(port);

      socket.write(head(`Content-Length: ${body.length}`));
      socket.write(body.subarray(0, sent));
      await new Promise((resolve) => setImmediate(resolve));
      socket.resetAndDestroy();
      const next = await upload(port, [head(`Content-Length: ${body.length}`), body]);

      expect(next.status).toBe(200);
      await expect.poll(() => statuses).toEqual(expect.arrayContaining([200, 499]));
    },
  );

  it('that stalls does not keep the listener from stopping', async () => {
    const { statuses, listener, port } = await start();
    const socket = await openSocket(port);
    const closed = untilClosed(socket);

    socket.write(head(`Content-Length: ${body.length}`, 'Expect: 100-continue'));
    await new Promise((resolve) => socket.once('data', resolve));
    await listener.stop(0);
    await closed;

    expect(statuses).toEqual([499]);
  });

  it('that ends early is a malformed request', async () => {
    const { port } = await start();
    const cut = body.subarray(0, -10);

    const reply = await upload(port, [head(`Content-Length: ${cut.length}`), cut]);

    expect(reply).toMatchObject({ status: 400, json: { error: { code: 'invalid_request' } } });
  });

  it('is read no faster than its handler consumes the bytes', async () => {
    const { port } = await start();
    const socket = await openSocket(port);
    const closed = untilClosed(socket);

    socket.write(head(`Content-Length: ${body.length}`));
    for (const piece of inChunks(body, () => 4096)) {
      await new Promise((resolve) => socket.write(piece, resolve));
    }
    const reply = parseReply(await closed);

    expect(JSON.parse(reply.text)).toEqual(whole);
  });
});
