import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';

/** Asks a question at the terminal. Resolves with an empty text at the end of the input. Ctrl+C ends the program as usual. */
export async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  // While the user edits a line, the terminal sends Ctrl+C as a character and not as a signal.
  terminal.once('SIGINT', () => {
    terminal.close();
    process.kill(process.pid, 'SIGINT');
  });
  try {
    const closed = once(terminal, 'close').then(() => '');
    // On Ctrl+D, newer versions of Node reject the question. Older versions only close the interface.
    return await Promise.race([terminal.question(question).catch(() => ''), closed]);
  } finally {
    terminal.close();
  }
}

/** Reads a stream to its end. If the stream is longer than `maxBytes`, stops reading and resolves with undefined. */
export async function readInput(
  stream: AsyncIterable<Buffer>,
  maxBytes: number,
): Promise<Buffer | undefined> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of stream) {
    length += piece.length;
    if (length > maxBytes) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
