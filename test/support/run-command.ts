import type { CommandIo } from '../../local-runtime/command-io.ts';
import { runCommandLine } from '../../local-runtime/command-line.ts';

/** How a command ended, in the process of the test. */
interface Ended {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

const NO_TERMINAL = { stdin: false, stdout: false, stderr: false };

/** Runs one command line; by default without a terminal and with an empty environment. */
export async function runCommand(
  argv: readonly string[],
  io: Partial<CommandIo> & Pick<CommandIo, 'cwd'>,
): Promise<Ended> {
  let stdout = '';
  let stderr = '';
  const exitCode = await runCommandLine(argv, {
    env: {},
    isTerminal: NO_TERMINAL,
    ask: async () => '',
    stdout: (text) => {
      stdout += text;
    },
    stderr: (text) => {
      stderr += text;
    },
    ...io,
  });
  return { exitCode, stdout, stderr };
}
