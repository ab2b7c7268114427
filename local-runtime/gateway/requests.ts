import { setMaxListeners } from 'node:events';
import { BridgeError, toBridgeError } from '../../lib/errors/bridge-error.ts';
import { ERRORS } from '../../lib/errors/codes.ts';
import { requestIdOf } from '../../lib/http/stack.ts';
import type { GatewayMetrics } from '../../lib/metrics/gateway-metrics.ts';
import type { Clock } from '../../lib/platform/clock.ts';
import type { Ids } from '../../lib/platform/ids.ts';
import type { createRefusals } from '../listener/refusals.ts';
import type { RequestInFlight } from '../listener/requests-in-flight.ts';
import type { Coordination } from './coordination.ts';
import type { Slot } from './coordination-file.ts';
import { type ForwardDeps, forwardOnce, type RunningAttempt } from './forward-once.ts';
import type { Hold } from './hold.ts';
import { createReadAhead } from './read-ahead.ts';

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

/** Holds requests, sends each to the slot that is active, and knows which of them have no complete reply yet. */
export function createRequests(deps: Deps) {
  const { hold, coordination, forwarding, origins, refusals, metrics, clock, ids } = deps;
  const { whileRead } = createReadAhead(forwarding.maxBodyBytes);
  const running = new Set<AbortController>();
  const attempts = new Map<RunningAttempt, Slot>();
  let isStopping = false;
  let becameIdle = () => {};

  // What has not been sent when the target changes is sent to the new one. From then on nothing reaches the old slot any
  // more: it may be stopped.
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

  /** Resolves with the reply's source and status once the kernel has all of that. */
  async function send(request: RequestInFlight, id: string, signal: AbortSignal) {
    for (;;) {
      const slot = await whileRead(request.incoming, () => hold.next(signal));
      const result = await attempt(request, slot, id, signal);
      if (typeof result === 'number') return { source: slot, status: result };
      // `hold` is written before a slot is stopped: the file says why the slot cannot be reached.
      if (result === 'not_sent' && (await coordination.refresh()) === slot) throw unreachable();
    }
  }

  return {
    count: () => running.size,

    /** Resolves when the request needs nothing more. */
    async run(request: RequestInFlight): Promise<void> {
      const { incoming, outgoing } = request;
      const startedMs = clock.monotonicMs();
      const durationMs = () => clock.monotonicMs() - startedMs;
      const ending = new AbortController();
      let isCut = false;
      setMaxListeners(0, ending.signal);
      const id = requestIdOf(incoming.headers['x-request-id']?.toString(), ids);
      // A refusal carries the id under which the slot knows the request.
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
        // After the status line only a broken connection can still say that this is not the whole reply.
        isCut = outgoing.headersSent;
        if (isCut) outgoing.destroy();
        else refusals.refuse(request, failure);
      } finally {
        running.delete(ending);
        if (running.size === 0) becameIdle();
      }
    },

    /** Refuses what is held, and resolves when nothing runs any more. What still runs after `graceMs` is cut. */
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
