import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import {
  openSocket,
  parseReply,
  type RawReply,
  requestRaw,
  untilClosed,
} from '../../support/raw-http.ts';
import { startListener as start, stopListeners } from './listener-rig.ts';

afterEach(stopListeners);

const connectHead = 'CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n';
const jsonPost = (...headers: string[]) =>
  `${[
    'POST /v1/images HTTP/1.1',
    'Host: localhost',
    'Content-Type: application/json',
    ...headers,
  ].join('\r\n')}\r\n\r\n`;

/** Sends bytes and resets the connection at once. */
async function sendAndReset(port: number, bytes: string): Promise<void> {
  const socket = await openSocket(port);
  const closed = new Promise((resolve) => {
    socket.once('close', resolve);
  });
  socket.write(bytes, () => socket.resetAndDestroy());
  await closed;
}

const isLive = async (port: number) =>
  (await requestRaw(port, 'GET /health/live HTTP/1.0\r\n\r\n')).status === 200;

/** Writes all chunks before reading, as a single-threaded client does. Rejects if the connection is reset. */
async function upload(socket: Socket, chunk: Buffer, chunks: number): Promise<RawReply> {
  const isReset = new Promise<never>((_resolve, reject) => {
    socket.once('error', reject);
  });
  socket.pause();
  const write = async () => {
    for (let sent = 0; sent < chunks; sent += 1) {
      await new Promise((resolve) => {
        socket.write(chunk, resolve);
      });
    }
    const closed = untilClosed(socket);
    socket.resume();
    return closed;
  };
  return parseReply(await Promise.race([write(), isReset]));
}

const hasCurl = spawnSync('curl', ['--version']).status === 0;

/** Uploads a body of unknown length. Resolves with the output and the exit code of curl. */
async function curlUpload(port: number, bytes: number) {
  const child = spawn('curl', [
    ...['--silent', '--show-error', '--verbose', '--request', 'POST', '--upload-file', '-'],
    ...['--header', 'Content-Type: application/json', `http://127.0.0.1:${port}/v1/images`],
  ]);
  const ended = once(child, 'close');
  // curl closes its input when it has received the reply.
  child.stdin.on('error', () => {}).end(Buffer.alloc(bytes, 0x20));
  const [reply, trace] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await ended;
  return { reply, trace, code };
}

describe('createListener', () => {
  it.each([
    ['a proxy request', connectHead],
    ['bytes that are no HTTP', 'hello\r\n\r\n'],
    ['half a head', 'GET / HTT'],
    ['an upgrade', 'GET / HTTP/1.1\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n'],
    ['a refused expectation', jsonPost('Expect: 200-maybe', 'Content-Length: 5')],
    ['an upload that has not begun', jsonPost('Expect: 100-continue', 'Content-Length: 5')],
    ['half a body', `${jsonPost('Content-Length: 100')}{"prompt":`],
  ])('survives a reset after %s', async (_name, bytes) => {
    const { port } = await start();

    for (let nth = 0; nth < 20; nth += 1) await sendAndReset(port, bytes);

    expect(await isLive(port)).toBe(true);
  });

  it.each([
    ['a proxy request', connectHead],
    ['a request', 'GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['half a head', 'GET / HTT'],
    ['nothing', ''],
  ])('closes a connection that stays open after %s when it stops', async (_name, bytes) => {
    const { port, listener } = await start();
    const socket = await openSocket(port);
    socket.on('error', () => {});
    // Nothing is read, so that the end of the other side is not detected.
    socket.pause();
    socket.write(bytes);
    await isLive(port);

    await expect(listener.stop(0)).resolves.toBeUndefined();

    socket.destroy();
  });

  it('replies to CONNECT although the client has already sent bytes of the tunnel', async () => {
    const { port } = await start();
    const socket = await openSocket(port);

    socket.write(connectHead);
    const reply = await upload(socket, Buffer.alloc(16_384, 0x16), 4);

    expect(reply.status).toBe(405);
  });

  it('replies to malformed HTTP although the client continues to send', async () => {
    const { port } = await start();
    const socket = await openSocket(port);

    socket.write('POST /v1/images HTTP/1.1\r\nHost: localhost\r\nbroken\r\n\r\n');
    const reply = await upload(socket, Buffer.alloc(16_384, 0x20), 6);

    expect(reply.status).toBe(400);
  });

  it('replies to a body that exceeds the limit after 100 Continue', async () => {
    const { port } = await start();
    const socket = await openSocket(port);
    const asked = new Promise<string>((resolve) => {
      socket.once('data', (bytes) => resolve(bytes.toString()));
    });
    socket.write(jsonPost('Expect: 100-continue', 'Transfer-Encoding: chunked'));
    expect(await asked).toBe('HTTP/1.1 100 Continue\r\n\r\n');

    const chunk = Buffer.from(`4000\r\n${' '.repeat(0x4000)}\r\n`);
    // Twice the limit, but less than the number of bytes that are drained.
    const reply = await upload(socket, chunk, 12);

    expect(reply.status).toBe(413);
    expect(JSON.parse(reply.text).error.code).toBe('invalid_request');
  });

  it.runIf(hasCurl)('sends curl a readable reply to a body that exceeds the limit', async () => {
    const { port } = await start({ httpSettings: { maxBodyBytes: 1_500_000 } });

    const { reply, trace, code } = await curlUpload(port, 2_500_000);

    expect(trace).toContain('100 Continue');
    expect(trace).toContain('413');
    expect(JSON.parse(reply).error.code).toBe('invalid_request');
    expect(code).toBe(0);
  });

  it('replies to a rejected upload whose client did not wait for 100 Continue', async () => {
    const { port } = await start();
    const socket = await openSocket(port);

    socket.write(jsonPost('Expect: 100-continue', 'Content-Length: 200000'));
    const reply = await upload(socket, Buffer.alloc(10_000, 0x20), 9);

    expect(reply.status).toBe(413);
  });
});
