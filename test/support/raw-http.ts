import { connect, type Socket } from 'node:net';

/** One reply as it was received. */
export interface RawReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Opens a plain connection, for bytes that an HTTP client would not send. */
export function openSocket(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    socket.once('connect', () => resolve(socket)).once('error', reject);
  });
}

/** Resolves with all bytes until the peer closes the connection. A reset counts as a close. */
export function untilClosed(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    const finish = () => {
      socket.destroy();
      resolve(Buffer.concat(chunks).toString('utf8'));
    };
    socket.once('end', finish).once('error', finish).once('close', finish);
  });
}

/** Sends bytes on a new connection and reads until the connection is closed. */
export async function requestRaw(port: number, bytes: string | Buffer): Promise<RawReply> {
  const socket = await openSocket(port);
  const closed = untilClosed(socket);
  socket.write(bytes);
  return parseReply(await closed);
}

export function parseReply(text: string): RawReply {
  const end = text.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = text.slice(0, Math.max(0, end)).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  return { status: Number(statusLine.split(' ')[1]), headers, text: text.slice(end + 4) };
}
