import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpReply } from '../lib/http/http-event.ts';
import type { Clock } from '../lib/platform/clock.ts';
import { writePieces } from './write-pieces.ts';

interface Deps {
  readonly clock: Clock;
  /** `server.max_body_bytes`: how much of an unread body is read and dropped after an early answer. */
  readonly maxDrainBytes: number;
  /** Aborts when the house closes: from then on no peer is waited for long. */
  readonly lastCall: AbortSignal;
}

export type SendReply = ReturnType<typeof createSendReply>;

const DRAIN_MS = 2000;
// Beyond this size the copy of the body costs more than a second piece does.
const ONE_WRITE_BYTES = 16_384;

/** The one place that knows how an answer becomes HTTP. */
export function createSendReply({ clock, maxDrainBytes, lastCall }: Deps) {
  /** Resolves when the answer has been handed to the socket, or the client has gone. */
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
      // Written, not ended: the answer is on its way while the rest of the upload is dropped. Closing at once would
      // reset the connection, the client would lose the answer, and upload everything again.
      if (isBodiless || !(body instanceof Uint8Array)) outgoing.flushHeaders();
      else outgoing.write(body);
      await drain(incoming, clock, maxDrainBytes);
      // Whoever still waits for the rest of the request learns that it will not come.
      outgoing.once('finish', () => incoming.destroy());
      outgoing.end();
    } else if (isBodiless || body === undefined) outgoing.end();
    else if (!(body instanceof Uint8Array)) await writePieces(body, outgoing, { clock, lastCall });
    else if (body.byteLength > ONE_WRITE_BYTES) outgoing.end(body);
    // Node joins the head with a string into one write; a buffer goes out as a second piece.
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

/** Reads and drops what is left of a body, within the bounds of contract.md 0. */
function drain(incoming: IncomingMessage, clock: Clock, maxBytes: number): Promise<void> {
  // Who waits for "100 Continue" has sent nothing and, once answered, will not.
  if (incoming.destroyed || incoming.headers.expect !== undefined) return Promise.resolve();
  return new Promise((resolve) => {
    let dropped = 0;
    const finish = () => {
      cancel();
      incoming.off('data', onData).off('end', finish).off('error', finish).off('close', finish);
      resolve();
    };
    const onData = (chunk: Buffer) => {
      dropped += chunk.length;
      if (dropped > maxBytes) finish();
    };
    const cancel = clock.after(DRAIN_MS, finish);
    incoming.on('data', onData).on('end', finish).on('error', finish).on('close', finish);
    incoming.resume();
  });
}
