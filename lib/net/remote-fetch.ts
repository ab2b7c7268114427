import { BridgeError } from '../errors/bridge-error.ts';
import type { Clock } from '../platform/clock.ts';
import { linkSignal } from '../platform/linked-signal.ts';
import { isAllowedAddress } from './allowed-address.ts';
import type { HttpResponse } from './http-client.ts';
import { type AddressFault, createPinnedClients, type PinnedDeps } from './pinned-client.ts';
import { type RemotePolicy, type TargetFault, toRemoteTarget } from './remote-target.ts';
import { readWhole } from './response-body.ts';

interface Deps extends PinnedDeps {
  readonly policy: RemotePolicy;
  readonly clock: Pick<Clock, 'after'>;
}

/** The reason why a fetch failed. The names are stable, so callers may pass them on as a detail. */
export type RemoteFault =
  | TargetFault
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

/** The target of a redirect, unparsed. */
interface Redirect {
  readonly location: string;
}

/**
 * Fetches the bytes of an https URL. Resolves with a fault if the URL or the server causes the failure. Rejects with the
 * signal's reason on abort.
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
 * Creates a fetch that connects only to hosts allowed by the operator. Every address of a name is checked, the connection is
 * pinned to the checked addresses, and each redirect is checked in the same way. No data of the caller is sent, and proxy
 * settings in environment variables are ignored.
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
    const opened = await openPinned(url.hostname, isAllowed, signal);
    if (!opened.ok) return opened;
    const { client } = opened;
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

  function isAllowed(address: string): boolean {
    return isAllowedAddress(address, policy.allow_private_networks);
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

/** Converts failures of the server to faults. Throws failures of this program. */
function toRefusal(thrown: unknown): Refusal {
  const code = thrown instanceof BridgeError ? thrown.code : undefined;
  if (code === 'upstream') return refused('unreachable');
  if (code === 'protocol') return refused('broken_off');
  throw thrown;
}

function refused(fault: RemoteFault): Refusal {
  return { ok: false, fault };
}
