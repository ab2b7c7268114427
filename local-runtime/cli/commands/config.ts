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

type Loaded = Extract<ResolvedConfig, { ok: true }>;
type ConfigCall = Call<unknown, ConfigurationOptions & JsonOption>;

/** Runs `image-bridge config check`. Resolves with the exit code: 2 for an invalid configuration. */
export async function runConfigCheck({ options, io }: ConfigCall): Promise<number> {
  const loaded = await loadConfig(toLoadOptions(options, io));
  io.stdout(options.json ? checkJson(loaded) : checkText(loaded));
  return loaded.ok ? 0 : 2;
}

/** Runs `image-bridge config show`. Resolves with the exit code. */
export function runConfigShow(call: ConfigCall): Promise<number> {
  return print(call, ({ config }, asJson) => (asJson ? json(config) : toToml(config)));
}

/** Runs `image-bridge config origins`. Resolves with the exit code. */
export function runConfigOrigins(call: ConfigCall): Promise<number> {
  return print(call, ({ origins }, asJson) => {
    if (asJson) return json(origins);
    return lines(origins.map(({ field, source }) => `${field} ${source}`));
  });
}

async function print(
  { options, io }: ConfigCall,
  toText: (loaded: Loaded, asJson: boolean) => string,
): Promise<number> {
  const loaded = await loadConfig(toLoadOptions(options, io));
  if (!loaded.ok) {
    io.stderr(checkText(loaded));
    return 2;
  }
  io.stdout(toText(loaded, options.json));
  return 0;
}

function checkJson(loaded: ResolvedConfig): string {
  const errors = loaded.ok ? [] : loaded.errors;
  return json({ ok: loaded.ok, errors, warnings: loaded.warnings });
}

function checkText(loaded: ResolvedConfig): string {
  return lines([
    ...(loaded.ok ? [] : loaded.errors.map(problemLine)),
    ...loaded.warnings.map(warningLine),
    ...(loaded.ok ? ['The configuration is valid.'] : []),
  ]);
}

function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join('');
}
