import { setMaxListeners } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Route } from '../../handlers/routes.ts';
import { BridgeError } from '../../lib/errors/bridge-error.ts';
import type { HttpSettings } from '../../lib/http/http-event.ts';
import type { Services } from '../../lib/services.ts';
import { toMaxConnections } from './connection-limit.ts';
import { headBytes } from './head-size.ts';
import { createHttpServer, onBrokenProtocol, onExpectation, stopAccepting } from './http-server.ts';
import { type ListenAddress, listen } from './listen.ts';
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
  /** Requests that come before the app is built wait for it. */
  readonly services: Promise<Services>;
  readonly settings: Settings;
}

// Replies that are written when the work has ended have this time to reach their clients.
const CLOSE_MS = 1000;

/** The one HTTP listener: mounts the route table, and refuses everything else in the shape of the contract. */
export function createListener({ routes, httpSettings, services, settings }: Deps) {
  const { clock, maxBodyBytes } = httpSettings;
  const server = createHttpServer({
    maxHeadBytes: settings.max_header_bytes,
    maxConnections: toMaxConnections(settings.max_connections),
    headTimeoutMs: settings.head_timeout_ms,
  });
  const shutdown = new AbortController();
  // Every reply that is not complete yet listens.
  setMaxListeners(0, shutdown.signal);
  const drainOptions = { clock, maxDrainBytes: maxBodyBytes, shutdown: shutdown.signal };
  const sendReply = createSendReply(drainOptions);
  const requests = createRequestsInFlight({ httpSettings, services, sendReply, shutdown });
  const refusals = createRefusals({ httpSettings, sendReply, drainOptions });
  const sockets = watchSockets(server, {
    readTimeoutMs: settings.read_timeout_ms,
    writeTimeoutMs: settings.write_timeout_ms,
    onReadStall(socket, request) {
      const error = new BridgeError('request_timeout', 'the request stopped before its end');
      if (request) refusals.refuse(request, error);
      else if (!refusals.isRefused(socket)) void refusals.refuseSocket(socket, error);
    },
  });
  const route = mountRoutes(
    routes,
    (request, destination) => {
      requests
        .run(request, destination, () => sockets.replying(request))
        // The app could not be built, or the reply not be made.
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
    /** Resolves with the port once connections are taken. Throws `configuration` naming `server.bind`. */
    async listen(address: ListenAddress): Promise<number> {
      await listen(server, address, 'server.bind');
      // A server that listens on a TCP port has an address of this form.
      return (server.address() as AddressInfo).port;
    },

    /** Takes no more connections, waits up to `graceMs` for the work in flight, then ends it. No connection outlives it. */
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
  return new BridgeError('header_too_large', 'the head is longer than server.max_header_bytes');
}
