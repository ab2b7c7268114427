import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { HttpReply } from '../../../lib/http/http-event.ts';
import type { Clock } from '../../../lib/platform/clock.ts';

export type SendReply = ReturnType<typeof createSendReply>;

// Above this size, a copy of the body takes more time than a second write.
const ONE_WRITE_BYTES = 16_384;

/** Creates the function that writes replies to sockets. */
export function createSendReply(options: DrainOptions) {
  /** Sends a reply. Resolves when the reply has been passed to the socket, or when the client has disconnected. */
  return async function sendReply(
    reply: HttpReply,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    closeAfter: boolean,
  ): Promise<void> {
    if (outgoing.headersSent || outgoing.destroyed) return;
    const isUnread = !incoming.complete;
    const { statusCode } = reply;
    outgoing.writeHead(statusCode, toHeaders(reply, isUnread || closeAfter));
    const isBodiless = incoming.method === 'HEAD' || statusCode === 304 || statusCode === 204;
    const body = isBodiless ? undefined : reply.body;
    if (isUnread) {
      // Written without `end`, because `end` would make Node close the connection immediately.
      if (body instanceof Uint8Array) outgoing.write(body);
      else outgoing.flushHeaders();
      await drain(incoming, options);
      // After this call, a reader that still waits for the rest of the request fails.
      outgoing.once('finish', () => incoming.destroy());
      if (body === undefined || body instanceof Uint8Array) outgoing.end();
      else await writePieces(body, outgoing, options);
    } else if (body === undefined) outgoing.end();
    else if (!(body instanceof Uint8Array)) {
      // The first event may come much later than the head.
      if (reply.headers['content-type'] === 'text/event-stream') outgoing.flushHeaders();
      await writePieces(body, outgoing, options);
    } else if (body.byteLength > ONE_WRITE_BYTES) outgoing.end(body);
    // Node writes a string together with the head. A buffer would need a second write.
    else outgoing.end(toLatin1(body), 'latin1');
  };
}

/** Converts each byte to one character, so that the bytes are sent unchanged. */
function toLatin1({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
}

function toHeaders(reply: HttpReply, isLast: boolean): Record<string, string> {
  const { headers } = reply;
  if (reply.body instanceof Uint8Array) headers['content-length'] ??= String(reply.body.byteLength);
  if (isLast) headers['connection'] = 'close';
  return headers;
}

interface Options {
  readonly clock: Pick<Clock, 'after'>;
  /** Aborts when the grace period of a shutdown ends. The rest of the body must then be sent within one second. */
  readonly shutdown: AbortSignal;
}

const LAST_PIECES_MS = 1000;

/**
 * Writes a body piece by piece. Requests a piece only when the previous piece has been written, so that no piece is created
 * for a client that does not read. Resolves at the end of the body, or when the connection breaks.
 */
async function writePieces(
  body: AsyncIterable<Uint8Array>,
  outgoing: ServerResponse,
  { clock, shutdown }: Options,
): Promise<void> {
  let cancel = () => {};
  const onShutdown = () => {
    cancel = clock.after(LAST_PIECES_MS, () => outgoing.destroy());
  };
  if (shutdown.aborted) onShutdown();
  else shutdown.addEventListener('abort', onShutdown, { once: true });
  try {
    for await (const piece of body) {
      if (outgoing.destroyed) return;
      await write(piece, outgoing);
    }
    outgoing.end();
  } catch {
    // The status has been sent, so only a broken connection can show the client that the body is incomplete.
    outgoing.destroy();
  } finally {
    cancel();
    shutdown.removeEventListener('abort', onShutdown);
  }
}

/** Writes a piece. Resolves when the kernel has accepted the piece, or when the connection breaks. */
function write(piece: Uint8Array, outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      outgoing.off('close', settle);
      resolve();
    };
    outgoing.once('close', settle);
    outgoing.write(piece, settle);
  });
}

export interface DrainOptions {
  readonly clock: Pick<Clock, 'after'>;
  /** `server.max_body_bytes`. */
  readonly maxDrainBytes: number;
  /** Aborts when the grace period of a shutdown ends, which also ends the draining. */
  readonly shutdown: AbortSignal;
}

const DRAIN_MS = 2000;

/**
 * Reads and discards the rest of a request after an early reply, for at most two seconds and at most `maxDrainBytes`. If a
 * connection with unread bytes is closed, the system resets the connection and the client loses the reply.
 */
export function drain(
  stream: Readable,
  { clock, maxDrainBytes, shutdown }: DrainOptions,
): Promise<void> {
  if (stream.destroyed || stream.readableEnded || shutdown.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    let discarded = 0;
    const finish = () => {
      cancel();
      shutdown.removeEventListener('abort', finish);
      stream.off('data', onData).off('end', finish).off('error', finish).off('close', finish);
      resolve();
    };
    const onData = (chunk: Buffer) => {
      discarded += chunk.length;
      if (discarded > maxDrainBytes) finish();
    };
    const cancel = clock.after(DRAIN_MS, finish);
    shutdown.addEventListener('abort', finish, { once: true });
    stream.on('data', onData).on('end', finish).on('error', finish).on('close', finish);
    stream.resume();
  });
}
