import { BridgeError } from '../../errors/bridge-error.ts';
import type { HttpClient } from '../../net/http-client.ts';
import type { RemoteFetch } from '../../net/remote-fetch.ts';
import { readWhole } from '../../net/response-body.ts';
import { type Clock, sleep } from '../../platform/clock.ts';
import { linkSignal } from '../../platform/linked-signal.ts';
import { unusableImages } from '../failed-calls.ts';
import type { StreamedJson } from '../http/streamed-json.ts';
import type { TaskHosts } from './task-hosts.ts';
import type { TaskTiming } from './task-timing.ts';

interface Deps {
  readonly httpClient: Pick<HttpClient, 'request'>;
  /** Fetches from the result hosts, which must have public addresses. */
  readonly fetchRemote: RemoteFetch;
  readonly hosts: Pick<TaskHosts, 'isOwn'>;
  readonly clock: Clock;
  readonly timing: TaskTiming;
  /** The setting `images.max_encoded_bytes`. */
  readonly maxBytes: number;
}

const TRIES = 5;
const MAX_REDIRECTS = 3;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
const HEADERS = {
  accept: 'image/png, image/jpeg, image/webp',
  'accept-encoding': 'identity',
};

/** Faults that a repetition cannot remove. */
const FINAL_FAULTS: ReadonlySet<string> = new Set([
  'control_character',
  'not_an_https_url',
  'user_info_in_url',
  'host_not_allowed',
  'port_not_allowed',
  'address_not_allowed',
  'redirect_without_target',
  'too_many_redirects',
  'content_encoded',
  'too_many_bytes',
]);

type Got = { readonly bytes: Buffer } | { readonly fault: string };

/** Creates a function that returns the bytes of an image in a reply. Fetches without the key. */
export function createTaskImages(deps: Deps) {
  const { httpClient, fetchRemote, hosts, clock, timing, maxBytes } = deps;

  /** Follows redirects at the origin of the base URL. `fetchRemote` follows the redirects of other hosts. */
  async function fetchOnce(address: string, signal: AbortSignal): Promise<Got> {
    let url = new URL(address);
    for (let redirects = 0; hosts.isOwn(url); redirects += 1) {
      const request = { method: 'GET', headers: HEADERS, signal } as const;
      const { status, header, body } = await httpClient.request(url.href, request);
      if (status === 200) {
        const bytes = await readWhole(body, maxBytes);
        return bytes ? { bytes } : { fault: 'too_many_bytes' };
      }
      body.destroy();
      if (!REDIRECTS.includes(status)) return { fault: 'status_not_ok' };
      if (redirects === MAX_REDIRECTS) return { fault: 'too_many_redirects' };
      const target = header('location') ?? '';
      if (!URL.canParse(target, url.href)) return { fault: 'redirect_without_target' };
      url = new URL(target, url);
    }
    const fetched = await fetchRemote(url.href, maxBytes, signal);
    return fetched.ok ? { bytes: fetched.bytes } : { fault: fetched.fault };
  }

  /** Resolves with the fault of a connection that failed. Rejects with the signal's reason if the signal aborts. */
  async function attempt(address: string, signal: AbortSignal): Promise<Got> {
    try {
      return await fetchOnce(address, signal);
    } catch (thrown) {
      signal.throwIfAborted();
      if (!(thrown instanceof BridgeError)) throw thrown;
      return { fault: 'unreachable' };
    }
  }

  async function fetched(address: string, signal: AbortSignal): Promise<Buffer> {
    let fault = 'not_an_https_url';
    for (let waitMs = timing.refetchMs, tries = 1; ; waitMs *= 2, tries += 1) {
      const got = URL.canParse(address) ? await attempt(address, signal) : { fault };
      if ('bytes' in got) return got.bytes;
      fault = got.fault;
      if (tries === TRIES || FINAL_FAULTS.has(fault)) throw unfetched(fault);
      await sleep(clock, waitMs, signal);
    }
  }

  /** Limits the time of all tries. */
  async function fetchedInTime(address: string, signal: AbortSignal): Promise<Buffer> {
    const timedOut = new Error('the fetch timed out');
    const within = linkSignal(signal);
    const stopTimer = clock.after(timing.fetchMs, () => within.abort(timedOut));
    try {
      return await fetched(address, within.signal);
    } catch (thrown) {
      throw thrown === timedOut ? unfetched('timed_out') : thrown;
    } finally {
      stopTimer();
      within.end();
    }
  }

  /**
   * Returns the bytes of an image: a text in the reply that is base64, a data URL or the URL of the image. Throws `protocol`
   * with the effect `made` if the image cannot be fetched, because the image must not be made again. Rejects with the
   * signal's reason if the signal aborts.
   */
  return async function imageBytes(
    text: string,
    reply: StreamedJson,
    signal: AbortSignal,
  ): Promise<Buffer> {
    if (!reply.isPlaceholder(text) && /^https?:/i.test(text)) return fetchedInTime(text, signal);
    const bytes = reply.bytesOf(text);
    if (bytes && bytes.length > 0) return bytes;
    throw unusableImages('the backend returned no usable image', 'unusable_image');
  };
}

function unfetched(reason: string): BridgeError {
  return unusableImages('an image of the task cannot be fetched', reason);
}
