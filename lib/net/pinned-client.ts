import type { LookupAddress } from 'node:dns';
import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { abortable } from '../platform/abortable.ts';
import { createHttpClient, type HttpClient } from './http-client.ts';

export interface PinnedDeps {
  /** Resolves with all addresses of a host name. Rejects if the name has no address. */
  readonly lookup?: (name: string) => Promise<readonly LookupAddress[]>;
  readonly openClient?: typeof createHttpClient;
}

export type AddressFault = 'unknown_host' | 'address_not_allowed';

type Opened =
  | { readonly ok: true; readonly client: HttpClient }
  | { readonly ok: false; readonly fault: AddressFault };

/** Creates the function that opens clients for single hosts. A client connects only to addresses that were checked before. */
export function createPinnedClients({
  lookup = (name) => systemLookup(name, { all: true }),
  openClient = createHttpClient,
}: PinnedDeps) {
  /** Resolves with the addresses of a host, or with an empty list if the name cannot be resolved. */
  async function addressesOf(hostname: string): Promise<readonly LookupAddress[]> {
    const literal = hostname.replace(/^\[|\]$/g, '');
    const family = isIP(literal);
    return family === 0 ? lookup(hostname).catch(() => []) : [{ address: literal, family }];
  }

  /**
   * Resolves with a client for a host in the form of `URL.hostname`. The caller must close the client. Rejects with the reason
   * of the signal on abort.
   */
  return async function openPinned(
    hostname: string,
    isAllowed: (address: string) => boolean,
    signal: AbortSignal,
  ): Promise<Opened> {
    const addresses = await abortable(addressesOf(hostname), signal);
    if (addresses.length === 0) return { ok: false, fault: 'unknown_host' };
    // One forbidden address is enough to reject the host, because a connection might use that address.
    if (!addresses.every(({ address }) => isAllowed(address))) {
      return { ok: false, fault: 'address_not_allowed' };
    }
    return { ok: true, client: openClient({ lookup: pinnedTo(addresses) }) };
  };
}

/** Creates a resolver that returns these addresses even if the name resolves differently at the time of the connection. */
function pinnedTo(addresses: readonly LookupAddress[]): LookupFunction {
  return (_name, options, callback) => {
    const [first] = addresses;
    if (options.all || first === undefined) callback(null, [...addresses]);
    else callback(null, first.address, first.family);
  };
}
