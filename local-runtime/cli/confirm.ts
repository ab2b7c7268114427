import type { CommandIo } from './command-io.ts';

/** Asks a question on the terminal. Resolves with true if the user agrees. An empty reply counts as `byDefault`. */
export async function confirm(
  question: string,
  byDefault: boolean,
  io: Pick<CommandIo, 'ask'>,
): Promise<boolean> {
  const reply = (await io.ask(question)).trim().toLowerCase();
  return reply === '' ? byDefault : reply === 'y' || reply === 'yes';
}
