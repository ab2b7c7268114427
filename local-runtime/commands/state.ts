import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type LoadOptions, loadConfig } from '../../lib/config/load-config.ts';
import { problemLine } from '../../lib/config/problem.ts';
import type { Config } from '../../lib/config/settings/settings.ts';
import { BridgeError } from '../../lib/errors/bridge-error.ts';
import { backUpState, checkState } from '../../lib/storage/inspect-state.ts';
import type { CommandIo } from '../command-io.ts';

const USAGE = 'usage: image-bridge state check|backup FILE [--config FILE] [--set field=value]...';

/**
 * `image-bridge state …`, `argv` being what follows these two words; a bridge may be serving from the same directory.
 * Resolves to the exit code: 0, 1 when something is wrong with the database or no copy was made, 2 for an invalid
 * configuration and for bad usage.
 */
export async function runStateCommand(argv: readonly string[], io: CommandIo): Promise<number> {
  const command = parseCommand(argv);
  if (!command) {
    io.stderr(`${USAGE}\n`);
    return 2;
  }
  const loaded = await loadConfig({ ...command.load, env: io.env, cwd: io.cwd });
  if (!loaded.ok) {
    for (const problem of loaded.errors) io.stderr(`${problemLine(problem)}\n`);
    return 2;
  }
  const { config } = loaded;
  try {
    return command.target === undefined
      ? check(config, io)
      : backUp(config, resolve(io.cwd, command.target), io);
  } catch (error) {
    if (!(error instanceof BridgeError)) throw error;
    io.stderr(`image-bridge: ${error.message}\n`);
    return 1;
  }
}

interface Command {
  /** Where to copy to; a check has none. */
  readonly target: string | undefined;
  readonly load: Pick<LoadOptions, 'configFile' | 'set'>;
}

function parseCommand(argv: readonly string[]): Command | undefined {
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: { config: { type: 'string' }, set: { type: 'string', multiple: true } },
    });
    const [verb, target, ...rest] = positionals;
    // A check takes nothing, a backup the name of a file.
    const isValid = verb === 'backup' ? Boolean(target) : verb === 'check' && target === undefined;
    if (!isValid || rest.length > 0) return undefined;
    return { target, load: { configFile: values.config, set: values.set } };
  } catch {
    // `parseArgs` throws for an unknown option and for a missing value.
    return undefined;
  }
}

function check(config: Config, io: CommandIo): number {
  const findings = checkState(config);
  const sentences = findings.length > 0 ? findings : ['The state is valid.'];
  io.stdout(sentences.map((sentence) => `${sentence}\n`).join(''));
  return findings.length > 0 ? 1 : 0;
}

function backUp(config: Config, target: string, io: CommandIo): number {
  if (backUpState(config, target)) return 0;
  io.stderr('image-bridge: there is a file of that name already\n');
  return 1;
}
