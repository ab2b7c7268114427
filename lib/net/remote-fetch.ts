import type { LookupAddress } from 'node:dns';
import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { BridgeError } from '../errors/bridge-error.ts';
import { abortable } from '../platform/abortable.ts';
import type { Clock } from '../platform/clock.ts';
import { linkSignal } from '../platform/linked-signal.ts';
import { isAllowedAddress } from './allowed-address.ts';
import { createHttpClient, type HttpResponse } from './http-client.ts';
import { readWhole } from './read-whole.ts';
import { type RemotePolicy, type TargetFault, toRemoteTarget } from './remote-target.ts';

interface Deps {
  readonly policy: RemotePolicy;
  readonly clock: Pick<Clock, 'after'>;
  /** All addresses of a name; rejects when it has none. */
  readonly lookup?: (name: string) => Promise<readonly LookupAddress[]>;
  readonly openClient?: typeof createHttpClient;
}

/** Why a fetch gave no bytes. Stable names that callers may pass on as a detail. */
export type RemoteFault =
  | TargetFault
  | 'unknown_host'
  | 'address_not_allowed'
  | 'unreachable'
  | 'broken_off'
  | 'status_not_ok'
  | 'redirect_without_target'
  | 'too_many_redirects'
  | 'content_encoded'
  | 'too_many_bytes'
  | 'timed_out';

interface Refusal {
  readonly ok: false;
  readonly fault: RemoteFault;
  /** Of a response that is neither the bytes nor a redirect. */
  readonly status?: number;
}

export type Fetched = { readonly ok: true; readonly bytes: Buffer } | Refusal;

/** The next address of a redirect, as it was written. */
interface Redirect {
  readonly location: string;
}

/**
 * The bytes behind an https address. Resolves with a fault when the address or the server is the reason. Rejects with
 * the signal's reason on abort.
 */
export type RemoteFetch = (url: string, maxBytes: number, signal: AbortSignal) => Promise<Fetched>;

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
const HEADERS = {
  accept: 'image/png, image/jpeg, image/webp',
  // Bytes are counted as they come: what unfolds afterwards would escape the limit.
  'accept-encoding': 'identity',
  'user-agent': 'image-bridge',
};

/**
 * Fetches from where the operator's list allows, and reaches nothing else: every address of a name is checked, the
 * connection is pinned to the checked addresses, and each redirect is checked in the same way. Nothing of the
 * caller is sent along, no proxy of the environment is used.
 */
export function createRemoteFetch({
  policy,
  clock,
  lookup = (name) => systemLookup(name, { all: true }),
  openClient = createHttpClient,
}: Deps): RemoteFetch {
  async function follow(text: string, maxBytes: number, signal: AbortSignal): Promise<Fetched> {
    let target = toRemoteTarget(text, policy);
    for (let redirects = 0; target.ok; redirects += 1) {
      const { url } = target;
      const got = await ask(url, maxBytes, signal);
      if (!('location' in got)) return got;
      if (redirects === policy.max_redirects) return refused('too_many_redirects');
      target = toRemoteTarget(got.location, policy, url.href);
    }
    return target;
  }

  async function ask(url: URL, maxBytes: number, signal: AbortSignal): Promise<Fetched | Redirect> {
    const addresses = await addressesOf(url.hostname, signal);
    if (addresses.length === 0) return refused('unknown_host');
    // One bad address is enough to refuse: the next connection might take it.
    const isAllowed = ({ address }: LookupAddress) =>
      isAllowedAddress(address, policy.allow_private_networks);
    if (!addresses.every(isAllowed)) return refused('address_not_allowed');
    const client = openClient({ lookup: pinnedTo(addresses) });
    try {
      return await evaluate(
        await client.request(url.href, { method: 'GET', headers: HEADERS, signal }),
        maxBytes,
      );
    } catch (thrown) {
      signal.throwIfAborted();
      return toRefusal(thrown);
    } finally {
      await client.close();
    }
  }

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

  return async function fetchRemote(url, maxBytes, signal) {
    signal.throwIfAborted();
    const timedOut = new Error('the fetch timed out');
    const within = linkSignal(signal);
    const cancel = clock.after(policy.timeout_ms, () => within.abort(timedOut));
    try {
      return await follow(url, maxBytes, within.signal);
    } catch (thrown) {
      if (thrown === timedOut) return refused('timed_out');
      throw thrown;
    } finally {
      cancel();
      within.end();
    }
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

async function evaluate(response: HttpResponse, maxBytes: number): Promise<Fetched | Redirect> {
  if (REDIRECTS.includes(response.status)) {
    const location = response.header('location');
    return location === undefined ? refused('redirect_without_target') : { location };
  }
  if (response.status !== 200) return { ...refused('status_not_ok'), status: response.status };
  const encoding = response.header('content-encoding') ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') return refused('content_encoded');
  const declared = Number(response.header('content-length') ?? 0);
  const bytes = declared > maxBytes ? undefined : await readWhole(response.body, maxBytes);
  return bytes === undefined ? refused('too_many_bytes') : { ok: true, bytes };
}

/** Failures of the server become faults; failures of this program are thrown. */
function toRefusal(thrown: unknown): Refusal {
  const code = thrown instanceof BridgeError ? thrown.code : undefined;
  if (code === 'upstream') return refused('unreachable');
  if (code === 'protocol') return refused('broken_off');
  throw thrown;
}

function refused(fault: RemoteFault): Refusal {
  return { ok: false, fault };
}
