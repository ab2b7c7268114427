import type { Socket } from 'node:net';
import { BridgeError } from '../../lib/errors/bridge-error.ts';

/** The error for a connection whose bytes Node could not parse. Undefined when no reply can be sent any more. */
export function malformedHttp(
  error: NodeJS.ErrnoException,
  socket: Socket,
): BridgeError | undefined {
  // A reply that has begun cannot be followed by another one.
  if (error.code === 'ECONNRESET' || !socket.writable || hasBegunReply(socket)) return undefined;
  if (error.code === 'HPE_HEADER_OVERFLOW') {
    return new BridgeError('header_too_large', 'the request head is too long');
  }
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new BridgeError('request_timeout', 'the request stopped before it was complete');
  }
  return new BridgeError('malformed_request', 'the request is not well-formed HTTP/1.1');
}

function hasBegunReply(socket: Socket): boolean {
  // Node's own handler of this event looks at the same member; there is no public one.
  const { _httpMessage: message } = socket as Socket & {
    _httpMessage?: { headersSent: boolean } | null;
  };
  return message?.headersSent ?? false;
}
