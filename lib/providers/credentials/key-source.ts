import type { HttpClient } from '../../net/http-client.ts';
import type { Clock } from '../../platform/clock.ts';
import { type ApiKeySource, createApiKeySource } from './api-key.ts';
import { createGoogleAccess } from './google-access.ts';
import { findCredentialsProblem } from './google-credentials.ts';

/** The settings that name the key or the credentials of a named provider. */
export interface KeySettings {
  readonly api_key_env: string | undefined;
  readonly api_key_file: string | undefined;
  /** Only of the kind `gemini`. */
  readonly credentials_file?: string | undefined;
  readonly token_endpoint?: string;
}

type Env = Readonly<Record<string, string | undefined>>;

interface Deps {
  readonly settings: KeySettings;
  readonly env: Env;
  readonly httpClient: Pick<HttpClient, 'request'>;
  readonly clock: Clock;
}

/** Creates the source of the keys or access tokens of a named provider. */
export function createKeySource({ settings, env, httpClient, clock }: Deps): ApiKeySource {
  const { credentials_file: path, token_endpoint: tokenEndpoint } = settings;
  if (path === undefined || tokenEndpoint === undefined) {
    return createApiKeySource({ settings, env });
  }
  return createGoogleAccess({ path, tokenEndpoint, httpClient, clock });
}

/** A key or credentials that cannot be used. */
export interface KeyProblem {
  readonly field: 'api_key_env' | 'api_key_file' | 'credentials_file';
  /** A sentence without a path. */
  readonly problem: string;
}

/** Resolves with the reason why the key or the credentials in these settings are unusable, or with undefined. */
export async function findKeyProblem(
  settings: KeySettings,
  env: Env,
): Promise<KeyProblem | undefined> {
  const { credentials_file: path, api_key_file } = settings;
  if (path !== undefined) {
    const problem = await findCredentialsProblem(path);
    return problem === undefined ? undefined : { field: 'credentials_file', problem };
  }
  const problem = await createApiKeySource({ settings, env }).problem();
  const field = api_key_file === undefined ? 'api_key_env' : 'api_key_file';
  return problem === undefined ? undefined : { field, problem };
}
