import { connect, type Socket } from 'node:net';

/** A connection whose reply is read as it arrives. */
export interface OpenStream {
  readonly socket: Socket;
  readonly sentMs: number;
  /** Resolves with the time of arrival of the next occurrence of these words. */
  until(words: string): Promise<number>;
}

/** Connects and sends one request, given by its lines. */
export async function openStream(port: number, request: readonly string[]): Promise<OpenStream> {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  let text = '';
  let lastMs = 0;
  let wake = () => {};
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
    lastMs = performance.now();
    wake();
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve).once('error', reject);
  });
  const sentMs = performance.now();
  socket.write(request.join('\r\n'));
  return {
    socket,
    sentMs,
    async until(words) {
      for (;;) {
        const found = text.indexOf(words);
        if (found !== -1) {
          text = text.slice(found + words.length);
          return lastMs;
        }
        // Each byte is searched once, because searching a megabyte again with each chunk would dominate the measurement.
        text = text.slice(1 - words.length);
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
