import type { CommandIo } from './command-io.ts';
import { parseLine } from './command-table/parser.ts';
import { packageVersion } from './package-version.ts';

/** Runs one command line. Resolves to the exit code. */
export async function runCommandLine(argv: readonly string[], io: CommandIo): Promise<number> {
  const line = parseLine(argv.length === 0 ? ['--help'] : argv, io, packageVersion());
  return 'exitCode' in line ? line.exitCode : line.command.run({ ...line, io });
}
