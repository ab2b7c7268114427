import { execFileSync } from 'node:child_process';
import { mkdir, rm, truncate, writeFile } from 'node:fs/promises';
import { Agent, request as httpRequest } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { openSocket, requestRaw, untilClosed } from '../../support/raw-http.ts';
import { createSeeded } from '../../support/seeded.ts';
import { startRig, startSlot, stopAll } from './gateway-rig.ts';

afterEach(stopAll);

const SWITCHES = Number(process.env['GATEWAY_SWITCHES'] ?? 12);

type Rig = Awaited<ReturnType<typeof startRig>>;

async function untilHeld({ state }: Rig, held: number): Promise<void> {
  await expect.poll(async () => (await state()).held).toBe(held);
}

describe('a gateway that holds', () => {
  it('sends nothing until the file names a slot, and then all requests in order', async () => {
    const [blue, green] = [await startSlot('blue'), await startSlot('green')];
    const rig = await startRig({ blue, green }, 'hold');
    const replies = [];
    for (let index = 0; index < 5; index += 1) {
      replies.push(fetch(`${rig.url}/${index}`, { method: 'POST', body: 'x' }));
      await untilHeld(rig, index + 1);
    }

    expect(await rig.state()).toMatchObject({ target: 'hold', held: 5, in_flight: 5 });
    await rig.point('green\n');
    const texts = await Promise.all((await Promise.all(replies)).map((reply) => reply.text()));

    expect(texts).toEqual(Array(5).fill('green'));
    expect(green.requests.map(({ url }) => url)).toEqual(['/0', '/1', '/2', '/3', '/4']);
    expect(blue.requests).toEqual([]);
  });

  it.each([
    ['is absent', (path: string) => rm(path)],
    ['is empty', (path: string) => truncate(path)],
    ['is a folder', (path: string) => rm(path).then(() => mkdir(path))],
    ['is a named pipe', (path: string) => rm(path).then(() => void execFileSync('mkfifo', [path]))],
    ['says Blue', (path: string) => writeFile(path, 'Blue')],
    ['has a space', (path: string) => writeFile(path, ' blue')],
    ['has two lines', (path: string) => writeFile(path, 'blue\nblue\n')],
    ['has a NUL', (path: string) => writeFile(path, 'blue\0')],
    ['is long', (path: string) => writeFile(path, 'blue\n'.repeat(10_000))],
    ['says hold', (path: string) => writeFile(path, 'hold\n')],
  ])('holds requests if the coordination file %s', async (_what, change) => {
    const blue = await startSlot('blue');
    const rig = await startRig({ blue });
    expect(await (await fetch(rig.url)).text()).toBe('blue');

    await change(rig.coordination);
    await expect.poll(async () => (await rig.state()).target).toBe('hold');
    const reply = fetch(rig.url);
    await untilHeld(rig, 1);

    expect(blue.requests).toHaveLength(1);
    await rm(rig.coordination, { recursive: true, force: true });
    await rig.point('blue');
    expect(await (await reply).text()).toBe('blue');
  });

  it('accepts a slot name with either line break or without one', async () => {
    const [blue, green] = [await startSlot('blue'), await startSlot('green')];
    const rig = await startRig({ blue, green });
    const seen: string[] = [];

    for (const [text, name] of [
      ['green\r\n', 'green'],
      ['blue\n', 'blue'],
      ['green', 'green'],
    ] as const) {
      await rig.point(text);
      await expect.poll(async () => (await rig.state()).target).toBe(name);
      seen.push(await (await fetch(rig.url)).text());
    }

    expect(seen).toEqual(['green', 'blue', 'green']);
  });

  it('never sends the request of a client that has disconnected', async () => {
    const blue = await startSlot('blue');
    const rig = await startRig({ blue }, 'hold');
    const leaving = new AbortController();
    const left = fetch(`${rig.url}/left`, { method: 'POST', body: 'x', signal: leaving.signal });
    left.catch(() => {});
    await untilHeld(rig, 1);

    leaving.abort();
    await untilHeld(rig, 0);
    await rig.point('blue');
    await expect.poll(async () => (await rig.state()).target).toBe('blue');
    await fetch(`${rig.url}/next`);

    expect(blue.requests.map(({ url }) => url)).toEqual(['/next']);
  });

  it.each([
    ['a part of a long body', 900_000, 500_000],
    ['a long body that is complete', 900_000, 900_000],
  ])('detects at once the disconnect of a client that has sent %s', async (_what, length, sent) => {
    const blue = await startSlot('blue');
    const rig = await startRig({ blue }, 'hold');
    const socket = await openSocket(rig.port);
    socket.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`);
    await untilHeld(rig, 1);
    await new Promise((resolve) => socket.write(Buffer.alloc(sent), resolve));

    socket.destroy();

    await untilHeld(rig, 0);
    expect(await rig.state()).toMatchObject({ target: 'hold', in_flight: 0 });
    expect(blue.requests).toEqual([]);
  });

  it('forwards the whole of a long body that arrived while its request was held', async () => {
    const echo = Buffer.alloc(900_000, 'abc');
    const blue = await startSlot('blue', (_incoming, outgoing, body) => outgoing.end(body));
    const rig = await startRig({ blue }, 'hold');
    const replies = [1, 2, 3, 4, 5].map(() => fetch(rig.url, { method: 'POST', body: echo }));
    await untilHeld(rig, 5);

    await rig.point('blue');

    for (const reply of await Promise.all(replies)) {
      expect(echo.equals(Buffer.from(await reply.arrayBuffer()))).toBe(true);
    }
  });

  it('rejects requests that were held too long, and requests beyond the limit', async () => {
    const rig = await startRig({}, 'hold', { holdMs: 200, maxHeld: 1 });
    const first = fetch(rig.url, { method: 'POST' });
    await untilHeld(rig, 1);

    const second = await fetch(rig.url);

    const reasons = [];
    for (const reply of [second, await first]) {
      const { error } = (await reply.json()) as { error: { bridge_ext: { details: object } } };
      reasons.push([reply.status, reply.headers.get('retry-after'), error.bridge_ext.details]);
    }
    expect(reasons).toEqual([
      [503, '1', expect.objectContaining({ reason: 'held_requests' })],
      [503, '1', expect.objectContaining({ reason: 'hold' })],
    ]);
  });

  it('rejects held requests when it stops', async () => {
    const blue = await startSlot('blue');
    const rig = await startRig({ blue }, 'hold');
    const held = fetch(rig.url, { method: 'POST', body: 'x' });
    await untilHeld(rig, 1);

    await rig.stop();

    expect((await held).status).toBe(503);
    await expect(fetch(rig.url)).rejects.toThrow();
    expect(blue.requests).toEqual([]);
  });

  it('accepts a slow upload that began before the hold, and an upload that begins during the hold', async () => {
    const echo = Buffer.alloc(200_000, 'abc');
    const green = await startSlot('green', (_incoming, outgoing, body) => outgoing.end(body));
    const blue = await startSlot('blue');
    const rig = await startRig({ blue, green });
    const headOnly = await openSocket(rig.port);
    const head = `POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ${echo.length}\r\n\r\n`;
    const [early, late] = [untilClosed(headOnly), await openSocket(rig.port)];
    headOnly.write(head);
    await expect.poll(async () => (await rig.state()).in_flight).toBe(1);

    await rig.point('hold');
    await untilHeld(rig, 1);
    late.write(head);
    late.write(echo.subarray(0, 100_000));
    await untilHeld(rig, 2);
    const lateReply = untilClosed(late);
    await rig.point('green');
    await expect.poll(async () => (await rig.state()).held).toBe(0);
    headOnly.write(echo);
    late.write(echo.subarray(100_000));

    for (const reply of await Promise.all([early, lateReply])) {
      expect(reply.slice(reply.indexOf('\r\n\r\n') + 4) === echo.toString()).toBe(true);
    }
    expect(blue.requests).toEqual([]);
    expect(green.requests).toHaveLength(2);
  });

  it('sends 100 Continue only when a slot accepts the body', async () => {
    const blue = await startSlot('blue', (_incoming, outgoing, body) => outgoing.end(body));
    const rig = await startRig({ blue }, 'hold');
    const request = httpRequest({
      ...{ host: '127.0.0.1', port: rig.port, method: 'POST' },
      headers: { expect: '100-continue', 'content-length': 5 },
    });
    let isAsked = false;
    request.on('continue', () => {
      isAsked = true;
      request.end('hello');
    });
    const replied = new Promise((resolve) => request.once('response', resolve));
    request.flushHeaders();
    await untilHeld(rig, 1);

    const askedWhileHeld = isAsked;
    await rig.point('blue');
    await replied;

    expect([askedWhileHeld, isAsked]).toEqual([false, true]);
    expect(blue.requests[0]?.headers.expect).toBeUndefined();
  });

  it('holds requests again when the active slot has stopped listening', async () => {
    const [blue, green] = [await startSlot('blue'), await startSlot('green')];
    // The file is not polled and a link is not watched, so only a request detects the change.
    const rig = await startRig({ blue, green }, 'blue', { probeMs: 3_600_000 });
    await blue.stop();
    await writeFile(rig.coordination, 'hold');

    const reply = fetch(rig.url, { method: 'POST', body: 'x' });
    await untilHeld(rig, 1);
    await rig.point('green');

    expect(await (await reply).text()).toBe('green');
  });
});

describe('a switch under load', () => {
  it(
    `loses no request and sends each to one slot once, ${SWITCHES} times`,
    async () => {
      const counts = new Map<string, number>();
      const active = { blue: true, green: false };
      const wrong: string[] = [];
      const slot = (name: 'blue' | 'green') =>
        startSlot(name, (incoming, outgoing, body) => {
          const id = body.toString() || (incoming.url ?? '');
          counts.set(id, (counts.get(id) ?? 0) + 1);
          if (!active[name]) wrong.push(`${name} ${id}`);
          setImmediate(() => outgoing.end(id));
        });
      const slots = { blue: await slot('blue'), green: await slot('green') };
      const rig = await startRig(slots);
      const agent = new Agent({ keepAlive: true });
      const lost: string[] = [];
      let sent = 0;
      let isOver = false;
      const client = async () => {
        while (!isOver) {
          sent += 1;
          const id = `/${sent}`;
          const reply = await post(rig.port, agent, id).catch((error) => String(error));
          if (reply !== id) lost.push(`${id}: ${reply}`);
        }
      };
      const clients = Array.from({ length: 16 }, client);
      const random = createSeeded(11);

      let from: 'blue' | 'green' = 'blue';
      for (let switched = 0; switched < SWITCHES; switched += 1) {
        const before = sent;
        await expect.poll(() => sent - before).toBeGreaterThan(random.next(200));
        const to: 'blue' | 'green' = from === 'blue' ? 'green' : 'blue';
        await rig.point('hold');
        await expect.poll(async () => (await rig.state()).target, { interval: 1 }).toBe('hold');
        // Requests that were sent must end, and no new request may arrive.
        await expect
          .poll(async () => rig.state().then(({ held, in_flight }) => in_flight - held), {
            interval: 1,
          })
          .toBe(0);
        active[from] = false;
        active[to] = true;
        await rig.point(to);
        from = to;
      }
      isOver = true;
      await Promise.all(clients);
      agent.destroy();

      expect(lost).toEqual([]);
      expect(wrong).toEqual([]);
      expect([...counts.values()].filter((count) => count !== 1)).toEqual([]);
      expect(counts.size).toBe(sent);
    },
    60_000 + SWITCHES * 2000,
  );
});

/** Every third request has no body. */
function post(port: number, agent: Agent, id: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const hasBody = Number(id.slice(1)) % 3 > 0;
    const options = { host: '127.0.0.1', port, agent, path: id, method: hasBody ? 'POST' : 'GET' };
    const request = httpRequest(options, (reply) => {
      let text = '';
      reply.on('data', (chunk) => {
        text += chunk;
      });
      reply.once('end', () => resolve(text));
    });
    request.once('error', reject).end(hasBody ? id : '');
  });
}

describe('a gateway that receives a request which cannot be forwarded', () => {
  const POST = 'POST / HTTP/1.1\r\nHost: a\r\n';

  it.each([
    ['CONNECT', 'CONNECT other:443 HTTP/1.1\r\nHost: other\r\n\r\n', 405],
    ['two lengths', `${POST}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`, 400],
    [
      'a length and chunks',
      `${POST}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
    ['an unknown encoding', `${POST}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`, 400],
    ['a length that is no number', `${POST}Content-Length: +1\r\n\r\na`, 400],
    ['a space before a colon', `${POST}Content-Length : 1\r\n\r\na`, 400],
    ['a line that is folded', `${POST}X: a\r\n b\r\n\r\n`, 400],
    ['a bare line feed', 'GET / HTTP/1.1\nHost: a\r\nX: y\r\n\r\n', 400],
    ['a chunk with a bad size', `${POST}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, 400],
    ['no Host', 'GET / HTTP/1.1\r\n\r\n', 400],
    ['two Hosts', 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', 400],
    ['an asterisk', 'OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['a long head', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'y'.repeat(70_000)}\r\n\r\n`, 431],
    ['many headers', `GET / HTTP/1.1\r\nHost: a\r\n${'a:b\r\n'.repeat(20_000)}\r\n`, 431],
    ['another expectation', `${POST}Expect: 200-ok\r\n\r\n`, 417],
    ['a body that is too long', `${POST}Content-Length: 1000001\r\n\r\n`, 413],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01', 400],
  ])('rejects %s in the format of the contract', async (what, bytes, status) => {
    const blue = await startSlot('blue');
    const { port } = await startRig({ blue });

    const reply = await requestRaw(port, Buffer.from(bytes, 'latin1'));

    expect(reply.status).toBe(status);
    expect(reply.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    const body = JSON.parse(reply.text);
    expect(body.request_id).toBe(reply.headers['x-request-id']);
    expect(body.error.bridge_ext.code).toBe('invalid_request');
    const bodies = blue.requests.filter(({ complete }) => complete);
    expect(bodies, what).toEqual([]);
  });

  it('aborts a chunked body at the slot when the body becomes too long', async () => {
    let ended = false;
    const blue = await startSlot('blue', () => {
      ended = true;
    });
    const { port } = await startRig({ blue }, 'blue', { maxBodyBytes: 100_000 });
    const chunk = `${(50_000).toString(16)}\r\n${'x'.repeat(50_000)}\r\n`;

    const reply = await requestRaw(
      port,
      `${POST}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(3)}0\r\n\r\n`,
    );

    expect([reply.status, ended]).toEqual([413, false]);
  });

  it('forwards an upgrade request without the upgrade', async () => {
    const blue = await startSlot('blue');
    const { port } = await startRig({ blue });

    const reply = await requestRaw(
      port,
      'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, close\r\nUpgrade: h2c\r\nHTTP2-Settings: x\r\n\r\n',
    );

    expect([reply.status, reply.text]).toEqual([200, 'blue']);
    expect(blue.requests[0]?.headers).not.toHaveProperty('upgrade');
    expect(blue.requests[0]?.headers).not.toHaveProperty('http2-settings');
  });
});
