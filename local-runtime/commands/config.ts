import { parseArgs } from 'node:util';
import { type LoadOptions, loadConfig } from '../../lib/config/load-config.ts';
import { problemLine, warningLine } from '../../lib/config/problem.ts';
import type { ResolvedConfig } from '../../lib/config/resolve-config.ts';
import { toToml } from '../../lib/config/sources/toml.ts';
import type { CommandIo } from '../command-io.ts';

const USAGE =
  'usage: image-bridge config check|show|origins [--config FILE] [--set field=value]... [--json]';

type Loaded = Extract<ResolvedConfig, { ok: true }>;

/**
 * `image-bridge config …`, `argv` being what follows these two words. Resolves to the exit code: 0, or 2 for an invalid
 * configuration and for bad usage. Reads the configuration file and nothing else.
 */
export async function runConfigCommand(argv: readonly string[], io: CommandIo): Promise<number> {
  const command = parseCommand(argv);
  if (!command) {
    io.stderr(`${USAGE}\n`);
    return 2;
  }
  const loaded = await loadConfig({ ...command.load, env: io.env, cwd: io.cwd });
  if (command.verb === 'check') {
    io.stdout(command.json ? checkJson(loaded) : checkText(loaded));
    return loaded.ok ? 0 : 2;
  }
  if (!loaded.ok) {
    io.stderr(checkText(loaded));
    return 2;
  }
  const print = command.verb === 'show' ? showText : originsText;
  io.stdout(print(loaded, command.json));
  return 0;
}

interface Command {
  readonly verb: 'check' | 'show' | 'origins';
  readonly json: boolean;
  readonly load: Pick<LoadOptions, 'configFile' | 'set'>;
}

function parseCommand(argv: readonly string[]): Command | undefined {
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        config: { type: 'string' },
        set: { type: 'string', multiple: true },
        json: { type: 'boolean', default: false },
      },
    });
    const [verb, ...rest] = positionals;
    if ((verb !== 'check' && verb !== 'show' && verb !== 'origins') || rest.length > 0) {
      return undefined;
    }
    return { verb, json: values.json, load: { configFile: values.config, set: values.set } };
  } catch {
    // `parseArgs` throws for an unknown option and for a missing value.
    return undefined;
  }
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

function showText({ config }: Loaded, asJson: boolean): string {
  return asJson ? json(config) : toToml(config);
}

function originsText({ origins }: Loaded, asJson: boolean): string {
  return asJson ? json(origins) : lines(origins.map(({ field, source }) => `${field} ${source}`));
}

function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join('');
}
