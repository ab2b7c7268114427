import { InvalidArgumentError } from 'commander';
import type { LoadOptions } from '../../../lib/config/load-config.ts';
import { parseAuthority } from '../../../lib/config/values/addresses.ts';
import type { ListenAddress } from '../../server/listener/http-server.ts';
import type { CommandIo } from '../command-io.ts';
import type { OptionValues } from './command.ts';

/** The options of all commands that read the configuration. */
export const CONFIGURATION = {
  config: { value: 'file', about: 'the configuration file instead of ./image-bridge.toml' },
  set: { value: 'field=value', isRepeated: true, about: 'override one setting' },
} as const;

export const JSON_OUTPUT = { json: { about: 'print JSON' } } as const;

/** The option of all commands that use a running service. */
export const SERVICE_OPTION = {
  url: { value: 'url', about: 'the URL of the service; its token is in IMAGE_BRIDGE_TOKEN' },
} as const;

export type ConfigurationOptions = OptionValues<typeof CONFIGURATION>;
export type JsonOption = OptionValues<typeof JSON_OUTPUT>;
export type ServiceOption = OptionValues<typeof SERVICE_OPTION>;

/** Returns the sources of the configuration of a command. */
export function toLoadOptions({ config, set }: ConfigurationOptions, io: CommandIo): LoadOptions {
  return { configFile: config, set, env: io.env, cwd: io.cwd };
}

export function parseWholeNumber(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number of at least 1.');
}

export function parseSignedNumber(text: string): number {
  if (/^-?\d{1,14}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number.');
}

export function parseListenAddress(text: string): ListenAddress {
  const { host, port } = parseAuthority(text) ?? {};
  if (host !== undefined && port !== undefined) return { host, port };
  throw new InvalidArgumentError('It must be HOST:PORT, such as 127.0.0.1:8787.');
}

/** Parses an http or https URL without a path. Returns it without a trailing slash. */
export function parseOrigin(text: string): string {
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol)) {
    const rest = `${url.pathname}${url.search}${url.hash}${url.username}${url.password}`;
    if (rest === '/') return url.origin;
  }
  throw new InvalidArgumentError(
    'It must be an http or https URL without a path, such as http://127.0.0.1:8788.',
  );
}

export function parseColor(text: string): string {
  if (/^#[0-9a-f]{6}$/i.test(text)) return text;
  throw new InvalidArgumentError('It must have the form #RRGGBB.');
}
