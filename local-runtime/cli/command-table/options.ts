import type { LoadOptions } from '../../../lib/config/load-config.ts';
import { parseAuthority } from '../../../lib/config/values/addresses.ts';
import type { ListenAddress } from '../../server/listener/http-server.ts';
import type { CommandIo } from '../command-io.ts';
import type { OptionValues, ValueForm } from './command.ts';

/** The options of all commands that read the configuration. */
export const CONFIGURATION = {
  config: { value: 'FILE', about: 'the configuration file instead of ./image-bridge.toml' },
  set: { value: 'field=value', isRepeated: true, about: 'override one setting' },
} as const;

export const JSON_OUTPUT = { json: { about: 'print JSON' } } as const;

export type ConfigurationOptions = OptionValues<typeof CONFIGURATION>;
export type JsonOption = OptionValues<typeof JSON_OUTPUT>;

/** Returns the sources of the configuration of a command. */
export function toLoadOptions({ config, set }: ConfigurationOptions, io: CommandIo): LoadOptions {
  return { configFile: config, set, env: io.env, cwd: io.cwd };
}

export const WHOLE_NUMBER: ValueForm<number> = {
  parse: (text) => (/^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined),
  rule: 'It must be a whole number of at least 1.',
};

export const SIGNED_NUMBER: ValueForm<number> = {
  parse: (text) => (/^-?\d{1,14}$/.test(text) ? Number(text) : undefined),
  rule: 'It must be a whole number.',
};

export const LISTEN_ADDRESS: ValueForm<ListenAddress> = {
  parse(text) {
    const { host, port } = parseAuthority(text) ?? {};
    return host === undefined || port === undefined ? undefined : { host, port };
  },
  rule: 'It must be HOST:PORT, such as 127.0.0.1:8787.',
};

/** An http or https URL without a path. The parsed value has no trailing slash. */
export const ORIGIN: ValueForm<string> = {
  parse(text) {
    const url = URL.parse(text);
    if (!url || !/^https?:$/.test(url.protocol)) return undefined;
    const rest = `${url.pathname}${url.search}${url.hash}${url.username}${url.password}`;
    return rest === '/' ? url.origin : undefined;
  },
  rule: 'It must be an http or https URL without a path, such as http://127.0.0.1:8788.',
};

export const COLOR: ValueForm<string> = {
  parse: (text) => (/^#[0-9a-f]{6}$/i.test(text) ? text : undefined),
  rule: 'It must have the form #RRGGBB.',
};

/** The option of all commands that use a running service. */
export const SERVICE_OPTION = {
  url: { value: 'URL', about: 'the URL of the service; its token is in IMAGE_BRIDGE_TOKEN' },
} as const;

export type ServiceOption = OptionValues<typeof SERVICE_OPTION>;
