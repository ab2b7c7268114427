import type { Config } from '../config/settings/settings.ts';
import { BridgeError } from '../errors/bridge-error.ts';
import type { Clock } from '../platform/clock.ts';
import { linkSignal } from '../platform/linked-signal.ts';
import { isAllowedAddress } from './allowed-address.ts';
import { matchesHost } from './host-pattern.ts';
import type { HttpResponse } from './http-client.ts';
import { type AddressFault, createPinnedClients, type PinnedDeps } from './pinned-client.ts';
import { readWhole } from './response-body.ts';

/** The settings `inputs.remote`: the allowed sources of images and the limits of a fetch. */
export type RemotePolicy = Omit<Config['inputs']['remote'], 'enabled'>;

interface Deps extends PinnedDeps {
  readonly policy: RemotePolicy;
  readonly clock: Pick<Clock, 'after'>;
}

/** The reason why a fetch failed. The names are stable, because replies contain them as a detail. */
type RemoteFault =
  | 'control_character'
  | 'not_an_https_url'
  | 'user_info_in_url'
  | 'host_not_allowed'
  | 'port_not_allowed'
  | AddressFault
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
  /** The status of a response that is neither 200 nor a redirect. */
  readonly status?: number;
}

export type Fetched = { readonly ok: true; readonly bytes: Buffer } | Refusal;

interface Redirect {
  readonly location: string;
}

/**
 * Fetches the bytes of an https URL. Resolves with a fault if the URL or the server causes a failure. Rejects with the reason of
 * the signal on abort.
 */
export type RemoteFetch = (url: string, maxBytes: number, signal: AbortSignal) => Promise<Fetched>;

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
const HEADERS = {
  accept: 'image/png, image/jpeg, image/webp',
  // Compression is not accepted, because the limit counts received bytes and decompressed data could exceed the limit.
  'accept-encoding': 'identity',
  'user-agent': 'image-bridge',
};

/**
 * Creates a fetch that connects only to hosts allowed by the operator. All addresses of a host are checked, and only checked
 * addresses are used. Redirects are checked in the same way. No data of the caller is sent, and proxy settings in environment
 * variables are ignored.
 */
export function createRemoteFetch({ policy, clock, ...pinned }: Deps): RemoteFetch {
  const openPinned = createPinnedClients(pinned);

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
    const isAllowed = (address: string) => isAllowedAddress(address, policy.allow_private_networks);
    const opened = await openPinned(url.hostname, isAllowed, signal);
    if (!opened.ok) return opened;
    const { client } = opened;
    try {
      const request = { method: 'GET', headers: HEADERS, signal } as const;
      return await evaluate(await client.request(url.href, request), maxBytes);
    } catch (thrown) {
      signal.throwIfAborted();
      return toRefusal(thrown);
    } finally {
      await client.close();
    }
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

/** Converts failures of the server to faults. Throws any other failure. */
function toRefusal(thrown: unknown): Refusal {
  const code = thrown instanceof BridgeError ? thrown.code : undefined;
  if (code === 'upstream') return refused('unreachable');
  if (code === 'protocol') return refused('broken_off');
  throw thrown;
}

type RemoteTarget = { readonly ok: true; readonly url: URL } | Refusal;

// Control characters are rejected because the WHATWG parser silently removes tabs and line breaks, which changes the URL.
const CONTROL_CHARACTER = /\p{Cc}/u;

/**
 * Parses a URL, or the target of a redirect from `base`, and checks the URL against the policy. Hosts are compared after the
 * WHATWG parser has normalized names to lowercase and IP addresses to their standard notation.
 */
export function toRemoteTarget(text: string, policy: RemotePolicy, base?: string): RemoteTarget {
  if (CONTROL_CHARACTER.test(text)) return refused('control_character');
  if (!URL.canParse(text, base)) return refused('not_an_https_url');
  const url = new URL(text, base);
  if (url.protocol !== 'https:') return refused('not_an_https_url');
  if (url.username !== '' || url.password !== '') return refused('user_info_in_url');
  if (!matchesHost(url.hostname, policy.allowed_hosts)) return refused('host_not_allowed');
  // The parser omits the default port of the scheme.
  const port = url.port === '' ? 443 : Number(url.port);
  return policy.allowed_ports.includes(port) ? { ok: true, url } : refused('port_not_allowed');
}

function refused(fault: RemoteFault): Refusal {
  return { ok: false, fault };
}
