import { loadConfig } from '../../lib/config/load-config.ts';
import { problemLine } from '../../lib/config/problem.ts';
import type { Config } from '../../lib/config/settings/settings.ts';
import { nameDamage } from '../../lib/storage/open-stores.ts';
import type { CommandIo } from './command-io.ts';
import { type ConfigurationOptions, toLoadOptions } from './command-table/options.ts';
import { reportError } from './print.ts';

/** Runs `work` with the configuration of a command, and prints errors. Resolves with the exit code. */
export async function withConfig(
  { options, io }: { readonly options: ConfigurationOptions; readonly io: CommandIo },
  work: (config: Config) => number | Promise<number>,
): Promise<number> {
  const loaded = await loadConfig(toLoadOptions(options, io));
  if (!loaded.ok) {
    for (const problem of loaded.errors) io.stderr(`${problemLine(problem)}\n`);
    return 2;
  }
  try {
    return await work(loaded.config);
  } catch (thrown) {
    return reportError(nameDamage(thrown, loaded.config), io);
  }
}
