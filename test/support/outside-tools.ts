import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The output of a program and the way it ended. */
interface Outcome {
  readonly code: number;
  readonly output: string;
}

/** Runs a program to its end. */
export async function runTool(
  program: string,
  argv: readonly string[],
  cwd?: string,
): Promise<Outcome> {
  try {
    const { stdout, stderr } = await run(program, argv, { cwd, maxBuffer: 64 * 1024 * 1024 });
    return { code: 0, output: stdout + stderr };
  } catch (error) {
    const { code, stdout = '', stderr = '' } = error as Partial<Record<string, string>>;
    return { code: Number(code ?? 1), output: `${stdout}${stderr}` };
  }
}

/** Returns true if a program is installed. Tests that need a missing program are skipped, except in CI. */
export async function isInstalled(program: string, argv: readonly string[]): Promise<boolean> {
  return process.env['CI'] !== undefined || (await runTool(program, argv)).code === 0;
}
