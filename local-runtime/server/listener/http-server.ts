import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import type { createRefusals } from './refusals.ts';

type Refusals = ReturnType<typeof createRefusals>;

interface Limits {
  readonly maxHeadBytes: number;
  readonly maxConnections: number | 'unlimited';
  /** The maximum time to receive the head of a request; 0 means no limit. */
  readonly headTimeoutMs: number;
}

// The number of times that an incomplete head is checked within its time-out.
const HEAD_CHECKS = 10;

/** Creates a server that leaves request checks to this program, so that every reply has the format of the contract. */
export function createHttpServer({ maxHeadBytes, maxConnections, headTimeoutMs }: Limits): Server {
  const server = createServer({
    maxHeaderSize: maxHeadBytes,
    requireHostHeader: false,
    joinDuplicateHeaders: true,
    // A slow upload is allowed; only its pauses are limited.
    requestTimeout: 0,
    headersTimeout: headTimeoutMs,
    ...(headTimeoutMs > 0 && {
      connectionsCheckingInterval: Math.ceil(headTimeoutMs / HEAD_CHECKS),
    }),
  });
  // Node silently drops headers beyond its own limit, including headers that the browser guard needs.
  server.maxHeadersCount = 0;
  if (maxConnections !== 'unlimited') server.maxConnections = maxConnections;
  return server;
}

/** Runs requests with `Expect: 100-continue` and rejects any other expectation. */
export function onExpectation(
  server: Server,
  { refuseUnrouted }: Refusals,
  onRequest: (incoming: IncomingMessage, outgoing: ServerResponse) => void,
): void {
  server.on('checkContinue', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    // The body is requested when it is first read, so that an earlier error saves the upload.
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

/** Replies to CONNECT and to malformed requests. `receiving` returns the request whose body a socket is still receiving. */
export function onBrokenProtocol(
  server: Server,
  { refuseSocket, isRefused }: Refusals,
  receiving: (socket: Socket) => IncomingMessage | undefined,
): void {
  server.on('connect', (incoming, socket) => {
    const error = new BridgeError('method_not_allowed', 'CONNECT is not supported');
    void refuseSocket(socket, error, incoming);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // Node emits this event again for every further chunk after the parse error.
    if (isRefused(socket)) return;
    const refusal = malformedHttp(error, socket);
    if (refusal) void refuseSocket(socket, refusal, receiving(socket));
    else socket.destroy();
  });
}

/** Stops accepting connections and resolves when all connections are closed. */
export function stopAccepting(server: Server): Promise<void> {
  return new Promise((resolve) => {
    // The HTTP server's own `close` would also cut idle connections whose next request is already on its way.
    NetServer.prototype.close.call(server, () => resolve());
  });
}

/** Returns the error for a connection that Node could not parse, or undefined if a reply can no longer be sent. */
function malformedHttp(error: NodeJS.ErrnoException, socket: Socket): BridgeError | undefined {
  // A second reply cannot follow a reply that has begun.
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
  // Node's own handler of this event reads the same private member; there is no public equivalent.
  const { _httpMessage: message } = socket as Socket & {
    _httpMessage?: { headersSent: boolean } | null;
  };
  return message?.headersSent ?? false;
}

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Resolves when the server accepts connections. Throws `configuration` with a message that begins with `setting`. */
export function listen(
  server: Server,
  { host, port }: ListenAddress,
  setting: string,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (cause: NodeJS.ErrnoException) => {
      const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
      const message = `${setting}: ${address} ${reasonOf(cause.code)} (${cause.code ?? 'unknown'})`;
      // The error has no `cause`, because the message contains all information of the system error.
      reject(new BridgeError('configuration', message));
    };
    server.once('error', onError);
    server.listen({ host, port }, () => {
      server.off('error', onError);
      // If accepting a connection fails, that connection is lost and the server continues.
      server.on('error', () => {});
      resolve();
    });
  });
}

/** Returns the rest of a sentence that begins with the address. */
function reasonOf(code: string | undefined): string {
  switch (code) {
    case 'EADDRINUSE':
      return 'is already in use';
    case 'EACCES':
      return 'cannot be bound by this user: permission denied';
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'is not an address of this machine';
    default:
      return 'cannot be bound';
  }
}

/**
 * Returns the approximate size in bytes of a request's head. Node's limit does not count separators and line ends, so ten
 * thousand headers of one letter would pass it.
 */
export function headBytes({ rawHeaders, method = '', url = '' }: IncomingMessage): number {
  let bytes = method.length + url.length + ' HTTP/1.1\r\n\r\n'.length + 1;
  // Names and values alternate. Each is followed by two bytes: a colon and a space, or the end of the line.
  for (const part of rawHeaders) bytes += part.length + 2;
  return bytes;
}
