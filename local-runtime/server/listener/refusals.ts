import { type IncomingHttpHeaders, type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { BridgeError } from '../../../lib/errors/bridge-error.ts';
import type { HttpReply, HttpSettings } from '../../../lib/http/http-event.ts';
import { toErrorReply } from '../../../lib/http/reply/encode-reply.ts';
import { requestIdOf, traceOf, traceparent, unroutedReply } from '../../../lib/http/stack.ts';
import type { Ids } from '../../../lib/platform/ids.ts';
import type { RequestInFlight } from './requests-in-flight.ts';
import { type DrainOptions, drain, type SendReply } from './send-reply.ts';

interface Deps {
  readonly httpSettings: Pick<HttpSettings, 'ids' | 'observer'>;
  readonly sendReply: SendReply;
  readonly drainOptions: DrainOptions;
}

/** Creates the replies to requests that do not reach the middleware stack. Each reply closes its connection. */
export function createRefusals({ httpSettings: { ids, observer }, sendReply, drainOptions }: Deps) {
  const refused = new WeakSet<Duplex>();

  /** Rejects a request that a handler has already received. The middleware stack reports this request to the observer. */
  function refuse({ incoming, outgoing }: RequestInFlight, error: BridgeError): void {
    void sendReply(toRawReply(error, ids, incoming.headers), incoming, outgoing, true);
  }

  return {
    refuse,

    /** Rejects a request before it is routed. */
    refuseUnrouted(request: RequestInFlight, error: BridgeError): void {
      observer?.replied(unroutedReply(error, request.incoming.method));
      refuse(request, error);
    },

    /**
     * Rejects malformed bytes by writing to the socket. If the socket is not writable, only destroys the socket. `incoming` is
     * the request if its head was parsed.
     */
    async refuseSocket(
      socket: Duplex,
      error: BridgeError,
      incoming?: IncomingMessage,
    ): Promise<void> {
      refused.add(socket);
      if (socket.writable) {
        observer?.replied(unroutedReply(error, incoming?.method));
        socket.end(toRawBytes(error, ids, incoming?.headers));
        await drain(socket, drainOptions);
      }
      socket.destroy();
    },

    /** Returns true if `refuseSocket` was called for the socket. Later bytes on the socket are only drained. */
    isRefused: (socket: Duplex): boolean => refused.has(socket),
  };
}

/**
 * Returns the reply to a request that did not reach the stack. The reply has the same format as other error replies and closes
 * the connection. `sent` contains the headers of the request, and is empty if the head could not be parsed.
 */
function toRawReply(error: BridgeError, ids: Ids, sent: IncomingHttpHeaders = {}): HttpReply {
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

/** Returns the same reply as bytes, for a socket without an HTTP parser. */
function toRawBytes(error: BridgeError, ids: Ids, sent?: IncomingHttpHeaders): Buffer {
  const { statusCode, headers, body } = toRawReply(error, ids, sent);
  const content = body instanceof Uint8Array ? body : Buffer.alloc(0);
  const lines = Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  const head = `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode] ?? ''}\r\n${lines}\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), content]);
}
