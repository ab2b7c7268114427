import type { HttpClient } from '../../net/http-client.ts';
import { readWhole } from '../../net/response-body.ts';
import type { Clock } from '../../platform/clock.ts';
import { parseBounded } from '../http/bounded-json.ts';

interface Deps {
  readonly url: string;
  readonly httpClient: Pick<HttpClient, 'request'>;
  readonly clock: Pick<Clock, 'after'>;
}

interface TokenRequest {
  readonly contentType: 'application/json' | 'application/x-www-form-urlencoded';
  readonly body: string;
}

// The timeout is long because a refresh token may be single-use. If the response is not read, the only valid token is
// lost.
const TIMEOUT_MS = 30_000;
const MAX_REPLY_BYTES = 262_144;
const BOUNDS = { maxNames: 2048, maxNested: 2048 };

/** Creates a client for a token endpoint (RFC 6749, section 3.2). */
export function createTokenEndpoint({ url, httpClient, clock }: Deps) {
  /**
   * Sends one request. Resolves with the status and the JSON of the reply. `value` is undefined if the body is too long
   * or not JSON. Rejects if the connection fails or the reply takes longer than 30 seconds.
   */
  return async function ask({ contentType, body }: TokenRequest) {
    const controller = new AbortController();
    const { signal } = controller;
    const cancel = clock.after(TIMEOUT_MS, () =>
      controller.abort(new Error('no response in time')),
    );
    const headers = { 'content-type': contentType, accept: 'application/json' };
    try {
      const response = await httpClient.request(url, { method: 'POST', headers, body, signal });
      const bytes = await readWhole(response.body, MAX_REPLY_BYTES);
      return { status: response.status, value: bytes && parseBounded(bytes, BOUNDS) };
    } finally {
      cancel();
    }
  };
}
