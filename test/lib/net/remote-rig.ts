import type { LookupAddress } from 'node:dns';
import type { RequestListener } from 'node:http';
import type { LookupFunction } from 'node:net';
import { createHttpClient } from '../../../lib/net/http-client.ts';
import { createRemoteFetch, type RemotePolicy } from '../../../lib/net/remote-fetch.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { TEST_CERTIFICATE } from '../../support/test-certificate.ts';
import { type Origin, startSecureOrigin } from './origin.ts';

/** Public addresses that are redirected to loopback in these tests. Connections to other addresses are unchanged. */
export const PUBLIC_ADDRESS = '93.184.215.14';
export const PUBLIC_ADDRESS_6 = '2606:2800:21f:cb07:6820:80da:af6b:8b2c';

export type RemoteRig = Awaited<ReturnType<typeof openRemoteRig>>;

/** A fetch function, a scripted resolver, and a server that counts its connections. */
export async function openRemoteRig(listener: RequestListener) {
  const origin = await startSecureOrigin(listener);
  const clock = createManualClock();
  const resolver = scriptedResolver();
  const origins: Origin[] = [origin];
  let clients = 0;

  return {
    origin,
    clock,
    resolver,
    /** The number of connections that were allowed to start. */
    clients: () => clients,
    /** Starts an additional server with the same rules. */
    async add(another: RequestListener): Promise<Origin> {
      const added = await startSecureOrigin(another);
      origins.push(added);
      return added;
    },
    fetcher(rules: Partial<RemotePolicy> = {}) {
      return createRemoteFetch({
        clock,
        lookup: resolver.lookup,
        policy: {
          allowed_hosts: ['images.test'],
          allowed_ports: origins.map(({ port }) => port),
          allow_private_networks: false,
          max_redirects: 3,
          timeout_ms: 20_000,
          ...rules,
        },
        openClient(connecting = {}) {
          clients += 1;
          const lookup = connecting.lookup && viaLoopback(connecting.lookup);
          return createHttpClient({ ca: TEST_CERTIFICATE, ...(lookup ? { lookup } : {}) });
        },
      });
    },
    async close(): Promise<void> {
      await Promise.all(origins.map((one) => one.close()));
    },
  };
}

/** A scripted resolver. A name resolves to its lists one after the other, and the last list stays. */
function scriptedResolver() {
  const addresses = new Map<string, (readonly string[])[]>();
  const asked: string[] = [];
  return {
    asked,
    set(name: string, ...lists: (readonly string[])[]): void {
      addresses.set(name, lists);
    },
    async lookup(name: string): Promise<readonly LookupAddress[]> {
      asked.push(name);
      const [next, ...later] = addresses.get(name) ?? [];
      if (next === undefined) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
      if (later.length > 0) addresses.set(name, later);
      return next.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    },
  };
}

function viaLoopback(lookup: LookupFunction): LookupFunction {
  const isPublic = (address: string) => [PUBLIC_ADDRESS, PUBLIC_ADDRESS_6].includes(address);
  return (name, options, callback) =>
    lookup(name, options, (error, found, family) => {
      const list = typeof found === 'string' ? [{ address: found, family: family ?? 4 }] : found;
      const moved = list.map((one) =>
        isPublic(one.address) ? { address: '127.0.0.1', family: 4 } : one,
      );
      if (options.all) callback(error, moved);
      else callback(error, moved[0]?.address ?? '', moved[0]?.family);
    });
}
