import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { createHttpClient } from '../../../lib/net/http-client.ts';
import { createPostWebhook } from '../../../lib/webhooks/webhook-deliveries.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { TEST_CERTIFICATE } from '../../support/test-certificate.ts';
import {
  type Origin,
  refusingPort,
  startOrigin,
  startRawOrigin,
  startSecureOrigin,
} from '../net/origin.ts';

const forever = new AbortController().signal;
const PUBLIC = '93.184.215.14';
const MESSAGE = { headers: { 'webhook-id': 'message' }, body: '{"type":"job.succeeded"}' };

const clock = createManualClock();
const origins: Origin[] = [];

afterEach(async () => {
  await Promise.all(origins.splice(0).map((origin) => origin.close()));
});

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await turn();
}

async function started(listener: RequestListener, start = startOrigin): Promise<Origin> {
  const origin = await start(listener);
  origins.push(origin);
  return origin;
}

const replying = (status: number, headers = {}, body = '') =>
  started((_request, response) => response.writeHead(status, headers).end(body));

const hostOf = (url: string) => new URL(url).host;

function posting(hosts: readonly string[], allow_private_networks = false) {
  return createPostWebhook({
    clock,
    settings: { allowed_hosts: [...hosts], allow_private_networks },
  });
}

describe('createPostWebhook', () => {
  test('a message is sent to an allowed address on loopback', async () => {
    const seen: { url?: string | undefined; headers?: IncomingHttpHeaders; body: string } = {
      body: '',
    };
    const { url } = await started(async (request, response) => {
      seen.url = request.url;
      seen.headers = request.headers;
      for await (const chunk of request) seen.body += chunk;
      response.writeHead(204).end();
    });

    const status = await posting([hostOf(url)])(`${url}/ends?of=jobs#part`, MESSAGE, forever);

    expect(status).toBe(204);
    expect(seen).toEqual({
      url: '/ends?of=jobs',
      body: MESSAGE.body,
      headers: {
        host: hostOf(url),
        connection: 'keep-alive',
        'content-type': 'application/json',
        'content-length': String(MESSAGE.body.length),
        'user-agent': 'image-bridge',
        'webhook-id': 'message',
      },
    });
  });

  test('a redirect is not followed', async () => {
    const other = await replying(200);
    const { url } = await replying(307, { location: other.url });

    const status = await posting([hostOf(url), hostOf(other.url)])(url, MESSAGE, forever);

    expect(status).toBe(307);
    expect(other.connections).toEqual([]);
  });

  test.each([
    ['HTTP/1.1 999 Odd', 999],
    ['HTTP/1.1 099 Early', undefined],
    ['HTTP/1.1 2000 Long', undefined],
    ['HTTP/1.1 OK', undefined],
    ['220 mail.test ESMTP', undefined],
    [`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}`, undefined],
    ['HTTP/1.1 101 Switching Protocols\r\nupgrade: other\r\nconnection: upgrade', undefined],
  ])('the reply %j has the status %j', async (head, expected) => {
    const origin = await startRawOrigin(`${head}\r\n\r\n`, (socket) => socket.end());
    origins.push(origin);

    expect(await posting([hostOf(origin.url)])(origin.url, MESSAGE, forever)).toBe(expected);
    await until(() => origin.open() === 0);
  });

  test('only the head of an endless reply is read', async () => {
    const origin = await started((_request, response) => {
      const write = () => {
        while (response.write('x'.repeat(65_536)));
      };
      response.writeHead(200).on('drain', write);
      write();
    });

    expect(await posting([hostOf(origin.url)])(origin.url, MESSAGE, forever)).toBe(200);
    await until(() => origin.open() === 0);
  });

  test('an attempt ends after 15 s if the receiver does not reply', async () => {
    let isAsked = false;
    const origin = await started(() => {
      isAsked = true;
    });
    let status: number | undefined = 0;
    const posted = posting([hostOf(origin.url)])(origin.url, MESSAGE, forever).then((got) => {
      status = got;
    });
    await until(() => isAsked);

    await clock.advance(14_999);
    expect(status).toBe(0);
    await clock.advance(1);
    await posted;

    expect(status).toBeUndefined();
    await until(() => origin.open() === 0);
  });

  test('an attempt ends after 15 s if the name is not resolved', async () => {
    const post = createPostWebhook({
      clock,
      settings: { allowed_hosts: ['hooks.test'], allow_private_networks: false },
      lookup: () => new Promise(() => {}),
    });
    const posted = post('https://hooks.test/', MESSAGE, forever);

    await clock.advance(15_000);

    expect(await posted).toBeUndefined();
  });

  test('an abort closes the connection and rejects with its reason', async () => {
    let isAsked = false;
    const origin = await started(() => {
      isAsked = true;
    });
    const stop = new AbortController();
    const posted = posting([hostOf(origin.url)])(origin.url, MESSAGE, stop.signal);
    await until(() => isAsked);

    stop.abort(new Error('the bridge stops'));

    await expect(posted).rejects.toThrow('the bridge stops');
    await until(() => origin.open() === 0);
  });

  test('an attempt without a connection has no status', async () => {
    const url = `http://127.0.0.1:${await refusingPort()}`;

    expect(await posting([hostOf(url)])(url, MESSAGE, forever)).toBeUndefined();
  });

  test('no request is sent to a host that is not allowed any more', async () => {
    const origin = await replying(200);

    expect(await posting(['hooks.test'])(origin.url, MESSAGE, forever)).toBeUndefined();
    expect(origin.connections).toEqual([]);
  });

  test('a name is reached at its checked public addresses, even if it resolves differently later', async () => {
    const lookups: string[] = [];
    const connected: string[] = [];
    const origin = await started((_request, response) => response.end(), startSecureOrigin);
    const host = `images.test:${origin.port}`;
    const post = createPostWebhook({
      clock,
      settings: { allowed_hosts: [host], allow_private_networks: false },
      async lookup(name) {
        lookups.push(name);
        return [{ address: lookups.length === 1 ? PUBLIC : '10.0.0.1', family: 4 }];
      },
      openClient: (options = {}) =>
        createHttpClient({
          ca: TEST_CERTIFICATE,
          lookup(name, how, callback) {
            options.lookup?.(name, { ...how, all: false }, (_error, address) => {
              connected.push(String(address));
            });
            callback(null, how.all ? [{ address: '127.0.0.1', family: 4 }] : '127.0.0.1', 4);
          },
        }),
    });

    expect(await post(`https://${host}/`, MESSAGE, forever)).toBe(200);
    expect(lookups).toEqual(['images.test']);
    expect(connected).toEqual([PUBLIC]);
  });

  test.each([
    ['loopback', ['127.0.0.1'], false],
    ['loopback, where private networks are allowed', ['127.0.0.1'], true],
    ['a private network', ['10.1.2.3'], false],
    ['a link-local address', ['169.254.169.254'], false],
    ['a public and a private address', [PUBLIC, '192.168.1.1'], false],
    ['an address that maps to loopback', ['::ffff:127.0.0.1'], false],
    ['nothing', [], false],
  ])(
    'no request is sent to a name that resolves to %s',
    async (_what, addresses, allow_private_networks) => {
      let clients = 0;
      const post = createPostWebhook({
        clock,
        settings: { allowed_hosts: ['hooks.test'], allow_private_networks },
        lookup: async () => addresses.map((address) => ({ address, family: 4 })),
        openClient: () => {
          clients += 1;
          return createHttpClient();
        },
      });

      expect(await post('https://hooks.test/', MESSAGE, forever)).toBeUndefined();
      expect(clients).toBe(0);
    },
  );

  test('no request is sent to localhost if it resolves to another machine', async () => {
    const post = createPostWebhook({
      clock,
      settings: { allowed_hosts: ['localhost'], allow_private_networks: true },
      lookup: async () => [{ address: '192.168.1.1', family: 4 }],
    });

    expect(await post('http://localhost/', MESSAGE, forever)).toBeUndefined();
  });
});
