import { loadConfig } from '../../../lib/config/load-config.ts';
import { problemLine, warningLine } from '../../../lib/config/problem.ts';
import type { ResolvedConfig } from '../../../lib/config/resolve-config.ts';
import { toToml } from '../../../lib/config/sources/toml.ts';
import type { Call } from '../command-table/command.ts';
import {
  type ConfigurationOptions,
  type JsonOption,
  toLoadOptions,
} from '../command-table/options.ts';
import { printJson } from '../print.ts';

type Loaded = Extract<ResolvedConfig, { ok: true }>;
type ConfigCall = Call<unknown, ConfigurationOptions & JsonOption>;

export async function runConfigCheck({ options, io }: ConfigCall): Promise<number> {
  const loaded = await loadConfig(toLoadOptions(options, io));
  const { ok, warnings } = loaded;
  const errors = ok ? [] : loaded.errors;
  if (options.json) printJson({ ok, errors, warnings }, io);
  else io.stdout(checkText(loaded));
  return ok ? 0 : 2;
}

export function runConfigShow(call: ConfigCall): Promise<number> {
  return print(call, ({ config }) => [config, toToml(config)]);
}

export function runConfigOrigins(call: ConfigCall): Promise<number> {
  return print(call, ({ origins }) => [
    origins,
    lines(origins.map(({ field, source }) => `${field} ${source}`)),
  ]);
}

/** Loads the configuration and prints a part of it, as JSON with `--json` and as text without it. */
async function print(
  { options, io }: ConfigCall,
  toForms: (loaded: Loaded) => readonly [json: object, text: string],
): Promise<number> {
  const loaded = await loadConfig(toLoadOptions(options, io));
  if (!loaded.ok) {
    io.stderr(checkText(loaded));
    return 2;
  }
  const [json, text] = toForms(loaded);
  if (options.json) printJson(json, io);
  else io.stdout(text);
  return 0;
}

function checkText(loaded: ResolvedConfig): string {
  return lines([
    ...(loaded.ok ? [] : loaded.errors.map(problemLine)),
    ...loaded.warnings.map(warningLine),
    ...(loaded.ok ? ['The configuration is valid.'] : []),
  ]);
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join('');
}
