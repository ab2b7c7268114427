import { spawn } from 'node:child_process';
import { once } from 'node:events';

interface Bounds {
  readonly cwd?: string;
  /** The time after which the program is interrupted, so that the program still reports its findings. */
  readonly maxMs: number;
  /** The time that the program has to end after the interruption. Then it is killed. */
  readonly graceMs: number;
}

/** Runs a program until its end, or until the time is over. Resolves with its exit code, or with null if it was ended by a signal. */
export async function runBounded(
  program: string,
  words: readonly string[],
  { cwd, maxMs, graceMs }: Bounds,
): Promise<number | null> {
  const child = spawn(program, words, {
    stdio: ['ignore', 'inherit', 'inherit'],
    ...(cwd === undefined ? {} : { cwd }),
  });
  const interrupt = setTimeout(() => child.kill('SIGINT'), maxMs);
  const kill = setTimeout(() => child.kill('SIGKILL'), maxMs + graceMs);
  try {
    const [code] = (await once(child, 'exit')) as [number | null];
    return code;
  } finally {
    clearTimeout(interrupt);
    clearTimeout(kill);
  }
}
