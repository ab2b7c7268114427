import { createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { watchReplies } from '../../../../local-runtime/server/listener/reply-watch.ts';
import { createManualClock } from '../../../support/manual-clock.ts';
import { openSocket } from '../../../support/raw-http.ts';

const TIMEOUT_MS = 120_000;
/** More bytes than the buffers of the kernel. */
const REPLY = Buffer.alloc(128 * 1024 * 1024);

/** Opens a watched connection. Its client does not read. */
async function connectDeaf(writeTimeoutMs = TIMEOUT_MS) {
  const clock = createManualClock();
  const sockets = new Set<Socket>();
  let stalls = 0;
  const watch = watchReplies({ clock, writeTimeoutMs, sockets, onStall: () => stalls++ });
  const server = createServer({ allowHalfOpen: true });
  const accepted = new Promise<Socket>((resolve) => {
    server.once('connection', resolve);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const client = await openSocket(address.port);
  const socket = await accepted;
  client.pause().on('error', () => {});
  socket.on('error', () => {}).once('close', () => sockets.delete(socket));
  sockets.add(socket);
  watch.start();
  onTestFinished(() => {
    client.destroy();
    socket.destroy();
    server.close();
  });

  /** Lets the client read until the kernel has accepted a further megabyte from the server. */
  async function readSome(): Promise<void> {
    const { _handle: handle } = socket as Socket & { _handle?: { writeQueueSize: number } };
    const before = handle?.writeQueueSize ?? 0;
    client.on('data', () => {}).resume();
    await expect.poll(() => before - (handle?.writeQueueSize ?? 0)).toBeGreaterThan(1024 * 1024);
    client.removeAllListeners('data').pause();
  }

  return { clock, client, socket, readSome, stalls: () => stalls };
}

describe('watchReplies', () => {
  it('closes a connection at the second check at which bytes wait and none were read', async () => {
    const { clock, socket, stalls } = await connectDeaf();
    socket.write(REPLY);

    await clock.advance(TIMEOUT_MS);
    expect(socket.destroyed).toBe(false);
    await clock.advance(TIMEOUT_MS);

    expect(socket.destroyed).toBe(true);
    expect(stalls()).toBe(1);
  });

  it('closes the connection of a client that sends bytes and does not read', async () => {
    const { clock, client, socket } = await connectDeaf();
    let received = 0;
    socket.on('data', () => received++);
    socket.write(REPLY);

    for (let second = 1; second <= 4; second++) {
      client.write('x');
      await expect.poll(() => received).toBe(second);
      await clock.advance(TIMEOUT_MS / 2);
    }

    expect(socket.destroyed).toBe(true);
  });

  it('does not close the connection of a client that reads a little between the checks', async () => {
    const { clock, socket, readSome, stalls } = await connectDeaf();
    socket.write(REPLY);

    for (let check = 0; check < 3; check++) {
      await clock.advance(TIMEOUT_MS);
      await readSome();
    }

    expect(socket.destroyed).toBe(false);
    expect(stalls()).toBe(0);
  });

  it('closes the connection of a client that reads less than 1 KiB per second', async () => {
    const twoDays = 2 * 86_400_000;
    const { clock, socket, readSome } = await connectDeaf(twoDays);
    socket.write(REPLY);

    await clock.advance(twoDays);
    // Less than the whole reply. At 1 KiB per second, a client reads more in two days.
    await readSome();
    await clock.advance(twoDays);

    expect(socket.destroyed).toBe(true);
  });

  it('requires only the bytes that waited, so that a stream of small events continues', async () => {
    const { clock, client, socket, stalls } = await connectDeaf();
    socket.write(REPLY);
    await clock.advance(TIMEOUT_MS);
    client.resume();
    await expect.poll(() => socket.writableLength).toBe(0);
    client.pause();

    await clock.advance(10 * TIMEOUT_MS);
    socket.write('event');
    await clock.advance(10 * TIMEOUT_MS);

    expect(socket.destroyed).toBe(false);
    expect(stalls()).toBe(0);
  });

  it('ends its checks when no connection is open', async () => {
    const { clock, socket } = await connectDeaf();

    await clock.advance(3 * TIMEOUT_MS);
    expect(clock.waiting).toBe(1);
    socket.destroy();
    await expect.poll(() => socket.closed).toBe(true);
    await clock.advance(TIMEOUT_MS);

    expect(clock.waiting).toBe(0);
  });
});
