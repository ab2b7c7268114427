import type { RawReply } from '../support/raw-http.ts';
import { openSocket, parseReply } from '../support/raw-http.ts';
import { chunksOf, type Input } from './fuzzer.ts';

const PATIENCE_MS = 60_000;
const EVENT_STREAM = 'content-type: text/event-stream';

/** Sends the bytes on a new connection, closes its sending side, and resolves with all bytes of the replies. */
export async function exchange(port: number, input: Input): Promise<Buffer> {
  const socket = await openSocket(port);
  const received: Buffer[] = [];
  const closed = new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Error('the connection stays open although the client has closed its side'));
      socket.destroy();
    }, PATIENCE_MS);
    socket.on('error', () => {});
    socket.on('end', () => socket.destroy());
    socket.on('data', (chunk: Buffer) => {
      received.push(chunk);
      // A stream of events may be endless.
      if (Buffer.concat(received).toString('latin1').includes(EVENT_STREAM)) socket.destroy();
    });
    socket.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
  for (const chunk of chunksOf(input)) socket.write(chunk);
  socket.end();
  await closed;
  return Buffer.concat(received);
}

/** Returns the first of several replies. Undefined if its head or its body is not complete. */
export function firstReply(bytes: Buffer): RawReply | undefined {
  const text = bytes.toString('utf8');
  if (!text.includes('\r\n\r\n')) return undefined;
  const reply = parseReply(text);
  const length = reply.headers['content-length'];
  if (length === undefined) return undefined;
  const body = Buffer.from(reply.text).subarray(0, Number(length));
  return body.length < Number(length) ? undefined : { ...reply, text: body.toString('utf8') };
}
