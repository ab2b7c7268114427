import type { LoadOptions } from '../../lib/config/load-config.ts';
import type { CommandIo } from '../command-io.ts';
import type { OptionValues } from './command.ts';

/** The options of every command that reads the configuration. */
export const CONFIGURATION = {
  config: { value: 'FILE', about: 'the configuration file, instead of ./image-bridge.toml' },
  set: { value: 'field=value', isRepeated: true, about: 'overrides one setting' },
} as const;

export const JSON_OUTPUT = { json: { about: 'prints JSON' } } as const;

export type ConfigurationOptions = OptionValues<typeof CONFIGURATION>;
export type JsonOption = OptionValues<typeof JSON_OUTPUT>;

/** Where the configuration of a command comes from. */
export function toLoadOptions({ config, set }: ConfigurationOptions, io: CommandIo): LoadOptions {
  return { configFile: config, set, env: io.env, cwd: io.cwd };
}
