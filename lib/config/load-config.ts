import type { Clock } from '../platform/clock.ts';
import { type ResolvedConfig, resolveConfig } from './resolve-config.ts';
import { locateConfigFiles, type Places, readConfigFile } from './sources/config-file.ts';
import {
  environmentSource,
  fileSource,
  overrideSource,
  type Presets,
  presetSource,
  type Source,
} from './sources/source.ts';

export interface LoadOptions extends Places {
  /** The values of `--set`: `field=value`. */
  readonly set?: readonly string[] | undefined;
  readonly presets?: Presets | undefined;
  readonly clock?: Pick<Clock, 'nowMs'> | undefined;
}

/**
 * Resolves with the validated configuration, or with all problems of an invalid configuration. The order of precedence is
 * default < preset < file < environment < `set`. Reads only the configuration file. Opens no folder, database, lock or socket,
 * and reads no secret.
 */
export async function loadConfig(options: LoadOptions): Promise<ResolvedConfig> {
  const file = await loadFile(options);
  const sources = [
    presetSource(options.presets ?? {}),
    file,
    environmentSource(options.env),
    overrideSource(options.set ?? []),
  ];
  return resolveConfig(sources, options.clock);
}

async function loadFile(options: LoadOptions): Promise<Source> {
  const nothing = { origin: 'file', settings: [], entries: [], problems: [] } as const;
  for (const file of locateConfigFiles(options)) {
    const reading = await readConfigFile(file);
    if (reading.kind === 'text') return fileSource(reading.text, file);
    if (reading.kind === 'absent') continue;
    const { namedBy: field, givenPath: source } = file;
    return { ...nothing, problems: [{ field, source, message: reading.message }] };
  }
  return nothing;
}
