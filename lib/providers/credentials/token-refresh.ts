import * as v from 'valibot';
import { BridgeError } from '../../errors/bridge-error.ts';
import type { HttpClient } from '../../net/http-client.ts';
import { readWhole } from '../../net/response-body.ts';
import type { Clock } from '../../platform/clock.ts';
import { parseBounded } from '../http/bounded-json.ts';
import { type FreshTokens, TokenText } from './login.ts';

export type TokenRefresh = ReturnType<typeof createTokenRefresh>;

interface Deps {
  readonly tokenEndpoint: string;
  readonly httpClient: Pick<HttpClient, 'request'>;
  readonly clock: Clock;
}

const CLIENT_ID = 'app_EMoamEEZ73f0CkXaXp7hrann';
// The timeout is long because the refresh token is single-use. If the response is not read, the only valid token is
// lost.
const TIMEOUT_MS = 30_000;
const MAX_REPLY_BYTES = 262_144;
const BOUNDS = { maxNames: 2048, maxNested: 2048 };

/** Creates a client that exchanges refresh tokens for new tokens at the token endpoint (RFC 6749, section 6). */
export function createTokenRefresh({ tokenEndpoint, httpClient, clock }: Deps) {
  /** Resolves with the status and the JSON of the reply. `value` is undefined if the body is too long or not JSON. */
  async function ask(refreshToken: string) {
    const controller = new AbortController();
    const { signal } = controller;
    const cancel = clock.after(TIMEOUT_MS, () =>
      controller.abort(new Error('no response in time')),
    );
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const body = { client_id: CLIENT_ID, grant_type: 'refresh_token', refresh_token: refreshToken };
    const request = { method: 'POST', headers, body: JSON.stringify(body), signal } as const;
    try {
      const response = await httpClient.request(tokenEndpoint, request);
      const bytes = await readWhole(response.body, MAX_REPLY_BYTES);
      return { status: response.status, value: bytes && parseBounded(bytes, BOUNDS) };
    } catch (cause) {
      throw failed(cause);
    } finally {
      cancel();
    }
  }

  return {
    /**
     * Exchanges a refresh token for new tokens. The caller must store the new tokens, because the old refresh token is
     * invalid afterwards. Throws `provider_authentication` if the endpoint rejects the token, and a retryable
     * `upstream` for any other failure.
     */
    async refresh(refreshToken: string): Promise<FreshTokens> {
      const { status, value } = await ask(refreshToken);
      if (isRefusal(status, value)) {
        const message = 'the token endpoint rejected the refresh token';
        throw new BridgeError('provider_authentication', message);
      }
      const grant = v.safeParse(Grant, value);
      if (status !== 200 || !grant.success) throw failed();
      return {
        accessToken: grant.output.access_token,
        refreshToken: grant.output.refresh_token ?? undefined,
        idToken: grant.output.id_token ?? undefined,
      };
    },
  };
}

const Grant = v.object({
  access_token: TokenText,
  refresh_token: v.nullish(TokenText),
  id_token: v.nullish(TokenText),
});

const Code = v.fallback(v.optional(v.string()), undefined);

/**
 * An error response. `error` is either the error code (RFC 6749, section 5.2) or an object that contains the error
 * code.
 */
const Refusal = v.object({
  code: Code,
  error: v.fallback(v.union([v.string(), v.object({ code: Code, type: Code })]), ''),
});

const REFUSALS: readonly unknown[] = [
  'refresh_token_expired',
  'refresh_token_reused',
  'refresh_token_invalidated',
  'invalid_grant',
];

/**
 * Returns true if the endpoint rejected the refresh token. A 401 always means that the token was rejected, because the
 * request contains no other credentials.
 */
function isRefusal(status: number, value: unknown): boolean {
  if (status !== 400) return status === 401;
  const refusal = v.safeParse(Refusal, value);
  if (!refusal.success) return false;
  const { code, error } = refusal.output;
  const codes = typeof error === 'string' ? [code, error] : [code, error.code, error.type];
  return codes.some((one) => REFUSALS.includes(one));
}

function failed(cause?: unknown): BridgeError {
  const message = 'the token endpoint did not renew the login';
  return new BridgeError('upstream', message, { retryable: true, cause });
}
