import type { IncomingMessage, RequestListener } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createRemoteFetch } from '../../../lib/net/remote-fetch.ts';
import { refusingPort } from './origin.ts';
import { openRemoteRig, PUBLIC_ADDRESS, PUBLIC_ADDRESS_6, type RemoteRig } from './remote-rig.ts';

const forever = new AbortController().signal;
const LIMIT = 1000;
const BYTES = Buffer.from('the bytes of an image');

let rig: RemoteRig;

afterEach(async () => {
  vi.unstubAllEnvs();
  await rig.close();
});

async function serving(listener: RequestListener): Promise<RemoteRig> {
  rig = await openRemoteRig(listener);
  rig.resolver.set('images.test', [PUBLIC_ADDRESS]);
  return rig;
}

const addressOf = (path = '/a.png', host = 'images.test') =>
  `https://${host}:${rig.origin.port}${path}`;

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await turn();
}

describe('createRemoteFetch', () => {
  it('returns the bytes of a URL', async () => {
    await serving((_request, response) => response.end(BYTES));

    const fetched = await rig.fetcher()(addressOf(), LIMIT, forever);

    expect(fetched).toEqual({ ok: true, bytes: BYTES });
    expect(rig.resolver.asked).toEqual(['images.test']);
  });

  it('sends the host name of the URL and no data of the caller', async () => {
    let seen: IncomingMessage | undefined;
    await serving((request, response) => {
      seen = request;
      response.end(BYTES);
    });

    await rig.fetcher()(addressOf('/a%20b.png?c=d#e'), LIMIT, forever);

    expect(seen?.url).toBe('/a%20b.png?c=d');
    expect(seen?.headers).toEqual({
      host: `images.test:${rig.origin.port}`,
      connection: 'keep-alive',
      accept: 'image/png, image/jpeg, image/webp',
      'accept-encoding': 'identity',
      'user-agent': 'image-bridge',
    });
  });

  it('uses no proxy of the environment', async () => {
    await serving((_request, response) => response.end(BYTES));
    const dead = `http://127.0.0.1:${await refusingPort()}`;
    for (const name of ['https_proxy', 'HTTPS_PROXY', 'ALL_PROXY']) vi.stubEnv(name, dead);

    expect(await rig.fetcher()(addressOf(), LIMIT, forever)).toMatchObject({ ok: true });
  });

  it('connects to another address of the same name if the first address refuses', async () => {
    await serving((_request, response) => response.end(BYTES));
    // The origin listens at one loopback address only.
    rig.resolver.set('images.test', ['127.0.0.9', '127.0.0.1']);

    const fetched = await rig.fetcher({ allow_private_networks: true })(
      addressOf(),
      LIMIT,
      forever,
    );

    expect(fetched).toEqual({ ok: true, bytes: BYTES });
  });

  it('connects to an IP address in the URL without a lookup', async () => {
    await serving((_request, response) => response.end(BYTES));
    const fetchRemote = rig.fetcher({
      allowed_hosts: ['127.0.0.1'],
      allow_private_networks: true,
    });

    const fetched = await fetchRemote(addressOf('/', '127.0.0.1'), LIMIT, forever);

    expect(fetched).toEqual({ ok: true, bytes: BYTES });
    expect(rig.resolver.asked).toEqual([]);
  });

  it('resolves names as the operating system does', async () => {
    await serving((_request, response) => response.end(BYTES));
    const fetchRemote = createRemoteFetch({
      clock: rig.clock,
      policy: {
        allowed_hosts: ['localhost'],
        allowed_ports: [rig.origin.port],
        allow_private_networks: false,
        max_redirects: 0,
        timeout_ms: 20_000,
      },
    });

    const fetched = await fetchRemote(addressOf('/', 'localhost'), LIMIT, forever);

    expect(fetched).toEqual({ ok: false, fault: 'address_not_allowed' });
  });

  it.each([301, 302, 303, 307, 308])('follows a redirect of status %i', async (status) => {
    await serving((request, response) => {
      if (request.url === '/b.png') response.end(BYTES);
      else response.writeHead(status, { location: '/b.png' }).end();
    });

    const fetched = await rig.fetcher()(addressOf(), LIMIT, forever);

    expect(fetched).toEqual({ ok: true, bytes: BYTES });
  });

  it.each([
    [1, 1, { ok: true, bytes: BYTES }],
    [1, 2, { ok: false, fault: 'too_many_redirects' }],
    [3, 3, { ok: true, bytes: BYTES }],
    [3, 4, { ok: false, fault: 'too_many_redirects' }],
  ])(
    'follows, with a limit of %i, a chain of %i redirects or rejects it',
    async (limit, count, expected) => {
      let left = count;
      await serving((_request, response) => {
        if (left === 0) response.end(BYTES);
        else response.writeHead(302, { location: '/again' }).end();
        left -= 1;
      });

      const fetched = await rig.fetcher({ max_redirects: limit })(addressOf(), LIMIT, forever);

      expect(fetched).toEqual(expected);
    },
  );

  it('follows a redirect to another allowed host under that host’s name', async () => {
    await serving((_request, response) =>
      response.writeHead(302, { location: `https://other.test:${other.port}/` }).end(),
    );
    const hosts: (string | undefined)[] = [];
    const other = await rig.add((request, response) => {
      hosts.push(request.headers.host);
      response.end(BYTES);
    });
    rig.resolver.set('other.test', [PUBLIC_ADDRESS_6]);
    const fetchRemote = rig.fetcher({ allowed_hosts: ['images.test', 'other.test'] });

    const fetched = await fetchRemote(addressOf(), LIMIT, forever);

    expect(fetched).toEqual({ ok: true, bytes: BYTES });
    expect(hosts).toEqual([`other.test:${other.port}`]);
  });

  it.each<[string, object, RequestListener]>([
    [
      'a response that is no image',
      { fault: 'status_not_ok', status: 404 },
      (_request, response) => response.writeHead(404).end('no'),
    ],
    [
      'a part of the image',
      { fault: 'status_not_ok', status: 206 },
      (_request, response) => response.writeHead(206).end('no'),
    ],
    [
      'a choice',
      { fault: 'status_not_ok', status: 300 },
      (_request, response) => response.writeHead(300, { location: '/b' }).end(),
    ],
    [
      'a redirect to nowhere',
      { fault: 'redirect_without_target' },
      (_request, response) => response.writeHead(302).end(),
    ],
    [
      'an encoded body',
      { fault: 'content_encoded' },
      (_request, response) =>
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(BYTES)),
    ],
    [
      'a body that says that it is too long',
      { fault: 'too_many_bytes' },
      (_request, response) => response.writeHead(200, { 'content-length': LIMIT + 1 }).write('x'),
    ],
    [
      'a body that becomes too long',
      { fault: 'too_many_bytes' },
      (_request, response) => void response.write(Buffer.alloc(LIMIT + 1)),
    ],
    [
      'a body that breaks off',
      { fault: 'broken_off' },
      (_request, response) => {
        response.writeHead(200, { 'content-length': LIMIT });
        response.write('x', () => response.destroy());
      },
    ],
    [
      'a response that is no valid HTTP',
      { fault: 'broken_off' },
      (request) => void request.socket.end('no HTTP at all\r\n\r\n'),
    ],
  ])('reports the fault of %s and closes the connection', async (_, fault, listener) => {
    await serving(listener);

    const fetched = await rig.fetcher()(addressOf(), LIMIT, forever);

    expect(fetched).toEqual({ ok: false, ...fault });
    await until(() => rig.origin.open() === 0);
  });

  it('accepts a body of exactly the limit in any chunks', async () => {
    await serving((_request, response) => {
      response.write(Buffer.alloc(LIMIT - 1));
      response.end('x');
    });

    const fetched = await rig.fetcher()(addressOf(), LIMIT, forever);

    expect(fetched.ok && fetched.bytes.length).toBe(LIMIT);
  });

  it('reports that no server listens', async () => {
    await serving((_request, response) => response.end(BYTES));
    const port = await refusingPort();
    const fetchRemote = rig.fetcher({ allowed_ports: [port] });

    const fetched = await fetchRemote(`https://images.test:${port}/`, LIMIT, forever);

    expect(fetched).toEqual({ ok: false, fault: 'unreachable' });
  });

  it('sends nothing to a server whose certificate names another host', async () => {
    let requests = 0;
    await serving((_request, response) => {
      requests += 1;
      response.end(BYTES);
    });
    rig.resolver.set('stranger.test', [PUBLIC_ADDRESS]);
    const fetchRemote = rig.fetcher({ allowed_hosts: ['stranger.test'] });

    const fetched = await fetchRemote(addressOf('/', 'stranger.test'), LIMIT, forever);

    expect(fetched).toEqual({ ok: false, fault: 'unreachable' });
    expect(requests).toBe(0);
  });

  it.each<[string, RequestListener]>([
    ['the response does not begin', () => undefined],
    ['the response does not end', (_request, response) => void response.write('x')],
  ])('times out when %s in time', async (_, listener) => {
    let reached = false;
    await serving((request, response) => {
      reached = true;
      return listener(request, response);
    });

    const fetching = rig.fetcher({ timeout_ms: 500 })(addressOf(), LIMIT, forever);
    await until(() => reached);
    await rig.clock.advance(500);

    expect(await fetching).toEqual({ ok: false, fault: 'timed_out' });
    await until(() => rig.origin.open() === 0);
  });

  it('times out if the resolver does not reply', async () => {
    await serving((_request, response) => response.end(BYTES));
    const { clock } = rig;
    const fetchRemote = createRemoteFetch({
      clock,
      lookup: () => new Promise(() => {}),
      policy: {
        allowed_hosts: ['images.test'],
        allowed_ports: [443],
        allow_private_networks: false,
        max_redirects: 0,
        timeout_ms: 500,
      },
    });

    const fetching = fetchRemote('https://images.test/', LIMIT, forever);
    await clock.advance(500);

    expect(await fetching).toEqual({ ok: false, fault: 'timed_out' });
  });

  it('leaves no timer', async () => {
    await serving((_request, response) => response.end(BYTES));

    await rig.fetcher()(addressOf(), LIMIT, forever);

    expect(rig.clock.waiting).toBe(0);
  });

  it('rejects with the reason of the abort, before and during the fetch', async () => {
    let reached = false;
    await serving(() => {
      reached = true;
    });
    const reason = new Error('the client has left');
    const client = new AbortController();

    const before = rig.fetcher()(addressOf(), LIMIT, AbortSignal.abort(reason));
    await expect(before).rejects.toBe(reason);
    const during = rig.fetcher()(addressOf(), LIMIT, client.signal);
    await until(() => reached);
    client.abort(reason);

    await expect(during).rejects.toBe(reason);
    expect(rig.origin.connections).toHaveLength(1);
  });
});
