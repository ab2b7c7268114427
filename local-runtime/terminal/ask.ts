import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';

/** Asks at the terminal. Empty at the end of the input. */
export async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const closed = once(terminal, 'close').then(() => '');
    return await Promise.race([terminal.question(question), closed]);
  } finally {
    terminal.close();
  }
}
