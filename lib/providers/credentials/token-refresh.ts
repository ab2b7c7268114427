import * as v from 'valibot';
import { BridgeError } from '../../errors/bridge-error.ts';
import type { HttpClient } from '../../net/http-client.ts';
import type { Clock } from '../../platform/clock.ts';
import { type FreshTokens, TokenText } from './login.ts';
import { createTokenEndpoint } from './token-endpoint.ts';

export type TokenRefresh = ReturnType<typeof createTokenRefresh>;

interface Deps {
  readonly tokenEndpoint: string;
  readonly httpClient: Pick<HttpClient, 'request'>;
  readonly clock: Clock;
}

const CLIENT_ID = 'app_EMoamEEZ73f0CkXaXp7hrann';

/** Creates a client that exchanges refresh tokens for new tokens at the token endpoint (RFC 6749, section 6). */
export function createTokenRefresh({ tokenEndpoint, httpClient, clock }: Deps) {
  const ask = createTokenEndpoint({ url: tokenEndpoint, httpClient, clock });

  return {
    /**
     * Exchanges a refresh token for new tokens. The caller must store the new tokens, because the old refresh token is
     * invalid afterwards. Throws `provider_authentication` if the endpoint rejects the token, and a retryable
     * `upstream` for any other failure.
     */
    async refresh(refreshToken: string): Promise<FreshTokens> {
      const body = JSON.stringify({
        client_id: CLIENT_ID,
        grant_type: 'refresh_token',
        refresh_token: refreshToken,
      });
      const { status, value } = await ask({ contentType: 'application/json', body }).catch(
        (cause) => {
          throw failed(cause);
        },
      );
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
