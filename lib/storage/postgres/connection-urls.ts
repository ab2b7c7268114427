import type { Config } from '../../config/settings/settings.ts';
import { BridgeError } from '../../errors/bridge-error.ts';
import type { Environment } from '../stores.ts';

type PostgresSettings = Config['state']['postgres'];

/**
 * Returns the connection URL for statements and the connection URL for notifications. Throws `configuration` if a variable is unset
 * or is not a connection URL. The message never contains the value, because the value may contain a password.
 */
export function readConnectionUrls(
  { url_env: name, listen_url_env: listenName }: PostgresSettings,
  env: Environment,
): { readonly url: string; readonly listenUrl: string } {
  const url = readUrl('url_env', name, env);
  const listenUrl = listenName === undefined ? url : readUrl('listen_url_env', listenName, env);
  return { url, listenUrl };
}

function readUrl(setting: string, name: string, env: Environment): string {
  const url = env[name] ?? '';
  if (/^postgres(ql)?:\/\//.test(url)) return url;
  const fault = url === '' ? 'is unset or empty' : 'must begin with postgres:// or postgresql://';
  throw new BridgeError(
    'configuration',
    `state.postgres.${setting}: the environment variable ${name} ${fault}`,
  );
}
