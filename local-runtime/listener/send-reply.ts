import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpReply } from '../../lib/http/http-event.ts';
import { type DrainOptions, drain } from './drain.ts';
import { writePieces } from './write-pieces.ts';

export type SendReply = ReturnType<typeof createSendReply>;

// Beyond this size the copy of the body costs more than a second write does.
const ONE_WRITE_BYTES = 16_384;

/** Writes replies to sockets. Nothing else does. */
export function createSendReply(options: DrainOptions) {
  /** Resolves when the reply has been passed to the socket, or the client has disconnected. */
  return async function sendReply(
    reply: HttpReply,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    closeAfter: boolean,
  ): Promise<void> {
    if (outgoing.headersSent || outgoing.destroyed) return;
    const isUnread = !incoming.complete;
    const { statusCode, body } = reply;
    outgoing.writeHead(statusCode, toHeaders(reply, isUnread || closeAfter));
    const isBodiless = incoming.method === 'HEAD' || statusCode === 304 || statusCode === 204;
    if (isUnread) {
      // Written, not ended: Node would close the connection at once.
      if (isBodiless || !(body instanceof Uint8Array)) outgoing.flushHeaders();
      else outgoing.write(body);
      await drain(incoming, options);
      // What still waits for the rest of the request has to fail.
      outgoing.once('finish', () => incoming.destroy());
      outgoing.end();
    } else if (isBodiless || body === undefined) outgoing.end();
    else if (!(body instanceof Uint8Array)) {
      // Its first event may be long in coming.
      if (reply.headers['content-type'] === 'text/event-stream') outgoing.flushHeaders();
      await writePieces(body, outgoing, options);
    } else if (body.byteLength > ONE_WRITE_BYTES) outgoing.end(body);
    // Node joins a string with the head into one write. A buffer would be a second one.
    else outgoing.end(toLatin1(body), 'latin1');
  };
}

/** One character a byte, so that the bytes are sent as they are. */
function toLatin1({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
}

function toHeaders(reply: HttpReply, isLast: boolean): Record<string, string> {
  const { headers } = reply;
  if (reply.body instanceof Uint8Array) headers['content-length'] ??= String(reply.body.byteLength);
  if (isLast) headers['connection'] = 'close';
  return headers;
}
