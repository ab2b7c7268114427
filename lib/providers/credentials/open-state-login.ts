import type { Config } from '../../config/settings/settings.ts';
import { BridgeError } from '../../errors/bridge-error.ts';
import type { HttpClient } from '../../net/http-client.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Ids } from '../../platform/ids.ts';
import { type CredentialSource, createSourceOf } from './credential-source.ts';
import { agentHome, createLoginFile } from './login-file.ts';
import { createLoginSeal, readSealKey } from './login-seal.ts';
import type { LoginStore } from './login-store-port.ts';
import { createStateLogin } from './state-login.ts';
import { createTokenRefresh } from './token-refresh.ts';

interface Outside {
  /** Undefined if `state.driver` keeps no logins. */
  readonly store: LoginStore | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly httpClient: Pick<HttpClient, 'request'>;
  readonly clock: Clock;
  readonly ids: Ids;
}

/**
 * Opens the login in the database, and imports the login of the file if the database has none. Resolves with undefined if the
 * settings keep the login in its file. Throws `configuration` if the key is unusable or does not open the login.
 */
export async function openStateLogin(
  { state, providers: { agent_responses: settings } }: Pick<Config, 'state' | 'providers'>,
  { store, env, httpClient, clock, ids }: Outside,
): Promise<CredentialSource | undefined> {
  if (!settings.enabled || settings.credentials === 'file' || !store) return undefined;
  const login = createStateLogin({
    store,
    clock,
    ids,
    seal: createLoginSeal(readSealKey(state, env), ids),
    file: createLoginFile({ home: agentHome(settings.home, env), clock }),
    endpoint: createTokenRefresh({ tokenEndpoint: settings.token_endpoint, httpClient, clock }),
  });
  try {
    await login.read(new AbortController().signal);
  } catch (error) {
    // The service also starts without a login, as it does with the file.
    if (!(error instanceof BridgeError) || error.code !== 'provider_authentication') throw error;
  }
  return createSourceOf(login, clock);
}
