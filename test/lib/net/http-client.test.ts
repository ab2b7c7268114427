import { once } from 'node:events';
import type { IncomingMessage, RequestListener } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createHttpClient,
  type HttpClient,
  type StreamedBody,
} from '../../../lib/net/http-client.ts';
import { readWhole, withoutKeeping } from '../../../lib/net/response-body.ts';
import { TEST_CERTIFICATE } from '../../support/test-certificate.ts';
import {
  type Origin,
  refusingPort,
  startOrigin,
  startRawOrigin,
  startSecureOrigin,
} from './origin.ts';

const UNSENT = { code: 'upstream', retryable: true, details: {} };
const LOST = { code: 'protocol', retryable: false, details: { outcome: 'unknown' } };
const ONE_MIB = 1_048_576;

let client: HttpClient;
let origins: Origin[];

beforeEach(() => {
  client = createHttpClient();
  origins = [];
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await client.close();
  await Promise.all(origins.map((origin) => origin.close()));
});

async function serving(listener: RequestListener): Promise<Origin> {
  return kept(await startOrigin(listener));
}

async function saying(...said: Parameters<typeof startRawOrigin>): Promise<Origin> {
  return kept(await startRawOrigin(...said));
}

function kept(origin: Origin): Origin {
  origins.push(origin);
  return origin;
}

function get(url: string, more: Partial<Parameters<HttpClient['request']>[1]> = {}) {
  const { signal } = new AbortController();
  return client.request(url, { method: 'GET', headers: {}, signal, ...more });
}

function post(url: string, body: Parameters<HttpClient['request']>[1]['body']) {
  const { signal } = new AbortController();
  return client.request(url, { method: 'POST', headers: {}, body: body ?? '', signal });
}

function streamed(...texts: readonly string[]): StreamedBody {
  return {
    byteLength: texts.join('').length,
    async *chunks() {
      for (const text of texts) yield Buffer.from(text);
    },
  };
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await turn();
}

/** Resolves with the value of `read` when it has not changed for many turns of the event loop. */
async function untilSteady(read: () => number): Promise<number> {
  let last = read();
  for (let same = 0; same < 200; same += 1) {
    await turn();
    if (read() === last && last > 0) continue;
    last = read();
    same = 0;
  }
  return last;
}

describe('createHttpClient', () => {
  it('sends method, path, query and headers, and returns status, headers and body', async () => {
    let seen: Partial<IncomingMessage> = {};
    const { url } = await serving((request, response) => {
      seen = request;
      response.writeHead(418, { 'x-one': 'a', 'set-cookie': ['b', 'c'] }).end('short and stout');
    });

    const response = await get(`${url}/a/b?c=d%20e`, { headers: { 'x-mine': 'yes' } });

    expect(seen).toMatchObject({ method: 'GET', url: '/a/b?c=d%20e' });
    expect(seen.headers).toMatchObject({ 'x-mine': 'yes' });
    expect(response.status).toBe(418);
    expect([
      response.header('x-one'),
      response.header('set-cookie'),
      response.header('x-two'),
    ]).toEqual(['a', 'b, c', undefined]);
    expect(String(await readWhole(response.body, 100))).toBe('short and stout');
  });

  it.each([
    ['text', 'añb', 'añb'],
    ['bytes', Buffer.from('añb'), 'añb'],
    ['chunks', streamed('a', 'b'.repeat(300_000), 'c'), `a${'b'.repeat(300_000)}c`],
    ['no chunks', streamed(), ''],
  ])('sends %s with their length', async (_what, body, expected) => {
    const { url } = await serving(async (request, response) => {
      const got = await buffer(request);
      response.end(`${request.headers['content-length'] === String(got.length)} ${got}`);
    });

    const response = await post(url, body);

    expect(String(await readWhole(response.body, ONE_MIB))).toBe(`true ${expected}`);
  });

  it('requests chunks of a body only as fast as the connection accepts them', async () => {
    const { url } = await serving((request) => void request.pause());
    let made = 0;
    const body: StreamedBody = {
      byteLength: 100 * ONE_MIB,
      async *chunks() {
        for (; made < 100; made += 1) yield Buffer.alloc(ONE_MIB);
      },
    };
    const controller = new AbortController();
    const { signal } = controller;
    const sent = client.request(url, { method: 'POST', headers: {}, body, signal });

    const before = await untilSteady(() => made);

    controller.abort(new Error('enough'));
    await expect(sent).rejects.toThrow('enough');
    expect(before).toBeGreaterThan(0);
    expect(before).toBeLessThan(50);
  });

  it('fails if the request body cannot be read completely', async () => {
    const { url } = await serving((_request, response) => void response.end());
    const body: StreamedBody = {
      byteLength: 10,
      async *chunks() {
        yield Buffer.from('a');
        throw new Error('broken');
      },
    };

    await expect(post(url, body)).rejects.toMatchObject(LOST);
  });

  it('returns a redirect without following it', async () => {
    let calls = 0;
    const { url } = await serving((_request, response) => {
      calls += 1;
      response.writeHead(307, { location: '/elsewhere' }).end();
    });

    const response = await get(url);

    expect([response.status, response.header('location'), calls]).toEqual([307, '/elsewhere', 1]);
  });

  it('aborts a flood of early hints and closes the connection', async () => {
    const hint = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n';
    const origin = await saying(`${hint.repeat(100_000)}HTTP/1.1 200 OK\r\n\r\n`, () => {});

    await expect(get(origin.url)).rejects.toMatchObject(LOST);

    await vi.waitFor(() => expect(origin.open()).toBe(0));
  });

  it('waits for the response that follows an early hint', async () => {
    const { url } = await serving((_request, response) => {
      response.writeEarlyHints({ link: '</a>; rel=preload' }, () => response.end('done'));
    });

    const response = await get(url);

    expect([response.status, String(await readWhole(response.body, 10))]).toEqual([200, 'done']);
  });

  it('uses no proxy of the environment', async () => {
    const dead = `http://127.0.0.1:${await refusingPort()}`;
    for (const name of ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY', 'ALL_PROXY']) {
      vi.stubEnv(name, dead);
    }
    const { url } = await serving((_request, response) => void response.end('direct'));

    const response = await get(url);

    expect(String(await readWhole(response.body, 10))).toBe('direct');
  });

  it('reuses a connection after its response was read', async () => {
    const origin = await serving((_request, response) => void response.end('x'));

    for (let call = 0; call < 3; call += 1) {
      await readWhole((await get(origin.url)).body, 10);
      await turn();
    }

    expect(origin.connections).toHaveLength(1);
  });

  it('runs sixty-four requests to one origin side by side', async () => {
    const waiting: (() => void)[] = [];
    const { url } = await serving((_request, response) => {
      waiting.push(() => response.end());
      if (waiting.length === 64) for (const release of waiting) release();
    });

    const responses = await Promise.all(Array.from({ length: 64 }, () => post(url, 'x')));

    expect(responses.map(({ status }) => status)).toEqual(Array(64).fill(200));
    for (const { body } of responses) body.destroy();
  });

  it('reads only as fast as the caller', async () => {
    let given = 0;
    const { url } = await serving(async (_request, response) => {
      response.on('error', () => undefined);
      for (; given < 64 && !response.destroyed; given += 1) {
        if (!response.write(Buffer.alloc(ONE_MIB))) await once(response, 'drain');
      }
      response.end();
    });

    const { body } = await get(url);
    const chunks = body[Symbol.asyncIterator]();
    await chunks.next();
    let before = -1;
    while (before !== given) {
      before = given;
      for (let turns = 0; turns < 100; turns += 1) await turn();
    }

    expect(given).toBeLessThan(64);
    body.destroy();
  });
});

describe('a request that cannot be sent', () => {
  it.each([
    ['a refused connection', async () => `http://127.0.0.1:${await refusingPort()}`],
    ['a name without an address', async () => 'http://nowhere.invalid/'],
    [
      'a server that speaks no TLS',
      async () => (await serving(() => undefined)).url.replace('http:', 'https:'),
    ],
    [
      'a server that hangs up before TLS is there',
      async () => {
        const origin = await serving(() => undefined);
        void until(() => origin.connections.length > 0).then(() =>
          origin.connections[0]?.destroy(),
        );
        return origin.url.replace('http:', 'https:');
      },
    ],
  ])('fails as never sent: %s', async (_what, prepare) => {
    const url = await prepare();
    const onSending = vi.fn();

    const work = get(url, { onSending });

    await expect(work).rejects.toMatchObject(UNSENT);
    expect(onSending).not.toHaveBeenCalled();
  });

  it('fails as never sent after the client was closed', async () => {
    const { url, connections } = await serving((_request, response) => void response.end());
    await client.close();

    await expect(get(url)).rejects.toMatchObject(UNSENT);
    expect(connections).toHaveLength(0);
  });

  it('does not contain the address in its message', async () => {
    const port = await refusingPort();

    const failure = await get(`http://127.0.0.1:${port}/secret`).catch((error: Error) => error);

    expect(String(failure)).not.toMatch(/127\.0|secret/);
  });
});

describe('a request that was sent', () => {
  const HEAD = 'HTTP/1.1 200 OK\r\n';

  it.each([
    ['the connection closes without an response', ''],
    ['the head breaks off', 'HTTP/1.1 200 OK\r\nx-'],
    ['the response is no HTTP', 'SSH-2.0-OpenSSH_9.9\r\n\r\n'],
    ['the response upgrades to what was not asked for', `HTTP/1.1 101 Up\r\nupgrade: x\r\n\r\n`],
    ['the head is too long', `${HEAD}x: ${'y'.repeat(70_000)}\r\n\r\n`],
  ])('fails with an unknown outcome when %s', async (_what, said) => {
    const { url } = await saying(said, (socket) => socket.end());
    const onSending = vi.fn();

    const work = get(url, { onSending });

    await expect(work).rejects.toMatchObject(LOST);
    expect(onSending).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['the promised length does not come', `${HEAD}content-length: 10\r\n\r\nabc`],
    ['the last chunk does not come', `${HEAD}transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n`],
    ['a chunk makes no sense', `${HEAD}transfer-encoding: chunked\r\n\r\n3\r\nabc\r\nzz\r\n`],
  ])(
    'yields the received bytes and then fails with an unknown outcome when %s',
    async (_what, said) => {
      const { url } = await saying(said, (socket) => socket.end());

      const { body } = await get(url);

      const read = async () => {
        for await (const chunk of body) expect(String(chunk)).toBe('abc');
      };
      await expect(read()).rejects.toMatchObject(LOST);
    },
  );

  it('fails with an unknown outcome when the connection is reset inside the response', async () => {
    const { url } = await saying(`${HEAD}content-length: 10\r\n\r\nabc`, (socket) =>
      socket.resetAndDestroy(),
    );

    const work = get(url).then(({ body }) => readWhole(body, 100));

    await expect(work).rejects.toMatchObject(LOST);
  });

  it('fails with an unknown outcome when its response does not begin in time', async () => {
    const { url } = await saying('', () => undefined);

    await expect(get(url, { headersTimeoutMs: 1 })).rejects.toMatchObject(LOST);
  });

  it('is never sent twice', async () => {
    const origin = await saying('', (socket) => socket.destroy());

    await expect(get(origin.url)).rejects.toMatchObject(LOST);
    await turn();

    expect(origin.connections).toHaveLength(1);
  });

  it('is aborted when the client is closed', async () => {
    const origin = await saying('', () => undefined);
    // Runs after the call, because the library has not finished its own work inside the call.
    const onSending = () => queueMicrotask(() => void client.close());
    const work = get(origin.url, { onSending });

    await expect(work).rejects.toMatchObject(LOST);
    await until(() => origin.connections[0]?.destroyed === true);

    expect(origin.connections).toHaveLength(1);
  });

  it('survives a connection that breaks while nothing reads', async () => {
    const { url, connections } = await saying(
      `${HEAD}content-length: 10\r\n\r\nabc`,
      () => undefined,
    );
    const { body } = await get(url);

    connections[0]?.resetAndDestroy();
    await until(() => connections[0]?.destroyed === true);
    for (let turns = 0; turns < 20; turns += 1) await turn();

    await expect(readWhole(body, 100)).rejects.toMatchObject(LOST);
  });
});

describe('an abort', () => {
  const reason = new Error('given up');

  it('before the request sends nothing', async () => {
    const { url, connections } = await serving(() => undefined);

    await expect(get(url, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(connections).toHaveLength(0);
  });

  it('while there is no connection yet ends the wait at once and sends nothing', async () => {
    // The server accepts connections and never starts the TLS handshake.
    const { url } = await saying('', () => undefined);
    const controller = new AbortController();
    const onSending = vi.fn();

    const work = get(url.replace('http:', 'https:'), { signal: controller.signal, onSending });
    const ended = expect(work).rejects.toBe(reason);
    for (let turns = 0; turns < 20; turns += 1) await turn();
    controller.abort(reason);

    await ended;
    expect(onSending).not.toHaveBeenCalled();
  });

  it('while the connection is being made sends nothing over it', async () => {
    const seen: unknown[] = [];
    const origin = await serving((request) => void seen.push(request));
    const controller = new AbortController();
    const onSending = vi.fn();
    // Loads the library first, because loading would take longer than the abort.
    await get(`http://127.0.0.1:${await refusingPort()}`).catch(() => undefined);

    const work = get(origin.url, { signal: controller.signal, onSending });
    const ended = expect(work).rejects.toBe(reason);
    for (let steps = 0; steps < 10; steps += 1) await Promise.resolve();
    controller.abort(reason);
    await ended;
    await until(() => origin.connections[0]?.destroyed === true);

    expect(onSending).not.toHaveBeenCalled();
    expect(seen).toHaveLength(0);
  });

  it.each(['head', 'body'])('while the %s is awaited closes the connection', async (part) => {
    const controller = new AbortController();
    const origin = await serving((_request, response) => {
      if (part === 'body') response.write('abc');
      else controller.abort(reason);
    });

    const work = get(origin.url, { signal: controller.signal }).then(async ({ body }) => {
      for await (const _chunk of body) controller.abort(reason);
    });

    await expect(work).rejects.toBe(reason);
    await until(() => origin.connections[0]?.destroyed === true);
  });

  it('with a reason that is not an error rejects the reading with it', async () => {
    const controller = new AbortController();
    const { url } = await serving((_request, response) => void response.write('abc'));
    const { body } = await get(url, { signal: controller.signal });

    controller.abort('enough');

    await expect(readWhole(body, 100)).rejects.toBe('enough');
  });

  it('after the end changes nothing and is listened to no longer', async () => {
    const controller = new AbortController();
    const removed = vi.spyOn(controller.signal, 'removeEventListener');
    const { url } = await serving((_request, response) => void response.end('abc'));

    const { body } = await get(url, { signal: controller.signal });
    const bytes = await readWhole(body, 100);
    await turn();
    controller.abort(reason);

    expect(String(bytes)).toBe('abc');
    expect(removed).toHaveBeenCalled();
  });
});

describe('a body', () => {
  it.each(['left in the middle', 'destroyed unread'])(
    'that is %s closes its connection',
    async (how) => {
      const origin = await serving((_request, response) => void response.write('abc'));

      const { body } = await get(origin.url);
      if (how === 'destroyed unread') body.destroy();
      else for await (const _chunk of body) break;

      await until(() => origin.connections[0]?.destroyed === true);
    },
  );
});

describe('readWhole', () => {
  it('aborts a body that is too long and closes the connection', async () => {
    const origin = await serving((_request, response) => void response.write('abcd'));

    const { body } = await get(origin.url);

    expect(await readWhole(body, 3)).toBeUndefined();
    await until(() => origin.connections[0]?.destroyed === true);
  });

  it('returns a body of exactly the maximum length', async () => {
    const { url } = await serving((_request, response) => void response.end('abc'));

    const { body } = await get(url);

    expect(String(await readWhole(body, 3))).toBe('abc');
  });
});

describe('withoutKeeping', () => {
  it('frees the memory of a long chunk when the next one has been read', async () => {
    const { url } = await serving((_request, response) => void response.end('a'.repeat(ONE_MIB)));
    const { body } = await get(url);
    const chunks: Buffer[] = [];

    for await (const chunk of withoutKeeping(body)) chunks.push(chunk);

    const kept = chunks.filter(({ buffer }) => buffer.byteLength > 0);
    expect(kept.length).toBeLessThan(chunks.length / 2);
    expect(kept).toContain(chunks.at(-1));
  });

  it.each([
    ['http', startOrigin],
    ['https', startSecureOrigin],
  ])(
    'reads all bytes over %s, in whatever parts they arrive and however slow the reader is',
    async (_scheme, start) => {
      const parts = fc.array(fc.nat({ max: 90_000 }), { minLength: 1, maxLength: 12 });
      const pauses = fc.infiniteStream(fc.nat({ max: 2 }));
      const { url } = kept(
        await start(async (request, response) => {
          for (const part of JSON.parse(decodeURI(request.url?.slice(1) ?? ''))) {
            response.write(bytesFrom(part));
            if (part % 2 === 0) await turn();
          }
          response.end();
        }),
      );
      await client.close();
      client = createHttpClient({ ca: TEST_CERTIFICATE });
      const check = async (lengths: readonly number[], turns: Iterator<number>) => {
        const { body } = await get(`${url}/${encodeURI(JSON.stringify(lengths))}`);
        const read: Buffer[] = [];
        for await (const chunk of withoutKeeping(body)) {
          read.push(Buffer.from(chunk));
          for (let left = turns.next().value; left > 0; left -= 1) await turn();
        }
        expect(Buffer.concat(read).equals(Buffer.concat(lengths.map(bytesFrom)))).toBe(true);
      };

      await fc.assert(fc.asyncProperty(parts, pauses, check), { numRuns: 30 });
    },
  );

  it('frees no memory of a pool that other buffers share', async () => {
    const shared = Buffer.from('shared by others');
    const long = Buffer.alloc(Buffer.poolSize);
    async function* chunks() {
      yield shared.subarray(0, 6);
      yield long;
      yield shared.subarray(7);
    }

    for await (const _chunk of withoutKeeping({ [Symbol.asyncIterator]: chunks, destroy() {} }));

    expect([shared.toString(), long.length]).toEqual(['shared by others', 0]);
  });
});

/** Returns that many bytes, which depend on the number. */
function bytesFrom(length: number): Buffer {
  return Buffer.from(Array.from({ length }, (_, at) => (at * length) % 251));
}
