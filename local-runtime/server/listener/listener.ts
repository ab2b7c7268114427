import { setMaxListeners } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Route } from '../../../handlers/routes.ts';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import type { HttpSettings } from '../../../lib/http/http-event.ts';
import type { Services } from '../../../lib/services.ts';
import { toMaxConnections } from './connection-limit.ts';
import {
  createHttpServer,
  headBytes,
  type ListenAddress,
  listen,
  onBrokenProtocol,
  onExpectation,
  stopAccepting,
} from './http-server.ts';
import { mountRoutes } from './mount-routes.ts';
import { createRefusals } from './refusals.ts';
import { createRequestsInFlight } from './requests-in-flight.ts';
import { createSendReply } from './send-reply.ts';
import { watchSockets } from './socket-watch.ts';

interface Settings {
  readonly max_header_bytes: number;
  readonly max_connections: number | 'auto' | 'unlimited';
  readonly head_timeout_ms: number;
  readonly read_timeout_ms: number;
  readonly write_timeout_ms: number;
}

interface Deps {
  readonly routes: readonly Route[];
  readonly httpSettings: HttpSettings;
  /** The services. Requests that arrive before startup is complete wait for this promise. */
  readonly services: Promise<Services>;
  readonly settings: Settings;
}

// The time after the end of the work in which replies that are still being written can reach their clients.
const CLOSE_MS = 1000;

/** Creates the HTTP listener. It serves the route table, and rejects everything else in the format of the contract. */
export function createListener({ routes, httpSettings, services, settings }: Deps) {
  const { clock, maxBodyBytes } = httpSettings;
  const server = createHttpServer({
    maxHeadBytes: settings.max_header_bytes,
    maxConnections: toMaxConnections(settings.max_connections),
    headTimeoutMs: settings.head_timeout_ms,
  });
  const shutdown = new AbortController();
  // Each incomplete reply adds a listener, so Node's warning about too many listeners is disabled.
  setMaxListeners(0, shutdown.signal);
  const drainOptions = { clock, maxDrainBytes: maxBodyBytes, shutdown: shutdown.signal };
  const sendReply = createSendReply(drainOptions);
  const requests = createRequestsInFlight({ httpSettings, services, sendReply, shutdown });
  const refusals = createRefusals({ httpSettings, sendReply, drainOptions });
  const sockets = watchSockets(server, {
    readTimeoutMs: settings.read_timeout_ms,
    writeTimeoutMs: settings.write_timeout_ms,
    onReadStall(socket, request) {
      const error = new BridgeError('request_timeout', 'the request was not completed in time');
      if (request) refusals.refuse(request, error);
      else if (!refusals.isRefused(socket)) void refusals.refuseSocket(socket, error);
    },
  });
  const route = mountRoutes(
    routes,
    (request, destination) => {
      requests
        .run(request, destination, () => sockets.replying(request))
        // The app could not be built, or the reply could not be created.
        .catch(() => request.outgoing.destroy());
    },
    refusals.refuseUnrouted,
  );

  function onRequest(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const refusal = requests.isStopping()
      ? stopping()
      : refuseHead(incoming, settings.max_header_bytes);
    if (refusal) refusals.refuseUnrouted({ incoming, outgoing }, refusal);
    else route(incoming, outgoing);
  }

  server.on('request', onRequest);
  onExpectation(server, refusals, onRequest);
  onBrokenProtocol(server, refusals, sockets.receiving);

  return {
    /** Resolves with the port when connections are accepted. Throws `configuration` with the name `server.bind`. */
    async listen(address: ListenAddress): Promise<number> {
      await listen(server, address, 'server.bind');
      // A server that listens on a TCP port has an address of this type.
      return (server.address() as AddressInfo).port;
    },

    /** Stops accepting connections, waits up to `graceMs` for requests in flight, then aborts them and closes all connections. */
    async stop(graceMs: number): Promise<void> {
      requests.stop();
      const closed = stopAccepting(server);
      await requests.drain(graceMs);
      server.closeIdleConnections();
      const cancel = clock.after(CLOSE_MS, sockets.destroyAll);
      await closed;
      cancel();
    },
  };
}

function stopping(): BridgeError {
  return new BridgeError('overloaded', 'the bridge is stopping', {
    details: { reason: 'stopping', retry_after_ms: 1000 },
  });
}

function refuseHead(incoming: IncomingMessage, maxBytes: number): BridgeError | undefined {
  if (headBytes(incoming) <= maxBytes) return undefined;
  return new BridgeError('header_too_large', 'the request head exceeds server.max_header_bytes');
}
