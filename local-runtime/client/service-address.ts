import { loadConfig } from '../../lib/config/load-config.ts';
import { problemLine } from '../../lib/config/problem.ts';
import type { Presets } from '../../lib/config/sources/source.ts';
import type { CommandIo } from '../command-io.ts';
import type { ConfigurationOptions } from '../command-table/configuration-options.ts';
import { toLocalAddress } from '../local-address.ts';

/** Where the service is, and what it demands of a request. */
export interface ServiceAddress {
  /** Without a slash at the end. */
  readonly url: string;
  readonly token: string | undefined;
}

const TOKEN = 'IMAGE_BRIDGE_TOKEN';

type Found =
  | { readonly ok: true; readonly address: ServiceAddress }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * `--url`, else `IMAGE_BRIDGE_URL`, else where the configuration of this folder would listen. The token is in
 * `IMAGE_BRIDGE_TOKEN`; the variable that the configuration names counts for its own service alone.
 */
export async function findService(
  given: string | undefined,
  io: CommandIo,
  configuration: Partial<ConfigurationOptions> & { readonly presets?: Presets } = {},
): Promise<Found> {
  const { env, cwd } = io;
  const named = given ?? env['IMAGE_BRIDGE_URL'];
  if (named !== undefined) {
    const source = given === undefined ? 'IMAGE_BRIDGE_URL' : '--url';
    if (isHttpUrl(named)) return found(named.replace(/\/+$/, ''), [TOKEN], env);
    const rule = 'must be an http or https address without a user and a query';
    return { ok: false, problems: [`${source} ${rule}`] };
  }
  const { config: configFile, set, presets = {} } = configuration;
  const loaded = await loadConfig({ env, cwd, configFile, set, presets });
  if (!loaded.ok) return { ok: false, problems: loaded.errors.map(problemLine) };
  const own = loaded.config.server.bearer_token_env;
  return found(toLocalAddress(loaded.config), own === undefined ? [TOKEN] : [TOKEN, own], env);
}

/** With the token of the first variable that has a value: one that is set to nothing is as good as unset. */
function found(url: string, variables: readonly string[], env: CommandIo['env']): Found {
  for (const variable of variables) {
    const token = env[variable]?.trim() ?? '';
    if (token === '') continue;
    if (/^[\x21-\x7e]+$/.test(token)) return { ok: true, address: { url, token } };
    return { ok: false, problems: [`${variable} holds characters that no header can carry`] };
  }
  return { ok: true, address: { url, token: undefined } };
}

function isHttpUrl(text: string): boolean {
  const url = URL.parse(text);
  if (!url) return false;
  const isHttp = url.protocol === 'http:' || url.protocol === 'https:';
  return isHttp && `${url.search}${url.hash}${url.username}${url.password}` === '';
}
