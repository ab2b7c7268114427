import { setMaxListeners } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Route } from '../handlers/routes.ts';
import { BridgeError } from '../lib/errors/bridge-error.ts';
import type { HttpSettings } from '../lib/http/http-event.ts';
import { unroutedReply } from '../lib/http/observe.ts';
import type { Services } from '../lib/services.ts';
import { headBytes } from './head-size.ts';
import { type ListenAddress, listen } from './listen.ts';
import { malformedHttp } from './malformed-http.ts';
import { mountRoutes } from './mount-routes.ts';
import { replyOnSocket, toRawReply } from './raw-reply.ts';
import { createRequestsInFlight, type RequestInFlight } from './requests-in-flight.ts';
import { createSendReply } from './send-reply.ts';
import { watchSockets } from './socket-watch.ts';

interface Settings {
  readonly max_header_bytes: number;
  readonly max_connections: number | 'unlimited';
  readonly read_timeout_ms: number;
  readonly write_timeout_ms: number;
}

interface Deps {
  readonly routes: readonly Route[];
  readonly httpSettings: HttpSettings;
  /** Requests that come before the house stands wait for it. */
  readonly services: Promise<Services>;
  readonly settings: Settings;
}

export type Listener = ReturnType<typeof createListener>;

// Answers that are written when the work has ended get this long to reach their clients.
const CLOSE_MS = 1000;

/** The one HTTP listener: mounts the route table, and says no in the contract's shape to everything else. */
export function createListener({ routes, httpSettings, services, settings }: Deps) {
  const { ids, clock, maxBodyBytes } = httpSettings;
  const server = createHttpServer(settings);
  const lastCall = new AbortController();
  // Every answer that goes on listens.
  setMaxListeners(0, lastCall.signal);
  const sendReply = createSendReply({
    ...{ clock, maxDrainBytes: maxBodyBytes },
    lastCall: lastCall.signal,
  });
  const exchanges = createRequestsInFlight({ httpSettings, services, sendReply, lastCall });
  const sockets = watchSockets(server, {
    readTimeoutMs: settings.read_timeout_ms,
    writeTimeoutMs: settings.write_timeout_ms,
    onReadStall(socket, exchange) {
      const error = new BridgeError('request_timeout', 'the request stopped before its end');
      // An exchange that began is told of by the stack that it is in.
      if (exchange) refuse(exchange, error);
      else refuseSocket(socket, error, httpSettings);
    },
  });
  const route = mountRoutes(routes, (exchange, destination) =>
    exchanges.run(exchange, destination, () => sockets.answering(exchange)),
  );

  function onRequest(incoming: IncomingMessage, outgoing: ServerResponse): void {
    sockets.began({ incoming, outgoing });
    const refusal = exchanges.isStopping()
      ? stopping()
      : refuseHead(incoming, settings.max_header_bytes);
    if (refusal) refuseUnrouted({ incoming, outgoing }, refusal);
    else if (!route(incoming, outgoing)) refuseUnrouted({ incoming, outgoing }, invalidTarget());
  }

  /** Answers without the stack, in its shape. */
  function refuse({ incoming, outgoing }: RequestInFlight, error: BridgeError): void {
    const id = incoming.headers['x-request-id'];
    const reply = toRawReply(error, ids, typeof id === 'string' ? id : undefined);
    void sendReply(reply, incoming, outgoing, true);
  }

  function refuseUnrouted(exchange: RequestInFlight, error: BridgeError): void {
    httpSettings.observer?.replied(unroutedReply(error, exchange.incoming.method));
    refuse(exchange, error);
  }

  server.on('request', onRequest);
  server.on('checkExpectation', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    refuseUnrouted(
      { incoming, outgoing },
      new BridgeError('expectation_failed', 'only 100-continue can be expected'),
    );
  });
  answerOddities(server, httpSettings, onRequest);

  return {
    /** Resolves with the port once connections are taken. Throws `configuration` naming `server.bind`. */
    async listen(address: ListenAddress): Promise<number> {
      await listen(server, address);
      // A server that listens on a TCP port has an address of this form.
      return (server.address() as AddressInfo).port;
    },

    /** Takes no more connections, waits up to `graceMs` for what runs, then ends it. */
    async stop(graceMs: number): Promise<void> {
      exchanges.stop();
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      await exchanges.drain(graceMs);
      server.closeIdleConnections();
      const cancel = clock.after(CLOSE_MS, () => server.closeAllConnections());
      await closed;
      cancel();
    },
  };
}

function createHttpServer(settings: Settings): Server {
  const server = createServer({
    maxHeaderSize: settings.max_header_bytes,
    requireHostHeader: false,
    joinDuplicateHeaders: true,
    // `server.read_timeout_ms` alone decides: a slow upload is no fault by itself.
    requestTimeout: 0,
    headersTimeout: 0,
  });
  // Node would silently drop what is beyond its own count, the headers of the browser guard among it.
  server.maxHeadersCount = 0;
  if (settings.max_connections !== 'unlimited') server.maxConnections = settings.max_connections;
  return server;
}

/** Everything that reaches a server beside requests that can be answered at once. */
function answerOddities(
  server: Server,
  httpSettings: HttpSettings,
  onRequest: (incoming: IncomingMessage, outgoing: ServerResponse) => void,
): void {
  server.on('checkContinue', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    // The body is asked for once somebody reads it: a refusal before that saves the upload.
    incoming.once('resume', () => {
      if (!outgoing.headersSent) outgoing.writeContinue();
    });
    onRequest(incoming, outgoing);
  });
  server.on('connect', (_incoming, socket) => {
    refuseSocket(socket, new BridgeError('method_not_allowed', 'this is no proxy'), httpSettings);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const refusal = malformedHttp(error, socket);
    if (refusal) refuseSocket(socket, refusal, httpSettings);
    else socket.destroy();
  });
}

function refuseSocket(socket: Duplex, error: BridgeError, { ids, observer }: HttpSettings): void {
  observer?.replied(unroutedReply(error));
  replyOnSocket(socket, error, ids);
}

function stopping(): BridgeError {
  return new BridgeError('overloaded', 'the bridge is stopping', {
    details: { reason: 'stopping', retry_after_ms: 1000 },
  });
}

function invalidTarget(): BridgeError {
  return new BridgeError('malformed_request', 'the Host or the request target is not valid');
}

function refuseHead(incoming: IncomingMessage, maxBytes: number): BridgeError | undefined {
  if (headBytes(incoming) <= maxBytes) return undefined;
  return new BridgeError('header_too_large', 'the head is longer than server.max_header_bytes');
}
