import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(
  new URL('../../../dist/test/support/emulator/main.js', import.meta.url),
);

export type StartedProgram = ReturnType<typeof startProgram>;

/** Starts the program of the emulators with these words. The caller can wait for its output. */
export function startProgram(...words: readonly string[]) {
  const started = spawn(process.execPath, [PROGRAM, ...words]);
  let printed = '';
  for (const stream of [started.stdout, started.stderr]) {
    stream.on('data', (part) => {
      printed += part;
    });
  }
  const ended = once(started, 'close').then(([code]) => ({ code, printed }));
  return {
    started,
    /** Exit code and all printed text. */
    ended,

    /** Resolves with the first group of the pattern as soon as the printed text matches it. */
    async prints(pattern: RegExp): Promise<string> {
      while (!pattern.test(printed)) {
        const isOver = await Promise.race([ended, once(started.stdout, 'data').then(() => false)]);
        if (isOver) throw new Error(`the program ended before it printed that: ${printed}`);
      }
      return pattern.exec(printed)?.[1] ?? '';
    },
  };
}
