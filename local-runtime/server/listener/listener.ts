import { setMaxListeners } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Route } from '../../../handlers/routes.ts';
import type { Config } from '../../../lib/config/settings/settings.ts';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import type { HttpSettings } from '../../../lib/http/http-event.ts';
import { createOnce } from '../../../lib/platform/once.ts';
import type { Services } from '../../../lib/services.ts';
import { toMaxConnections } from './connection-limit.ts';
import { createHttpServer, headBytes, type ListenAddress, listen, serve } from './http-server.ts';
import { createRefusals } from './refusals.ts';
import { createRequestsInFlight } from './requests-in-flight.ts';
import { createSendReply } from './send-reply.ts';
import { watchSockets } from './socket-watch.ts';

interface Deps {
  readonly routes: readonly Route[];
  readonly httpSettings: HttpSettings;
  /** The services. Requests that arrive before startup is complete wait for this promise. */
  readonly services: Promise<Services>;
  readonly settings: Pick<
    Config['server'],
    | 'max_header_bytes'
    | 'max_connections'
    | 'head_timeout_ms'
    | 'read_timeout_ms'
    | 'write_timeout_ms'
  >;
}

/** Creates the HTTP listener. The listener serves the route table and rejects all other requests in the format of the contract. */
export function createListener({ routes, httpSettings, services, settings }: Deps) {
  const { clock, maxBodyBytes } = httpSettings;
  const server = createHttpServer({
    maxHeadBytes: settings.max_header_bytes,
    maxConnections: toMaxConnections(settings.max_connections),
    headTimeoutMs: settings.head_timeout_ms,
  });
  const shutdown = new AbortController();
  // Disables Node's warning about too many listeners, because each incomplete reply adds a listener.
  setMaxListeners(0, shutdown.signal);
  const drainOptions = { clock, maxDrainBytes: maxBodyBytes, shutdown: shutdown.signal };
  const sendReply = createSendReply(drainOptions);
  const requests = createRequestsInFlight({ httpSettings, services, sendReply, shutdown });
  const refusals = createRefusals({ httpSettings, sendReply, drainOptions });
  const sockets = watchSockets(server, {
    clock,
    readTimeoutMs: settings.read_timeout_ms,
    writeTimeoutMs: settings.write_timeout_ms,
    onReadStall(socket, request) {
      const error = new BridgeError('request_timeout', 'the request was not completed in time');
      if (request) refusals.refuse(request, error);
      else if (!refusals.isRefused(socket)) void refusals.refuseSocket(socket, error);
    },
    onWriteStall: httpSettings.observer?.stalled,
  });
  // Hono is loaded when the port is bound, because it loads Node's implementation of `fetch`.
  const routing = createOnce(async () => {
    const { mountRoutes } = await import('./mount-routes.ts');
    return mountRoutes(
      routes,
      (request, destination) => {
        requests
          .run(request, destination)
          // The start failed, or the reply could not be created.
          .catch(() => request.outgoing.destroy());
      },
      refusals.refuseUnrouted,
    );
  });

  function onRequest(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const refuse = (error: BridgeError) => refusals.refuseUnrouted({ incoming, outgoing }, error);
    if (requests.isStopping()) {
      const details = { reason: 'stopping', retry_after_ms: 1000 };
      refuse(new BridgeError('overloaded', 'the bridge is stopping', { details }));
    } else if (headBytes(incoming) > settings.max_header_bytes) {
      const message = 'the request head exceeds `server.max_header_bytes`';
      refuse(new BridgeError('header_too_large', message));
    } else {
      routing.get().then(
        // A client may have disconnected while Hono was loaded.
        (route) => !outgoing.destroyed && route(incoming, outgoing),
        () => outgoing.destroy(),
      );
    }
  }

  const stop = serve(server, { refusals, sockets, onRequest, clock });
  return {
    /** Resolves with the port when connections are accepted. Throws `configuration` if the address cannot be bound. */
    async listen(address: ListenAddress): Promise<number> {
      const port = await listen(server, address, 'server.bind');
      // In a later turn, so that the caller can begin to open the database first.
      setImmediate(() => routing.get().catch(() => {}));
      return port;
    },

    /**
     * Stops accepting connections and waits up to `graceMs` for requests in flight. Then aborts the remaining requests and
     * closes all connections.
     */
    async stop(graceMs: number): Promise<void> {
      requests.stop();
      await stop(() => requests.drain(graceMs));
    },
  };
}
