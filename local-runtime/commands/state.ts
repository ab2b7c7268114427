import { resolve } from 'node:path';
import { loadConfig } from '../../lib/config/load-config.ts';
import { problemLine } from '../../lib/config/problem.ts';
import type { Config } from '../../lib/config/settings/settings.ts';
import { BridgeError } from '../../lib/errors/bridge-error.ts';
import { backUpState, checkState } from '../../lib/storage/inspect-state.ts';
import type { Call } from '../command-table/command.ts';
import {
  type ConfigurationOptions,
  toLoadOptions,
} from '../command-table/configuration-options.ts';

type StateCall<Arguments = unknown> = Call<Arguments, ConfigurationOptions>;

/** `image-bridge state check`; a bridge may be serving from the same directory. Resolves to the exit code. */
export function runStateCheck(call: StateCall): Promise<number> {
  return withConfig(call, (config) => {
    const findings = checkState(config);
    const sentences = findings.length > 0 ? findings : ['The state is valid.'];
    call.io.stdout(sentences.map((sentence) => `${sentence}\n`).join(''));
    return findings.length > 0 ? 1 : 0;
  });
}

/** `image-bridge state backup`; a bridge may be serving from the same directory. Resolves to the exit code. */
export function runStateBackup(call: StateCall<{ readonly file: string }>): Promise<number> {
  return withConfig(call, (config) => {
    if (backUpState(config, resolve(call.io.cwd, call.args.file))) return 0;
    call.io.stderr('image-bridge: there is a file of that name already\n');
    return 1;
  });
}

async function withConfig(
  { options, io }: StateCall,
  work: (config: Config) => number,
): Promise<number> {
  const loaded = await loadConfig(toLoadOptions(options, io));
  if (!loaded.ok) {
    for (const problem of loaded.errors) io.stderr(`${problemLine(problem)}\n`);
    return 2;
  }
  try {
    return work(loaded.config);
  } catch (error) {
    if (!(error instanceof BridgeError)) throw error;
    io.stderr(`image-bridge: ${error.message}\n`);
    return 1;
  }
}
