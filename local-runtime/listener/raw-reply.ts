import { STATUS_CODES } from 'node:http';
import type { BridgeError } from '../../lib/errors/bridge-error.ts';
import type { HttpReply } from '../../lib/http/http-event.ts';
import { toErrorReply } from '../../lib/http/reply/error-reply.ts';
import { requestIdOf } from '../../lib/http/request-context.ts';
import type { Ids } from '../../lib/platform/ids.ts';

/** The reply to a request that never reached the stack. It has the same shape and closes the connection. */
export function toRawReply(error: BridgeError, ids: Ids, requestId?: string): HttpReply {
  const id = requestIdOf(requestId, ids);
  const reply = toErrorReply(error, id);
  const length = reply.body instanceof Uint8Array ? reply.body.byteLength : 0;
  const headers = { 'x-request-id': id, 'content-length': String(length), connection: 'close' };
  return { ...reply, headers: { ...reply.headers, ...headers } };
}

/** The same reply as bytes, for a socket without a parser. */
export function toRawBytes(error: BridgeError, ids: Ids): Buffer {
  const { statusCode, headers, body } = toRawReply(error, ids);
  const content = body instanceof Uint8Array ? body : Buffer.alloc(0);
  const lines = Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  const head = `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode] ?? ''}\r\n${lines}\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), content]);
}
