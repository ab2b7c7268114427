import type { LookupAddress } from 'node:dns';
import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { abortable } from '../platform/abortable.ts';
import { createHttpClient, type HttpClient } from './http-client.ts';

export interface PinnedDeps {
  /** All addresses of a name; rejects when it has none. */
  readonly lookup?: (name: string) => Promise<readonly LookupAddress[]>;
  readonly openClient?: typeof createHttpClient;
}

/** Why a host is not connected to. */
export type AddressFault = 'unknown_host' | 'address_not_allowed';

type Opened =
  | { readonly ok: true; readonly client: HttpClient }
  | { readonly ok: false; readonly fault: AddressFault };

/** Clients that reach one host each, at addresses that were checked before the connection. */
export function createPinnedClients({
  lookup = (name) => systemLookup(name, { all: true }),
  openClient = createHttpClient,
}: PinnedDeps) {
  /** Empty for a name that leads nowhere. An address is its own: connecting to it asks no resolver. */
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
   * A client for the host of a URL, as `URL.hostname` has it, which the caller closes. Rejects with the signal's reason on
   * abort.
   */
  return async function openPinned(
    hostname: string,
    isAllowed: (address: string) => boolean,
    signal: AbortSignal,
  ): Promise<Opened> {
    const addresses = await addressesOf(hostname, signal);
    if (addresses.length === 0) return { ok: false, fault: 'unknown_host' };
    // One bad address is enough to refuse: the next connection might take it.
    if (!addresses.every(({ address }) => isAllowed(address))) {
      return { ok: false, fault: 'address_not_allowed' };
    }
    return { ok: true, client: openClient({ lookup: pinnedTo(addresses) }) };
  };
}

/** A resolver that knows these addresses alone, whatever the name means by the time of the connection. */
function pinnedTo(addresses: readonly LookupAddress[]): LookupFunction {
  return (_name, options, callback) => {
    const [first] = addresses;
    if (options.all || first === undefined) callback(null, [...addresses]);
    else callback(null, first.address, first.family);
  };
}
