import { once } from 'node:events';
import { get } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { openSocket, parseReply, untilClosed } from '../../support/raw-http.ts';
import { startControlled } from './controlled-gateway.ts';
import { startRig, startSlot, stopAll } from './gateway-rig.ts';

afterEach(stopAll);

const UPLOAD = 'POST /upload HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 1\r\n\r\n';

describe('a request that has not been sent', () => {
  it('is sent to the same slot if the file names it again at once', async () => {
    const blue = await startSlot('blue');
    const { port, state, point } = await startControlled({ blue }, 'blue');
    const socket = await openSocket(port);
    const closed = untilClosed(socket);
    socket.write(UPLOAD);
    await expect.poll(() => state().in_flight).toBe(1);

    point('hold');
    point('blue');
    await (await fetch(`http://127.0.0.1:${port}/next`)).text();
    socket.write('x');

    expect(parseReply(await closed)).toMatchObject({ status: 200, text: 'blue' });
    expect(blue.requests.map(({ url }) => url)).toEqual(['/next', '/upload']);
  });

  it.each(['green', 'hold'] as const)(
    'is discarded when its client disconnects while the file is read, which says %s',
    async (found) => {
      const green = await startSlot('green');
      const { url, state, point, counted, reading } = await startControlled({ green }, 'blue');
      const { promise: isRead, resolve: endRead } = Promise.withResolvers<void>();
      const begun = new Promise<void>((resolve) => {
        reading.of = () => {
          resolve();
          return isRead;
        };
      });
      const client = get(`${url}/left`).on('error', () => {});
      await begun;

      client.destroy();
      await expect.poll(() => counted.disconnects).toBe(1);
      point(found);
      endRead();

      await expect.poll(() => state().in_flight).toBe(0);
      expect(green.requests.map(({ url: path }) => path)).toEqual([]);
    },
  );
});

describe('the metrics of a gateway', () => {
  it('count a reply cut off by the slot as a reply of the gateway, not as a disconnect', async () => {
    const blue = await startSlot('blue', (_incoming, outgoing) => {
      outgoing.writeHead(200, { 'content-length': 10 });
      outgoing.write('half', () => outgoing.destroy());
    });
    const { url, state, counted } = await startControlled({ blue }, 'blue');

    await expect(fetch(url).then((reply) => reply.text())).rejects.toThrow();
    await expect.poll(() => state().in_flight).toBe(0);
    await fetch(`${url}/health/live`);

    expect(counted).toEqual({
      replies: [expect.objectContaining({ source: 'gateway', status: 502 })],
      disconnects: 0,
    });
  });

  it('include the hold in the duration of a rejected request', async () => {
    const { url, counted } = await startControlled({}, 'hold', { holdMs: 50 });

    expect((await fetch(url)).status).toBe(503);

    expect(counted.replies).toEqual([
      { source: 'gateway', status: 503, durationMs: expect.any(Number) },
    ]);
    expect(counted.replies[0]?.durationMs).toBeGreaterThan(0);
  });
});

describe('the stop of a gateway', () => {
  it('waits for a client that reads its reply slowly', async () => {
    const total = 24 * 1024 * 1024;
    const blue = await startSlot('blue', (_incoming, outgoing) =>
      outgoing.end(Buffer.alloc(total)),
    );
    const rig = await startRig({ blue });
    const request = get(rig.url);
    const [reply] = await once(request, 'response');
    let taken = 0;
    // Reads one piece for each query of the state, until the gateway has no request in flight.
    while (taken < total && (await rig.state()).in_flight > 0) {
      const piece = reply.read();
      if (piece === null) await once(reply, 'readable');
      else taken += piece.length;
    }

    await rig.stop();
    for await (const piece of reply) taken += piece.length;

    expect(taken).toBe(total);
  });
});
