import { loadConfig } from '../../lib/config/load-config.ts';
import { problemLine } from '../../lib/config/problem.ts';
import type { Config } from '../../lib/config/settings/settings.ts';
import type { Presets } from '../../lib/config/sources/source.ts';
import { parseAuthority } from '../../lib/config/values/addresses.ts';
import { createService, type Service, type ServiceAddress } from '../client/service.ts';
import { ServiceError } from '../client/service-error.ts';
import type { CommandIo } from './command-io.ts';
import type { ConfigurationOptions, ServiceOption } from './command-table/options.ts';
import { printable } from './terminal.ts';

/** Runs `work` with the service of a command, and prints errors. Resolves with the exit code. */
export async function withService(
  {
    options,
    io,
  }: { readonly options: ServiceOption & Partial<ConfigurationOptions>; readonly io: CommandIo },
  work: (service: Service) => Promise<number>,
): Promise<number> {
  const found = await findService(options.url, io, options);
  if (!found.ok) {
    for (const problem of found.problems) io.stderr(`image-bridge: ${problem}\n`);
    return 2;
  }
  try {
    return await work(createService(found.address));
  } catch (error) {
    if (error instanceof ServiceError) return reportServiceError(error, io);
    // Replies are not validated. If a reply does not match the contract, the code that uses the reply throws one of these
    // errors.
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
    const reason = `unexpected reply from ${found.address.url} (${error.message})`;
    return reportServiceError(new ServiceError(reason, 4), io);
  }
}

/** Prints the error and its advice. Returns its exit code. */
function reportServiceError({ message, advice, exitCode }: ServiceError, io: CommandIo): number {
  io.stderr(`image-bridge: ${printable(message)}\n`);
  for (const line of advice) io.stderr(`→ ${printable(line)}\n`);
  return exitCode;
}

const TOKEN = 'IMAGE_BRIDGE_TOKEN';

type Found =
  | { readonly ok: true; readonly address: ServiceAddress }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Resolves with the address of the service: the value of `--url`, else of `IMAGE_BRIDGE_URL`, else the listen address in the
 * configuration. The token is the value of `IMAGE_BRIDGE_TOKEN`. If the address is from the configuration, the token may also be in
 * the variable that the configuration names. This token is never sent to another service.
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
    const rule = 'must be an http or https URL without a user name, a password and a query';
    return { ok: false, problems: [`${source} ${rule}`] };
  }
  const { config: configFile, set, presets = {} } = configuration;
  const loaded = await loadConfig({ env, cwd, configFile, set, presets });
  if (!loaded.ok) return { ok: false, problems: loaded.errors.map(problemLine) };
  const own = loaded.config.server.bearer_token_env;
  return found(toLocalAddress(loaded.config), own === undefined ? [TOKEN] : [TOKEN, own], env);
}

/** Returns the address with the token from the first variable that has a value. An empty variable counts as unset. */
function found(url: string, variables: readonly string[], env: CommandIo['env']): Found {
  for (const variable of variables) {
    const token = env[variable]?.trim() ?? '';
    if (token === '') continue;
    if (/^[\x21-\x7e]+$/.test(token)) return { ok: true, address: { url, token } };
    const problem = `${variable} contains characters that are not allowed in an HTTP header`;
    return { ok: false, problems: [problem] };
  }
  return { ok: true, address: { url, token: undefined } };
}

function isHttpUrl(text: string): boolean {
  const url = URL.parse(text);
  if (!url) return false;
  const { protocol, search, hash, username, password } = url;
  return /^https?:$/.test(protocol) && `${search}${hash}${username}${password}` === '';
}

/** Returns the URL at which this machine can reach a bridge with this configuration, without a slash at the end. */
export function toLocalAddress({ server }: Pick<Config, 'server'>): string {
  const { host = '127.0.0.1', port = 0 } = parseAuthority(server.bind) ?? {};
  // A bridge that listens on all addresses can be reached on the loopback address.
  const reached = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}`;
}
