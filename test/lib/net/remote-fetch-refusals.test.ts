import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Origin } from './origin.ts';
import { openRemoteRig, PUBLIC_ADDRESS, type RemoteRig } from './remote-rig.ts';

const forever = new AbortController().signal;
const LIMIT = 1000;

/** Hosts in URL notation that lead to this machine or to a private network. */
const BAD_HOSTS = [
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0177.0.0.1',
  '017700000001',
  '0x7f.0.0.1',
  '0x7f000001',
  '169.254.169.254',
  '2852039166',
  '0251.0376.0251.0376',
  '0.0.0.0',
  '0',
  '10.0.0.1',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:10.0.0.1]',
  '[::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[fe80::1]',
];

/** Private addresses that a resolver may return for a public name. */
const BAD_ADDRESSES = [
  '127.0.0.1',
  '169.254.169.254',
  '0.0.0.0',
  '10.0.0.1',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:10.0.0.1',
  'fd00::1',
  'fe80::1%lo',
];

let rig: RemoteRig;
let target: Origin;

beforeEach(async () => {
  rig = await openRemoteRig((request, response) => {
    const location = decodeURIComponent((request.url ?? '').slice('/?to='.length));
    response.writeHead(302, { location }).end();
  });
  target = await rig.add((_request, response) => response.end('reached'));
  rig.resolver.set('images.test', [PUBLIC_ADDRESS]);
});
afterEach(() => rig.close());

/** The host in the form of the URL parser, as an operator's list could contain it. */
const listed = (host: string) => new URL(`https://${host}/`).hostname;
const redirectTo = (url: string) =>
  `https://images.test:${rig.origin.port}/?to=${encodeURIComponent(url)}`;

describe('createRemoteFetch, where nothing may be reached', () => {
  it.each(BAD_HOSTS)('does not connect to https://%s, even if the host is listed', async (host) => {
    const fetchRemote = rig.fetcher({ allowed_hosts: [listed(host)] });

    const fetched = await fetchRemote(`https://${host}:${target.port}/`, LIMIT, forever);

    expect(fetched).toEqual({ ok: false, fault: 'address_not_allowed' });
    expect([rig.clients(), target.connections.length]).toEqual([0, 0]);
  });

  it.each(BAD_ADDRESSES)('does not connect to a name that resolves to %s', async (address) => {
    rig.resolver.set('images.test', [address]);

    const fetched = await rig.fetcher()(`https://images.test:${target.port}/`, LIMIT, forever);

    expect(fetched).toEqual({ ok: false, fault: 'address_not_allowed' });
    expect([rig.clients(), target.connections.length]).toEqual([0, 0]);
  });

  it.each(BAD_ADDRESSES)('does not connect to a name that also resolves to %s', async (address) => {
    rig.resolver.set('images.test', [PUBLIC_ADDRESS, address]);

    const fetched = await rig.fetcher()(`https://images.test:${target.port}/`, LIMIT, forever);

    expect(fetched).toEqual({ ok: false, fault: 'address_not_allowed' });
    expect([rig.clients(), target.connections.length]).toEqual([0, 0]);
  });

  it.each(BAD_HOSTS)('does not follow a redirect to https://%s', async (host) => {
    const bad = `https://${host}:${target.port}/`;

    const unlisted = await rig.fetcher()(redirectTo(bad), LIMIT, forever);
    const listing = rig.fetcher({ allowed_hosts: ['images.test', listed(host)] });
    const evenListed = await listing(redirectTo(bad), LIMIT, forever);

    expect(unlisted).toEqual({ ok: false, fault: 'host_not_allowed' });
    expect(evenListed).toEqual({ ok: false, fault: 'address_not_allowed' });
    expect(rig.origin.connections).toHaveLength(2);
    expect([rig.clients(), target.connections.length]).toEqual([2, 0]);
  });

  it.each(BAD_ADDRESSES)(
    'does not follow a redirect to a name that resolves to %s',
    async (address) => {
      rig.resolver.set('other.test', [address]);
      const fetchRemote = rig.fetcher({ allowed_hosts: ['images.test', 'other.test'] });

      const fetched = await fetchRemote(
        redirectTo(`https://other.test:${target.port}/`),
        LIMIT,
        forever,
      );

      expect(fetched).toEqual({ ok: false, fault: 'address_not_allowed' });
      expect([rig.clients(), target.connections.length]).toEqual([1, 0]);
    },
  );

  it('connects to the checked address even if the name resolves to another address later', async () => {
    rig.resolver.set('images.test', [PUBLIC_ADDRESS], ['127.0.0.9']);

    const fetched = await rig.fetcher({ max_redirects: 0 })(redirectTo('/'), LIMIT, forever);

    expect(fetched).toEqual({ ok: false, fault: 'too_many_redirects' });
    expect(rig.resolver.asked).toEqual(['images.test']);
    expect(rig.origin.connections).toHaveLength(1);
  });

  it('checks a name again after a redirect to the same name', async () => {
    rig.resolver.set('images.test', [PUBLIC_ADDRESS], ['127.0.0.1']);

    const fetched = await rig.fetcher()(
      redirectTo(`https://images.test:${target.port}/`),
      LIMIT,
      forever,
    );

    expect(fetched).toEqual({ ok: false, fault: 'address_not_allowed' });
    expect([rig.clients(), target.connections.length]).toEqual([1, 0]);
  });

  it('rejects http', async () => {
    const fetched = await rig.fetcher()(
      redirectTo(`http://images.test:${target.port}/`),
      LIMIT,
      forever,
    );

    expect(fetched).toEqual({ ok: false, fault: 'not_an_https_url' });
    expect(target.connections).toHaveLength(0);
  });

  it.each(['127.0.0.1', '2130706433', '0177.0.0.1', '0x7f.1'])(
    'reaches https://%s where the operator has opened private networks',
    async (host) => {
      const fetchRemote = rig.fetcher({
        allowed_hosts: ['127.0.0.1'],
        allow_private_networks: true,
      });

      const fetched = await fetchRemote(`https://${host}:${target.port}/`, LIMIT, forever);

      expect(fetched).toEqual({ ok: true, bytes: Buffer.from('reached') });
      expect(target.connections).toHaveLength(1);
    },
  );
});
