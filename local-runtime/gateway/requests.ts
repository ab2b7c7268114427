import { setMaxListeners } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { BridgeError, toBridgeError } from '../../lib/errors/bridge-error.ts';
import { ERRORS } from '../../lib/errors/codes.ts';
import { requestIdOf } from '../../lib/http/stack.ts';
import type { GatewayMetrics } from '../../lib/metrics/gateway-metrics.ts';
import type { Clock } from '../../lib/platform/clock.ts';
import type { Ids } from '../../lib/platform/ids.ts';
import type { createRefusals } from '../server/listener/refusals.ts';
import type { RequestInFlight } from '../server/listener/requests-in-flight.ts';
import type { Coordination, Slot } from './coordination.ts';
import { type ForwardDeps, forwardOnce, type RunningAttempt } from './forward-once.ts';
import type { Hold } from './hold.ts';

interface Deps {
  readonly hold: Hold;
  readonly coordination: Pick<Coordination, 'refresh' | 'onChange'>;
  readonly forwarding: ForwardDeps;
  /** The URL of each slot, without a slash at the end. */
  readonly origins: Readonly<Record<Slot, string>>;
  readonly refusals: Pick<ReturnType<typeof createRefusals>, 'refuse'>;
  readonly metrics: GatewayMetrics;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** Holds requests, sends each request to the active slot, and tracks the requests without a complete reply. */
export function createRequests(deps: Deps) {
  const { hold, coordination, forwarding, origins, refusals, metrics, clock, ids } = deps;
  const { whileRead } = createReadAhead(forwarding.maxBodyBytes);
  const running = new Set<AbortController>();
  const attempts = new Map<RunningAttempt, Slot>();
  let isStopping = false;
  let becameIdle = () => {};

  // Requests that have not been sent when the target changes go to the new target. After the change no new request reaches
  // the old slot, so the old slot can be stopped.
  coordination.onChange((target) => {
    for (const [attempt, slot] of attempts) if (slot !== target) attempt.recall();
  });

  async function attempt(request: RequestInFlight, slot: Slot, id: string, signal: AbortSignal) {
    const to = { origin: origins[slot], requestId: id, signal, isLast: () => isStopping };
    const one = forwardOnce(request, to, forwarding);
    attempts.set(one, slot);
    try {
      return await one.outcome;
    } finally {
      attempts.delete(one);
    }
  }

  /** Resolves with the source and status of the reply when the kernel has accepted the whole reply. */
  async function send(request: RequestInFlight, id: string, signal: AbortSignal) {
    for (;;) {
      const slot = await whileRead(request.incoming, () => hold.next(signal));
      const result = await attempt(request, slot, id, signal);
      if (typeof result === 'number') return { source: slot, status: result };
      // `hold` is written before a slot is stopped, so a changed file explains why the slot cannot be reached.
      if (result === 'not_sent' && (await coordination.refresh()) === slot) throw unreachable();
    }
  }

  return {
    count: () => running.size,

    /** Runs a request. Resolves when its work has ended. */
    async run(request: RequestInFlight): Promise<void> {
      const { incoming, outgoing } = request;
      const startedMs = clock.monotonicMs();
      const durationMs = () => clock.monotonicMs() - startedMs;
      const ending = new AbortController();
      let isCut = false;
      setMaxListeners(0, ending.signal);
      const id = requestIdOf(incoming.headers['x-request-id']?.toString(), ids);
      // An error reply of the gateway has the same request id as the request to the slot.
      incoming.headers['x-request-id'] = id;
      outgoing.once('close', () => {
        if (outgoing.writableFinished || isCut) return;
        metrics.disconnected();
        ending.abort(new BridgeError('cancelled', 'the client has disconnected'));
      });
      running.add(ending);
      try {
        const { source, status } = await send(request, id, ending.signal);
        metrics.replied({ source, status, durationMs: durationMs() });
      } catch (error) {
        // The client has disconnected.
        if (outgoing.destroyed) return;
        const failure = toBridgeError(error);
        const { status } = ERRORS[failure.code];
        metrics.replied({ source: 'gateway', status, durationMs: durationMs() });
        // After the status line, only a broken connection can show that the reply is incomplete.
        isCut = outgoing.headersSent;
        if (isCut) outgoing.destroy();
        else refusals.refuse(request, failure);
      } finally {
        running.delete(ending);
        if (running.size === 0) becameIdle();
      }
    },

    /** Rejects held requests and resolves when all requests have ended. Aborts requests still running after `graceMs`. */
    async stop(graceMs: number): Promise<void> {
      isStopping = true;
      hold.close();
      if (running.size === 0) return;
      const { promise: idle, resolve } = Promise.withResolvers<void>();
      becameIdle = resolve;
      const cancel = clock.after(graceMs, () => {
        for (const one of running)
          one.abort(new BridgeError('cancelled', 'the gateway is stopping'));
      });
      await idle;
      cancel();
    },
  };
}

function unreachable(): BridgeError {
  return new BridgeError('overloaded', 'the active slot cannot be reached', {
    details: { reason: 'slot_unreachable', retry_after_ms: 1000 },
  });
}

/** The limit of all bodies read ahead, as a multiple of the maximum body size. */
const MAX_BODIES = 3;

/**
 * Reads the bodies of held requests ahead, because the end of a connection is only detected while it is read. Node pauses at
 * about 64 KiB; this function resumes the socket while the limits allow it. The bytes stay in the request.
 */
function createReadAhead(maxBodyBytes: number) {
  const maxBytes = MAX_BODIES * maxBodyBytes;
  let bytes = 0;

  /** Starts to read ahead. Returns a function that stops it. */
  function begin(incoming: IncomingMessage): () => void {
    const { socket } = incoming;
    let ownBytes = 0;
    let isEnded = false;

    function onPause(): void {
      const grownBytes = incoming.readableLength - ownBytes;
      ownBytes += grownBytes;
      bytes += grownBytes;
      // Without new bytes the socket was paused for another reason and would be paused again.
      const mayContinue = grownBytes > 0 && ownBytes <= maxBodyBytes && bytes <= maxBytes;
      // A pause takes effect only after its event.
      if (mayContinue) process.nextTick(resume);
    }

    function resume(): void {
      if (!isEnded) socket.resume();
    }

    // Several requests of one connection may be held at the same time.
    setMaxListeners(0, socket);
    socket.on('pause', onPause);
    if (socket.isPaused()) onPause();
    return () => {
      isEnded = true;
      bytes -= ownBytes;
      socket.off('pause', onPause);
    };
  }

  return {
    /** Reads the body ahead until `wait` settles. */
    async whileRead<T>(incoming: IncomingMessage, wait: () => Promise<T>): Promise<T> {
      const end = begin(incoming);
      try {
        return await wait();
      } finally {
        end();
      }
    },
  };
}
