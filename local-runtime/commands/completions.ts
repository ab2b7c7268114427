import type { Call, CommandTable } from '../command-table/command.ts';
import { bashCompletions } from '../command-table/completions/bash.ts';
import { fishCompletions } from '../command-table/completions/fish.ts';
import { zshCompletions } from '../command-table/completions/zsh.ts';

const SHELLS = { bash: bashCompletions, zsh: zshCompletions, fish: fishCompletions };

/** `image-bridge completions`. Resolves to the exit code. */
export async function runCompletions(
  { args, io }: Call<{ readonly shell: keyof typeof SHELLS }, unknown>,
  table: CommandTable,
): Promise<number> {
  io.stdout(SHELLS[args.shell](table));
  return 0;
}
