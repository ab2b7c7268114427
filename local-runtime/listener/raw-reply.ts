import { type IncomingHttpHeaders, STATUS_CODES } from 'node:http';
import type { BridgeError } from '../../lib/errors/bridge-error.ts';
import type { HttpReply } from '../../lib/http/http-event.ts';
import { toErrorReply } from '../../lib/http/reply/encode-reply.ts';
import { requestIdOf, traceOf, traceparent } from '../../lib/http/stack.ts';
import type { Ids } from '../../lib/platform/ids.ts';

/**
 * The reply to a request that never reached the stack. It has the same shape and closes the connection. `sent` are the
 * headers of the request; none where its head could not be parsed.
 */
export function toRawReply(
  error: BridgeError,
  ids: Ids,
  sent: IncomingHttpHeaders = {},
): HttpReply {
  const id = requestIdOf(sent['x-request-id']?.toString(), ids);
  const reply = toErrorReply(error, id);
  const length = reply.body instanceof Uint8Array ? reply.body.byteLength : 0;
  const headers = {
    'x-request-id': id,
    traceparent: traceparent(traceOf(sent['traceparent']?.toString(), ids)),
    'content-length': String(length),
    connection: 'close',
  };
  return { ...reply, headers: { ...reply.headers, ...headers } };
}

/** The same reply as bytes, for a socket without a parser. */
export function toRawBytes(error: BridgeError, ids: Ids, sent?: IncomingHttpHeaders): Buffer {
  const { statusCode, headers, body } = toRawReply(error, ids, sent);
  const content = body instanceof Uint8Array ? body : Buffer.alloc(0);
  const lines = Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  const head = `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode] ?? ''}\r\n${lines}\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), content]);
}
