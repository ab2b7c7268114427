import { BridgeError } from '../../errors/bridge-error.ts';
import type { HttpClient } from '../../net/http-client.ts';
import { abortable } from '../../platform/abortable.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Ids } from '../../platform/ids.ts';
import type { Credentials } from './credentials.ts';
import type { Login } from './login.ts';
import { createLoginFile, type StoredLogin } from './login-file.ts';
import { createLoginRenewal } from './login-renewal.ts';
import { createRefreshLock } from './refresh-lock.ts';
import { createTokenRefresh } from './token-refresh.ts';

interface Deps {
  /** The folder of `auth.json`. */
  readonly home: string;
  readonly tokenEndpoint: string;
  readonly httpClient: Pick<HttpClient, 'request'>;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** The place that keeps a login: the login file, or the database of several replicas. */
export interface LoginKeeper {
  /** Resolves with the current login. Throws `provider_authentication` if there is no usable login. */
  read(signal: AbortSignal): Promise<StoredLogin>;
  /** If the token endpoint has rejected this login, throws `provider_authentication`. */
  throwIfRefused(stored: StoredLogin): void;
  /** Resolves with a login that `isGood` accepts, after a renewal if necessary. See `createLoginRenewal`. */
  renew(isGood: (login: Login) => boolean, signal: AbortSignal): Promise<Login>;
}

export type CredentialSource = ReturnType<typeof createSourceOf>;

interface Renewal {
  /** The access token that the renewal replaces. */
  readonly spent: string;
  readonly outcome: Promise<Login>;
}

// Tokens with a longer remaining lifetime are used without renewal.
const MIN_LIFE_MS = 5 * 60_000;
// Maximum wait for a renewal while the current token is still valid.
const MAX_DELAY_MS = 5000;

/** Creates the source of the login in a file. Other processes may use the file too. */
export function createCredentialSource(deps: Deps): CredentialSource {
  const { home, clock, ids } = deps;
  const file = createLoginFile({ home, clock });
  const lock = createRefreshLock({ home, clock, ids });
  const endpoint = createTokenRefresh(deps);
  const renewal = createLoginRenewal({ home, file, lock, endpoint, clock, ids });
  return createSourceOf({ read: file.read, ...renewal }, clock);
}

/**
 * Creates the source of a login. All calls of this process, and other processes, share the login. Errors contain no
 * token, account or path.
 */
export function createSourceOf(login: LoginKeeper, clock: Clock) {
  const closing = new AbortController();
  let running: Renewal | undefined;

  function lifeMs({ credentials: { expiresAtMs } }: Login): number {
    return expiresAtMs === undefined ? Number.POSITIVE_INFINITY : expiresAtMs - clock.nowMs();
  }

  function start(spent: string): Renewal {
    const isGood = (found: Login) =>
      found.credentials.accessToken !== spent && lifeMs(found) > MIN_LIFE_MS;
    const outcome = login.renew(isGood, closing.signal);
    const started = { spent, outcome };
    const end = () => {
      running = undefined;
    };
    // Prevents an unhandled rejection if all callers have stopped waiting.
    outcome.then(end, end);
    return started;
  }

  /**
   * Waits for the running renewal or starts a new renewal. If the signal aborts, only the wait ends, and the renewal
   * continues.
   */
  async function renewed({ credentials }: Login, signal: AbortSignal): Promise<Login> {
    const spent = credentials.accessToken;
    while (running && running.spent !== spent) {
      await abortable(Promise.allSettled([running.outcome]), signal);
    }
    running ??= start(spent);
    return abortable(running.outcome, signal);
  }

  async function current(signal: AbortSignal): Promise<Credentials> {
    const stored = await login.read(signal);
    login.throwIfRefused(stored);
    if (lifeMs(stored) > MIN_LIFE_MS) return stored.credentials;
    try {
      const fresh = renewed(stored, signal);
      return (await (lifeMs(stored) > 0 ? inTime(fresh, clock) : fresh)).credentials;
    } catch (error) {
      signal.throwIfAborted();
      const now = await login.read(signal);
      login.throwIfRefused(now);
      if (lifeMs(now) <= 0) throw error;
      return now.credentials;
    }
  }

  return {
    /**
     * Resolves with credentials for a call that begins now. Renews credentials that expire within five minutes. If the
     * renewal fails temporarily, resolves with the current credentials until they expire. Rejects with the signal's
     * reason if the signal aborts. Throws `provider_authentication` if the login is unusable, and a retryable
     * `upstream` if the token endpoint fails.
     */
    current,

    /**
     * Resolves with credentials that differ from `rejected`, the credentials that the backend rejected with a 401.
     * Rejects and throws as `current` does.
     */
    async refreshAfter(rejected: Credentials, signal: AbortSignal): Promise<Credentials> {
      const stored = await login.read(signal);
      // Another process has already renewed the login.
      if (stored.credentials.accessToken !== rejected.accessToken) return current(signal);
      login.throwIfRefused(stored);
      return (await renewed(stored, signal)).credentials;
    },

    /** Resolves with true if the login is usable. Never renews the login and never calls the token endpoint. */
    async probe(): Promise<boolean> {
      try {
        const stored = await login.read(closing.signal);
        login.throwIfRefused(stored);
        return stored.refreshToken !== undefined || lifeMs(stored) > 0;
      } catch {
        return false;
      }
    },

    /** Prevents new renewals. Resolves when a running renewal has settled, so that its tokens are stored. */
    async close(): Promise<void> {
      closing.abort(new BridgeError('upstream', 'the bridge is closing', { retryable: true }));
      await Promise.allSettled([running?.outcome]);
    },
  };
}

/** Resolves with the result of `work`. Throws `upstream` if `work` takes longer than `MAX_DELAY_MS`. */
function inTime<T>(work: Promise<T>, clock: Clock): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(MAX_DELAY_MS, () =>
      reject(new BridgeError('upstream', 'the token endpoint timed out', { retryable: true })),
    );
    work.then(resolve, reject).finally(cancel);
  });
}
