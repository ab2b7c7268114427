import { setMaxListeners } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BridgeError } from '../../lib/errors/bridge-error.ts';
import type { HttpObserver } from '../../lib/http/observer-port.ts';
import type { GatewayMetrics } from '../../lib/metrics/gateway-metrics.ts';
import type { Forwarder } from '../../lib/net/forwarder.ts';
import type { Clock } from '../../lib/platform/clock.ts';
import type { Ids } from '../../lib/platform/ids.ts';
import { toMaxConnections } from '../listener/connection-limit.ts';
import {
  createHttpServer,
  onBrokenProtocol,
  onExpectation,
  stopAccepting,
} from '../listener/http-server.ts';
import { type ListenAddress, listen } from '../listener/listen.ts';
import { createRefusals } from '../listener/refusals.ts';
import { createSendReply } from '../listener/send-reply.ts';
import { watchSockets } from '../listener/socket-watch.ts';
import { MAX_HEAD_BYTES, refusalOfHead } from './check-head.ts';
import type { Coordination } from './coordination.ts';
import type { Slot } from './coordination-file.ts';
import type { ForwardSettings } from './forward-once.ts';
import type { GatewayState } from './gateway-state.ts';
import { createHold } from './hold.ts';
import { createOwnRoutes } from './own-routes.ts';
import { createRequests } from './requests.ts';

export interface GatewaySettings extends ForwardSettings {
  /** How long one request may be held. */
  readonly holdMs: number;
  /** How many requests may be held at once. */
  readonly maxHeld: number;
  /** The longest silence within a reply, and the longest time in which a client takes nothing of it. */
  readonly idleMs: number;
}

interface Deps {
  readonly settings: GatewaySettings;
  readonly origins: Readonly<Record<Slot, string>>;
  readonly coordination: Coordination;
  readonly forwarder: Forwarder;
  readonly metrics: GatewayMetrics;
  /** Whether a request that came now would be held, or be sent to a slot that is ready. */
  readonly isReady: () => boolean;
  readonly clock: Clock;
  readonly ids: Ids;
}

// The default of `server.head_timeout_ms`.
const HEAD_TIMEOUT_MS = 10_000;

// Replies that are written when the work has ended have this time to reach their clients.
const CLOSE_MS = 1000;

/** The HTTP listener before two slots. It has no storage and no secret, and sends each request to one slot, once. */
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
    readTimeoutMs: 0,
    writeTimeoutMs: settings.idleMs,
    // There is no read time-out: a slow upload is not an error.
    onReadStall: () => {},
  });
  const hold = createHold({
    ...settings,
    coordination,
    clock,
    onReleased: (held) => metrics.released(held),
  });
  const onHead = sockets.replying;
  const forwarding = { ...settings, forwarder, clock, drainOptions, onHead };
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
    const refusal = isStopping ? stopping() : refusalOfHead(incoming, settings.maxBodyBytes);
    if (own) void sendReply(own, incoming, outgoing, isStopping);
    else if (refusal) refusals.refuseUnrouted(request, refusal);
    else void requests.run(request);
  }

  server.on('request', onRequest);
  onExpectation(server, refusals, onRequest);
  onBrokenProtocol(server, refusals, sockets.receiving);

  return {
    /** Resolves with the port once connections are taken. Throws `configuration`. */
    async listen(address: ListenAddress): Promise<number> {
      await listen(server, address, '--bind');
      // A server that listens on a TCP port has an address of this form.
      return (server.address() as AddressInfo).port;
    },

    state,

    /** Refuses what is held and what comes, and waits up to `graceMs` for the replies that a slot still owes. */
    async stop(graceMs: number): Promise<void> {
      isStopping = true;
      const closed = stopAccepting(server);
      await requests.stop(graceMs);
      shutdown.abort();
      server.closeIdleConnections();
      const cancel = clock.after(CLOSE_MS, sockets.destroyAll);
      await closed;
      cancel();
    },
  };
}

function stopping(): BridgeError {
  return new BridgeError('overloaded', 'the gateway is stopping', {
    details: { reason: 'stopping', retry_after_ms: 1000 },
  });
}
