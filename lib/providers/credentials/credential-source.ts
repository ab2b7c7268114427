import { BridgeError } from '../../errors/bridge-error.ts';
import type { HttpClient } from '../../net/http-client.ts';
import { abortable } from '../../platform/abortable.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Ids } from '../../platform/ids.ts';
import type { Credentials } from './credentials.ts';
import type { Login } from './login.ts';
import { createLoginFile } from './login-file.ts';
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

export type CredentialSource = ReturnType<typeof createCredentialSource>;

interface Renewal {
  /** The access token that is of no use any more. */
  readonly spent: string;
  readonly outcome: Promise<Login>;
}

// A token with this much life left is good for a call (providers.md, "Credentials").
const LEAST_LIFE_MS = 5 * 60_000;
// How long a call that has a token that still works waits for a better one.
const MAX_DELAY_MS = 5000;

/**
 * The login that all calls of a process share, and that it shares with other processes (providers.md, "Credentials").
 * Its errors contain no token, account or path.
 */
export function createCredentialSource({ home, tokenEndpoint, httpClient, clock, ids }: Deps) {
  const file = createLoginFile({ home, clock });
  const lock = createRefreshLock({ home, clock, ids });
  const endpoint = createTokenRefresh({ tokenEndpoint, httpClient, clock });
  const renewal = createLoginRenewal({ home, file, lock, endpoint, clock, ids });
  const closing = new AbortController();
  let running: Renewal | undefined;

  function lifeMs({ credentials: { expiresAtMs } }: Login): number {
    return expiresAtMs === undefined ? Number.POSITIVE_INFINITY : expiresAtMs - clock.nowMs();
  }

  function start(spent: string): Renewal {
    const isGood = (login: Login) =>
      login.credentials.accessToken !== spent && lifeMs(login) > LEAST_LIFE_MS;
    const outcome = renewal.renew(isGood, closing.signal);
    const started = { spent, outcome };
    const end = () => {
      running = undefined;
    };
    // Handles the rejection when no caller waits any more.
    outcome.then(end, end);
    return started;
  }

  /** Joins the renewal that runs, or starts one. The signal ends the wait alone. */
  async function renewed({ credentials }: Login, signal: AbortSignal): Promise<Login> {
    const spent = credentials.accessToken;
    while (running && running.spent !== spent) {
      await abortable(settled(running.outcome), signal);
    }
    running ??= start(spent);
    return abortable(running.outcome, signal);
  }

  async function current(signal: AbortSignal): Promise<Credentials> {
    const stored = await file.read(signal);
    renewal.throwIfRefused(stored);
    if (lifeMs(stored) > LEAST_LIFE_MS) return stored.credentials;
    try {
      const fresh = renewed(stored, signal);
      return (await (lifeMs(stored) > 0 ? inTime(fresh, clock) : fresh)).credentials;
    } catch (error) {
      signal.throwIfAborted();
      const now = await file.read(signal);
      renewal.throwIfRefused(now);
      if (lifeMs(now) <= 0) throw error;
      return now.credentials;
    }
  }

  return {
    /**
     * Credentials for a call that begins now, renewed when they expire within five minutes. Where that fails temporarily,
     * those that have not expired serve meanwhile. Rejects with the signal's reason. Throws `provider_authentication`
     * when the login is of no use, and `upstream`, retryable, when the token endpoint fails.
     */
    current,

    /** Other credentials than those that the backend has rejected by a 401. Rejects and throws as `current` does. */
    async refreshAfter(rejected: Credentials, signal: AbortSignal): Promise<Credentials> {
      const stored = await file.read(signal);
      // Another process was faster.
      if (stored.credentials.accessToken !== rejected.accessToken) return current(signal);
      renewal.throwIfRefused(stored);
      return (await renewed(stored, signal)).credentials;
    },

    /** Whether there is a login to work with. Never renews it, never calls anybody. */
    async probe(): Promise<boolean> {
      try {
        const stored = await file.read(closing.signal);
        renewal.throwIfRefused(stored);
        return stored.refreshToken !== undefined || lifeMs(stored) > 0;
      } catch {
        return false;
      }
    },

    /** Starts no renewal any more, and resolves when a token that was sent has been written back. */
    async close(): Promise<void> {
      closing.abort(new BridgeError('upstream', 'the bridge is closing', { retryable: true }));
      if (running) await settled(running.outcome);
    },
  };
}

/** What `work` gives, unless it takes longer than a call with a token that still works should wait. */
function inTime<T>(work: Promise<T>, clock: Clock): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(MAX_DELAY_MS, () =>
      reject(new BridgeError('upstream', 'the token endpoint is slow', { retryable: true })),
    );
    work.then(resolve, reject).finally(cancel);
  });
}

async function settled(work: Promise<unknown>): Promise<void> {
  await work.catch(() => undefined);
}
