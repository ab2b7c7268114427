import { setMaxListeners } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpObserver } from '../../lib/http/observer-port.ts';
import type { GatewayMetrics } from '../../lib/metrics/gateway-metrics.ts';
import type { Forwarder } from '../../lib/net/forwarder.ts';
import type { Clock } from '../../lib/platform/clock.ts';
import type { Ids } from '../../lib/platform/ids.ts';
import { toMaxConnections } from '../server/listener/connection-limit.ts';
import {
  createHttpServer,
  type ListenAddress,
  listen,
  serve,
} from '../server/listener/http-server.ts';
import { createRefusals } from '../server/listener/refusals.ts';
import { createSendReply } from '../server/listener/send-reply.ts';
import { watchSockets } from '../server/listener/socket-watch.ts';
import type { Coordination, Slot } from './coordination.ts';
import type { ForwardSettings } from './forward-once.ts';
import { MAX_HEAD_BYTES, refusalOfHead } from './forwarded-request.ts';
import { createHold, refused } from './hold.ts';
import { createOwnRoutes, type GatewayState } from './own-routes.ts';
import { createRequests } from './requests.ts';

export interface GatewaySettings extends ForwardSettings {
  /** The maximum time to hold a request. */
  readonly holdMs: number;
  /** The maximum number of requests held at the same time. */
  readonly maxHeld: number;
  /** The maximum pause within a reply, whether the slot sends nothing or the client reads nothing. */
  readonly idleMs: number;
}

interface Deps {
  readonly settings: GatewaySettings;
  readonly origins: Readonly<Record<Slot, string>>;
  readonly coordination: Coordination;
  readonly forwarder: Forwarder;
  readonly metrics: GatewayMetrics;
  /** Returns true if a new request would be held, or would be sent to a ready slot. */
  readonly isReady: () => boolean;
  readonly clock: Clock;
  readonly ids: Ids;
}

// The default of `server.head_timeout_ms`.
const HEAD_TIMEOUT_MS = 10_000;

/**
 * Creates the HTTP listener in front of two slots. The gateway has no storage and no secrets, and sends each request at
 * most once, to one slot.
 */
export function createGateway(deps: Deps) {
  const { settings, coordination, forwarder, metrics, clock, ids } = deps;
  const server = createHttpServer({
    maxHeadBytes: MAX_HEAD_BYTES,
    maxConnections: toMaxConnections('auto'),
    headTimeoutMs: HEAD_TIMEOUT_MS,
  });
  const shutdown = new AbortController();
  setMaxListeners(0, shutdown.signal);
  const { maxBodyBytes: maxDrainBytes } = settings;
  const drainOptions = { clock, maxDrainBytes, shutdown: shutdown.signal };
  const sendReply = createSendReply(drainOptions);
  const observer: HttpObserver = {
    replied: (reply) => metrics.replied({ source: 'gateway', ...reply }),
  };
  const refusals = createRefusals({ httpSettings: { ids, observer }, sendReply, drainOptions });
  const sockets = watchSockets(server, {
    clock,
    readTimeoutMs: 0,
    writeTimeoutMs: settings.idleMs,
    // Never called, because the read time-out is disabled. Slow uploads are allowed.
    onReadStall: () => {},
  });
  const hold = createHold({ ...settings, coordination, clock, onReleased: metrics.released });
  const forwarding = { ...settings, forwarder, clock, drainOptions };
  const requests = createRequests({ ...deps, hold, forwarding, refusals });
  let isStopping = false;

  function state(): GatewayState {
    const target = coordination.target();
    return { target, held: hold.count(), in_flight: requests.count(), hold_ms: settings.holdMs };
  }

  const ownReply = createOwnRoutes({ state, isReady: deps.isReady, ids });

  function onRequest(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const request = { incoming, outgoing };
    const own = ownReply(incoming);
    const refusal = isStopping
      ? refused('the gateway is stopping', 'stopping')
      : refusalOfHead(incoming, settings.maxBodyBytes);
    if (own) void sendReply(own, incoming, outgoing, isStopping);
    else if (refusal) refusals.refuseUnrouted(request, refusal);
    else void requests.run(request);
  }

  const stop = serve(server, { refusals, sockets, onRequest, clock });
  return {
    /** Resolves with the port when connections are accepted. Throws `configuration`. */
    listen(address: ListenAddress): Promise<number> {
      return listen(server, address, '--bind');
    },

    state,

    /** Rejects held and new requests, and waits up to `graceMs` for the replies of the slots. */
    async stop(graceMs: number): Promise<void> {
      isStopping = true;
      await stop(async () => {
        await requests.stop(graceMs);
        shutdown.abort();
      });
    },
  };
}
