import { type Clock, nowSecs } from '../../../lib/platform/clock.ts';
import type { Ids } from '../../../lib/platform/ids.ts';
import { unsignedJwt } from './jwt.ts';

export interface Account {
  readonly email: string;
  readonly plan: string;
  readonly accountId: string;
  readonly userId: string;
}

export interface Tokens {
  readonly id_token: string;
  readonly access_token: string;
  readonly refresh_token: string;
}

type RefreshFault = 'expired' | 'reused' | 'invalidated' | 'unknown';

interface Deps {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly account: Account;
  /** Lifetime of an access token. */
  readonly accessLifeMs: number;
}

export type Login = ReturnType<typeof createLogin>;

/** Creates the tokens of one account. One set is valid at a time. */
export function createLogin({ clock, ids, account, accessLifeMs }: Deps) {
  const used = new Set<string>();
  const revoked = new Set<string>();
  const replaced = new Set<string>();
  let refreshFault: 'expired' | 'invalidated' | undefined;
  let { tokens, expiresSecs, issuedSecs } = issue(accessLifeMs);

  return {
    account,

    /** Returns the content of `auth.json` after signing in. */
    file(): string {
      const { accountId } = account;
      const last_refresh = new Date(issuedSecs * 1000).toISOString();
      const login = { auth_mode: 'chatgpt', OPENAI_API_KEY: null };
      return `${JSON.stringify({ ...login, tokens: { ...tokens, account_id: accountId }, last_refresh }, null, 2)}\n`;
    },

    tokens: () => tokens,

    checkAccess(token: string): 'current' | 'expired' | 'revoked' | 'replaced' | 'unknown' {
      if (revoked.has(token)) return 'revoked';
      if (replaced.has(token)) return 'replaced';
      if (token !== tokens.access_token) return 'unknown';
      return expiresSecs > nowSecs(clock) ? 'current' : 'expired';
    },

    /**
     * Exchanges a refresh token for a new set and invalidates the old set. With `keepsRefreshToken` the refresh token remains
     * valid.
     */
    redeem(refreshToken: string, keepsRefreshToken = false): Tokens | RefreshFault {
      if (used.has(refreshToken)) return 'reused';
      if (refreshToken !== tokens.refresh_token) return 'unknown';
      if (refreshFault) return refreshFault;
      if (keepsRefreshToken) replaceAccess(accessLifeMs);
      else renew();
      return tokens;
    },

    /** Replaces the tokens by a new set, as after signing in again. */
    renew,

    /** Replaces the access token by a token that expires in this many milliseconds. A negative number is in the past. */
    expireAccess(leftMs = -60_000): void {
      replaceAccess(leftMs);
    },

    /** Makes the backend reject the access token from now on, although it has not expired. */
    revokeAccess(): void {
      revoked.add(tokens.access_token);
    },

    /** Invalidates all refresh tokens until `renew`. */
    spoilRefresh(fault: 'expired' | 'invalidated'): void {
      refreshFault = fault;
    },
  };

  function renew(): void {
    used.add(tokens.refresh_token);
    replaced.add(tokens.access_token);
    refreshFault = undefined;
    ({ tokens, expiresSecs, issuedSecs } = issue(accessLifeMs));
  }

  function replaceAccess(leftMs: number): void {
    replaced.add(tokens.access_token);
    const { refresh_token } = tokens;
    const issued = issue(leftMs);
    ({ expiresSecs, issuedSecs } = issued);
    tokens = { ...issued.tokens, refresh_token };
  }

  function issue(tokenLifeMs: number) {
    const iat = nowSecs(clock);
    const exp = iat + Math.floor(tokenLifeMs / 1000);
    const { email, plan, accountId, userId } = account;
    const claims = {
      iat,
      'https://api.openai.com/auth': {
        chatgpt_plan_type: plan,
        chatgpt_account_id: accountId,
        chatgpt_user_id: userId,
      },
    };
    const issued: Tokens = {
      id_token: unsignedJwt({ ...claims, exp: iat + 3600, email, jti: ids.newOpaqueId() }),
      access_token: unsignedJwt({ ...claims, exp, jti: ids.newOpaqueId() }),
      refresh_token: `rt_${ids.newOpaqueId()}`,
    };
    return { tokens: issued, expiresSecs: exp, issuedSecs: iat };
  }
}
