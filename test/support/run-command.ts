import type { CommandIo } from '../../local-runtime/cli/command-io.ts';
import { runCommandLine } from '../../local-runtime/cli/command-line.ts';

/** The end of a command that ran in the process of the test. */
interface Ended {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** An environment without a terminal, variables, or a signal that stops the command. */
export function testIo(cwd: string): CommandIo {
  return {
    cwd,
    env: {},
    isTerminal: { stdin: false, stdout: false, stderr: false },
    stdout: () => {},
    stderr: () => {},
    writeBytes: () => {},
    readInput: async () => Buffer.alloc(0),
    ask: async () => '',
    untilStopped: () => new Promise(() => {}),
  };
}

/** Runs one command line with `testIo`, changed by `io`. */
export async function runCommand(
  argv: readonly string[],
  io: Partial<CommandIo> & Pick<CommandIo, 'cwd'>,
): Promise<Ended> {
  let stdout = '';
  let stderr = '';
  const exitCode = await runCommandLine(argv, {
    ...testIo(io.cwd),
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
