import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { BridgeError } from '../lib/errors/bridge-error.ts';
import { toErrorReply } from '../lib/http/error-reply.ts';
import type { HttpReply } from '../lib/http/http-event.ts';
import { requestIdOf } from '../lib/http/request-context.ts';
import type { Ids } from '../lib/platform/ids.ts';

/** The answer to a request that never reached the stack: the same shape, an id, and the end of the connection. */
export function toRawReply(error: BridgeError, ids: Ids, requestId?: string): HttpReply {
  const id = requestIdOf(requestId, ids);
  const reply = toErrorReply(error, id);
  const length = reply.body instanceof Uint8Array ? reply.body.byteLength : 0;
  const headers = { 'x-request-id': id, 'content-length': String(length), connection: 'close' };
  return { ...reply, headers: { ...reply.headers, ...headers } };
}

/** Answers bytes that are no HTTP, on the socket itself, and closes it. */
export function replyOnSocket(socket: Duplex, error: BridgeError, ids: Ids): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const { statusCode, headers, body } = toRawReply(error, ids);
  const content = body instanceof Uint8Array ? body : Buffer.alloc(0);
  const lines = Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  socket.end(
    Buffer.concat([
      Buffer.from(
        `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode] ?? ''}\r\n${lines}\r\n`,
        'latin1',
      ),
      content,
    ]),
  );
}
