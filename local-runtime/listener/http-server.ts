import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { BridgeError } from '../../lib/errors/bridge-error.ts';
import { malformedHttp } from './malformed-http.ts';
import type { createRefusals } from './refusals.ts';

type Refusals = ReturnType<typeof createRefusals>;

interface Limits {
  readonly maxHeadBytes: number;
  readonly maxConnections: number | 'unlimited';
  /** The longest time for the head of a request; 0 is no limit. */
  readonly headTimeoutMs: number;
}

// How often heads are looked at that are not complete.
const HEAD_CHECKS = 10;

/** A server whose requests are checked here and not by Node, so that every reply has the shape of the contract. */
export function createHttpServer({ maxHeadBytes, maxConnections, headTimeoutMs }: Limits): Server {
  const server = createServer({
    maxHeaderSize: maxHeadBytes,
    requireHostHeader: false,
    joinDuplicateHeaders: true,
    // A slow upload is not an error: only its pauses are limited.
    requestTimeout: 0,
    headersTimeout: headTimeoutMs,
    ...(headTimeoutMs > 0 && {
      connectionsCheckingInterval: Math.ceil(headTimeoutMs / HEAD_CHECKS),
    }),
  });
  // Node silently drops the headers beyond its own limit, among them those that the browser guard needs.
  server.maxHeadersCount = 0;
  if (maxConnections !== 'unlimited') server.maxConnections = maxConnections;
  return server;
}

/** Runs requests with `Expect: 100-continue`, and refuses any other expectation. */
export function onExpectation(
  server: Server,
  { refuseUnrouted }: Refusals,
  onRequest: (incoming: IncomingMessage, outgoing: ServerResponse) => void,
): void {
  server.on('checkContinue', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    // The body is asked for when it is first read: a refusal before that saves the upload.
    incoming.once('resume', () => {
      if (!outgoing.headersSent) outgoing.writeContinue();
    });
    onRequest(incoming, outgoing);
  });
  server.on('checkExpectation', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const message = 'only 100-continue can be expected';
    refuseUnrouted({ incoming, outgoing }, new BridgeError('expectation_failed', message));
  });
}

/** Replies to what is no request. `receiving` gives the request whose body a socket still expects. */
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
    // Node emits this again for every further chunk of what it could not parse.
    if (isRefused(socket)) return;
    const refusal = malformedHttp(error, socket);
    if (refusal) void refuseSocket(socket, refusal, receiving(socket));
    else socket.destroy();
  });
}

/** Takes no more connections. Resolves when none is open any more. */
export function stopAccepting(server: Server): Promise<void> {
  return new Promise((resolve) => {
    // The HTTP server's own `close` would also cut kept connections whose next request is on its way.
    NetServer.prototype.close.call(server, () => resolve());
  });
}
