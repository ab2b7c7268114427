import { Client } from 'pg';
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
  const fault = faultOf(url);
  if (fault === undefined) return url;
  throw new BridgeError(
    'configuration',
    `state.postgres.${setting}: the environment variable ${name} ${fault}`,
  );
}

function faultOf(url: string): string | undefined {
  if (url === '') return 'is unset or empty';
  if (!/^postgres(ql)?:\/\//.test(url)) return 'must begin with postgres:// or postgresql://';
  try {
    // Parses the URL and reads the certificates that the URL names, without a connection.
    new Client({ connectionString: url });
    return undefined;
  } catch {
    return 'is not a valid connection URL; percent-encode special characters of the user and the password, and check that the files of the URL exist';
  }
}
