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

/** The reason why no connection is made to a host. */
export type AddressFault = 'unknown_host' | 'address_not_allowed';

type Opened =
  | { readonly ok: true; readonly client: HttpClient }
  | { readonly ok: false; readonly fault: AddressFault };

/**
 * Creates the function that opens a client for a single host. The client connects only to addresses that were checked before.
 */
export function createPinnedClients({
  lookup = (name) => systemLookup(name, { all: true }),
  openClient = createHttpClient,
}: PinnedDeps) {
  /**
   * Returns the addresses of a host, or an empty list if the name cannot be resolved. An IP address is returned without a
   * lookup.
   */
  async function addressesOf(
    hostname: string,
    signal: AbortSignal,
  ): Promise<readonly LookupAddress[]> {
    const literal = hostname.replace(/^\[|\]$/g, '');
    const family = isIP(literal);
    if (family !== 0) return [{ address: literal, family }];
    return abortable(
      lookup(hostname).catch(() => []),
      signal,
    );
  }

  /**
   * Resolves with a client for a host in the form of `URL.hostname`. The caller closes the client. Rejects with the signal's
   * reason on abort.
   */
  return async function openPinned(
    hostname: string,
    isAllowed: (address: string) => boolean,
    signal: AbortSignal,
  ): Promise<Opened> {
    const addresses = await addressesOf(hostname, signal);
    if (addresses.length === 0) return { ok: false, fault: 'unknown_host' };
    // A single forbidden address is sufficient to reject the host, because a connection might use that address.
    if (!addresses.every(({ address }) => isAllowed(address))) {
      return { ok: false, fault: 'address_not_allowed' };
    }
    return { ok: true, client: openClient({ lookup: pinnedTo(addresses) }) };
  };
}

/**
 * Returns a resolver that always returns these addresses, even if the name resolves differently at the time of the
 * connection.
 */
function pinnedTo(addresses: readonly LookupAddress[]): LookupFunction {
  return (_name, options, callback) => {
    const [first] = addresses;
    if (options.all || first === undefined) callback(null, [...addresses]);
    else callback(null, first.address, first.family);
  };
}
