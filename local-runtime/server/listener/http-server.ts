import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import { type Clock, toTimerMs } from '../../../lib/platform/clock.ts';
import type { createRefusals } from './refusals.ts';
import type { watchSockets } from './socket-watch.ts';

type Refusals = ReturnType<typeof createRefusals>;

interface Limits {
  readonly maxHeadBytes: number;
  readonly maxConnections: number | 'unlimited';
  /** The maximum time to receive the head of a request. 0 means no limit. */
  readonly headTimeoutMs: number;
}

// The number of checks for incomplete heads within the time-out of a head.
const HEAD_CHECKS = 10;

/** Creates a server without Node's own checks of requests, because their error replies do not have the format of the contract. */
export function createHttpServer({ maxHeadBytes, maxConnections, headTimeoutMs }: Limits): Server {
  const server = createServer({
    maxHeaderSize: maxHeadBytes,
    requireHostHeader: false,
    joinDuplicateHeaders: true,
    // A slow upload is allowed. Only the pauses within an upload are limited.
    requestTimeout: 0,
    headersTimeout: toTimerMs(headTimeoutMs),
    ...(headTimeoutMs > 0 && {
      connectionsCheckingInterval: Math.ceil(toTimerMs(headTimeoutMs) / HEAD_CHECKS),
    }),
  });
  // With a limit, Node would silently drop headers, including headers that the browser guard needs.
  server.maxHeadersCount = 0;
  if (maxConnections !== 'unlimited') server.maxConnections = maxConnections;
  return server;
}

interface ServeDeps {
  readonly refusals: Refusals;
  readonly sockets: ReturnType<typeof watchSockets>;
  readonly onRequest: (incoming: IncomingMessage, outgoing: ServerResponse) => void;
  readonly clock: Pick<Clock, 'after'>;
}

// The time after the end of all work in which unsent parts of replies can still be sent.
const CLOSE_MS = 1000;

/**
 * Calls `onRequest` for every valid request and rejects invalid requests. Returns a function that stops accepting connections,
 * waits for the end of `endWork`, and closes all connections.
 */
export function serve(server: Server, { refusals, sockets, onRequest, clock }: ServeDeps) {
  server.on('request', onRequest);
  onExpectation(server, refusals, onRequest);
  onBrokenProtocol(server, refusals, sockets.receiving);
  return async (endWork: () => Promise<void>): Promise<void> => {
    const closed = new Promise<void>((resolve) => {
      // The `close` method of an HTTP server also cuts idle connections, although their next request may already be on its way.
      NetServer.prototype.close.call(server, () => resolve());
    });
    await endWork();
    server.closeIdleConnections();
    const cancel = clock.after(CLOSE_MS, sockets.destroyAll);
    await closed;
    cancel();
  };
}

/** Runs requests with `Expect: 100-continue` and rejects any other expectation. */
function onExpectation(
  server: Server,
  { refuseUnrouted }: Refusals,
  onRequest: ServeDeps['onRequest'],
): void {
  server.on('checkContinue', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    // The body is requested only when the program begins to read it. After an earlier error, the client does not upload it.
    incoming.once('resume', () => {
      if (!outgoing.headersSent) outgoing.writeContinue();
    });
    onRequest(incoming, outgoing);
  });
  server.on('checkExpectation', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const message = 'the only supported expectation is 100-continue';
    refuseUnrouted({ incoming, outgoing }, new BridgeError('expectation_failed', message));
  });
}

/**
 * Replies to CONNECT and to malformed requests. The function `receiving` returns the request whose body a socket is still
 * receiving.
 */
function onBrokenProtocol(
  server: Server,
  { refuseSocket, isRefused }: Refusals,
  receiving: (socket: Socket) => IncomingMessage | undefined,
): void {
  server.on('connect', (incoming, socket) => {
    const error = new BridgeError('method_not_allowed', 'CONNECT is not supported');
    void refuseSocket(socket, error, incoming);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // After a parse error, Node emits this event again for every further chunk.
    if (isRefused(socket)) return;
    const refusal = malformedHttp(error, socket);
    if (refusal) void refuseSocket(socket, refusal, receiving(socket));
    else socket.destroy();
  });
}

/** Returns the error for a connection that Node could not parse, or undefined if a reply can no longer be sent. */
function malformedHttp(error: NodeJS.ErrnoException, socket: Socket): BridgeError | undefined {
  // If a reply has begun, a second reply cannot be sent.
  if (error.code === 'ECONNRESET' || !socket.writable || hasBegunReply(socket)) return undefined;
  if (error.code === 'HPE_HEADER_OVERFLOW') {
    return new BridgeError('header_too_large', 'the request head is too long');
  }
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new BridgeError('request_timeout', 'the request was not completed in time');
  }
  return new BridgeError('malformed_request', 'the request is not well-formed HTTP/1.1');
}

function hasBegunReply(socket: Socket): boolean {
  // Node's own handler of this event reads the same private member. A public member does not exist.
  const { _httpMessage: message } = socket as Socket & {
    _httpMessage?: { headersSent: boolean } | null;
  };
  return message?.headersSent ?? false;
}

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * Resolves with the port when the server accepts connections. Throws `configuration` with a message that begins with
 * `setting`.
 */
export function listen(
  server: Server,
  { host, port }: ListenAddress,
  setting: string,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const onError = (cause: NodeJS.ErrnoException) => {
      const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
      const { code = 'unknown' } = cause;
      const message = `${setting}: ${address} ${REASONS[code] ?? 'cannot be bound'} (${code})`;
      // The error has no `cause`, because the message contains everything that the system error contains.
      reject(new BridgeError('configuration', message));
    };
    server.once('error', onError);
    server.listen({ host, port }, () => {
      server.off('error', onError);
      // If a connection cannot be accepted, only this connection is lost and the server continues.
      server.on('error', () => {});
      // A server that listens on a TCP port has an address of this type.
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** The reasons of errors, to be printed after the address. */
const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is already in use',
  EACCES: 'cannot be bound by this user: permission denied',
  EADDRNOTAVAIL: 'is not an address of this machine',
  ENOTFOUND: 'is not an address of this machine',
  EAI_AGAIN: 'is not an address of this machine',
};

/**
 * Returns the approximate size, in bytes, of the head of a request. Node's own limit does not count separators and line
 * ends, so Node would accept ten thousand headers of one letter.
 */
export function headBytes({ rawHeaders, method = '', url = '' }: IncomingMessage): number {
  let bytes = method.length + url.length + ' HTTP/1.1\r\n\r\n'.length + 1;
  // Names and values alternate. Two bytes follow each of them: a colon and a space, or the end of the line.
  for (const part of rawHeaders) bytes += part.length + 2;
  return bytes;
}
