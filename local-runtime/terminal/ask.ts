import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';

/** Asks at the terminal. Empty at the end of the input. Ctrl+C ends the program as it does where nothing is asked. */
export async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  // The terminal sends Ctrl+C as a character while a line is edited.
  terminal.once('SIGINT', () => {
    terminal.close();
    process.kill(process.pid, 'SIGINT');
  });
  try {
    const closed = once(terminal, 'close').then(() => '');
    // Ctrl+D rejects with a newer Node, and only closes with an older one.
    return await Promise.race([terminal.question(question).catch(() => ''), closed]);
  } finally {
    terminal.close();
  }
}
