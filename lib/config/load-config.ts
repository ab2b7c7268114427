import type { Clock } from '../platform/clock.ts';
import { type ResolvedConfig, resolveConfig } from './resolve-config.ts';
import { locateConfigFiles, readConfigFile } from './sources/config-file.ts';
import { fileSource } from './sources/file-source.ts';
import {
  environmentSource,
  overrideSource,
  type Presets,
  presetSource,
} from './sources/named-sources.ts';
import type { Source } from './sources/source.ts';

export interface LoadOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** What `--set` was given: `field=value`. */
  readonly set?: readonly string[] | undefined;
  /** What `--config` was given. */
  readonly configFile?: string | undefined;
  /** True if the file of the user's configuration folder is left out. */
  readonly ignoresUserFile?: boolean | undefined;
  readonly presets?: Presets | undefined;
  readonly clock?: Pick<Clock, 'nowMs'> | undefined;
}

/**
 * The checked configuration, or everything that is wrong with it. Default < preset < file < environment < `set`.
 * Reads the one file and opens nothing else: no folder, database, lock or socket; no secret is resolved.
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
  const nothing = { origin: 'file', settings: [], entries: [] } as const;
  for (const file of locateConfigFiles(options)) {
    const reading = await readConfigFile(file);
    if (reading.kind === 'text') return fileSource(reading.text, file);
    if (reading.kind === 'absent') continue;
    const { namedBy: field, givenPath: source } = file;
    return { ...nothing, problems: [{ field, source, message: reading.message }] };
  }
  return { ...nothing, problems: [] };
}
