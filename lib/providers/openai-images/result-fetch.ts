import { BridgeError } from '../../errors/bridge-error.ts';
import type { HttpClient } from '../../net/http-client.ts';
import type { RemoteFetch } from '../../net/remote-fetch.ts';
import { readWhole } from '../../net/response-body.ts';
import { unusableImages } from '../failed-calls.ts';

interface Deps {
  readonly httpClient: Pick<HttpClient, 'request'>;
  /** Fetches from the hosts that the operator lists, without credentials. */
  readonly fetchRemote: RemoteFetch;
  /** The setting `images.max_encoded_bytes`. */
  readonly maxBytes: number;
}

/** The call whose reply contains the URL of an image. */
export interface RepliedCall {
  readonly url: string;
  /** The headers of the call, including the key. The headers are sent only to the same server. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Creates a function that fetches images that a reply identifies by URL. */
export function createResultFetch({ httpClient, fetchRemote, maxBytes }: Deps) {
  async function fromServer(
    url: URL,
    headers: RepliedCall['headers'],
    signal: AbortSignal,
  ): Promise<Buffer> {
    const request = {
      method: 'GET',
      headers: { ...headers, 'accept-encoding': 'identity' },
    } as const;
    const { status, body } = await httpClient.request(url.href, { ...request, signal });
    if (status !== 200) {
      body.destroy();
      throw unfetched('status_not_ok');
    }
    const bytes = await readWhole(body, maxBytes);
    if (!bytes) throw unfetched('too_many_bytes');
    return bytes;
  }

  /**
   * Fetches an absolute or relative URL: from the server of the call with its key, or from a listed host without the
   * key. Redirects of the server are not followed. Throws `protocol` with the effect `made` if the fetch fails, because
   * the image must not be made again. Rejects with the signal's reason if the signal aborts.
   */
  return async function fetchResult(
    address: string,
    call: RepliedCall,
    signal: AbortSignal,
  ): Promise<Buffer> {
    if (!URL.canParse(address, call.url)) throw unfetched('not_an_https_url');
    const url = new URL(address, call.url);
    if (url.origin !== new URL(call.url).origin) {
      const fetched = await fetchRemote(address, maxBytes, signal);
      if (!fetched.ok) throw unfetched(fetched.fault);
      return fetched.bytes;
    }
    try {
      return await fromServer(url, call.headers, signal);
    } catch (thrown) {
      signal.throwIfAborted();
      const isKnown = thrown instanceof BridgeError && thrown.details['reason'] !== undefined;
      throw isKnown ? thrown : unfetched('unreachable', thrown);
    }
  };
}

function unfetched(reason: string, cause?: unknown): BridgeError {
  return unusableImages('an image in the reply cannot be fetched', reason, cause);
}
