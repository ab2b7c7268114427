import { setMaxListeners } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { BridgeError, toBridgeError } from '../../lib/errors/bridge-error.ts';
import { ERRORS } from '../../lib/errors/codes.ts';
import { requestIdOf } from '../../lib/http/stack.ts';
import type { GatewayMetrics } from '../../lib/metrics/gateway-metrics.ts';
import type { Clock } from '../../lib/platform/clock.ts';
import type { Ids } from '../../lib/platform/ids.ts';
import { createRunningWork } from '../../lib/platform/running-work.ts';
import type { createRefusals } from '../server/listener/refusals.ts';
import type { RequestInFlight } from '../server/listener/requests-in-flight.ts';
import type { Coordination, Slot } from './coordination.ts';
import { type ForwardDeps, forwardOnce, type RunningAttempt } from './forward-once.ts';
import { type Hold, refused } from './hold.ts';

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
  const running = createRunningWork();
  const attempts = new Map<RunningAttempt, Slot>();
  let isStopping = false;

  // Requests that have not been sent when the target changes go to the new target. After the change, no new request reaches
  // the previous slot, so the previous slot can be stopped.
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
      // A handoff writes `hold` before it stops a slot. If the file has changed, the request is sent to the new target.
      if (result === 'not_sent' && (await coordination.refresh()) === slot) throw unreachable();
    }
  }

  return {
    count: running.size,

    /** Runs a request. Resolves when all work for the request has ended. */
    async run(request: RequestInFlight): Promise<void> {
      const { incoming, outgoing } = request;
      const startedMs = clock.monotonicMs();
      const durationMs = () => clock.monotonicMs() - startedMs;
      let isCut = false;
      const id = requestIdOf(incoming.headers['x-request-id']?.toString(), ids);
      // An error reply of the gateway has the same request id as the request to the slot.
      incoming.headers['x-request-id'] = id;
      const { result, cancel } = running.start((signal) => send(request, id, signal));
      outgoing.once('close', () => {
        if (outgoing.writableFinished || isCut) return;
        metrics.disconnected();
        cancel(new BridgeError('cancelled', 'the client has disconnected'));
      });
      try {
        const { source, status } = await result;
        metrics.replied({ source, status, durationMs: durationMs() });
      } catch (error) {
        // The client has disconnected.
        if (outgoing.destroyed) return;
        const failure = toBridgeError(error);
        const { status } = ERRORS[failure.code];
        metrics.replied({ source: 'gateway', status, durationMs: durationMs() });
        // If the status has been sent, only a broken connection can show the client that the reply is incomplete.
        isCut = outgoing.headersSent;
        if (isCut) outgoing.destroy();
        else refusals.refuse(request, failure);
      }
    },

    /** Rejects held requests. Resolves when all requests have ended. Aborts requests that are still running after `graceMs`. */
    async stop(graceMs: number): Promise<void> {
      isStopping = true;
      hold.close();
      const grace = new AbortController();
      const cancel = clock.after(graceMs, () => grace.abort());
      await running.drain(grace.signal, new BridgeError('cancelled', 'the gateway is stopping'));
      cancel();
    },
  };
}

function unreachable(): BridgeError {
  return refused('the active slot cannot be reached', 'slot_unreachable');
}

/** The maximum total size of all bodies that are read ahead, as a multiple of the maximum size of one body. */
const MAX_BODIES = 3;

/**
 * Reads the bodies of held requests ahead, because Node detects the end of a connection only while it reads from the socket.
 * Node pauses the socket after about 64 KiB. This function resumes the socket until a limit is reached. The bytes stay in the
 * request.
 */
function createReadAhead(maxBodyBytes: number) {
  const maxBytes = MAX_BODIES * maxBodyBytes;
  let bytes = 0;

  /** Starts to read ahead. Returns a function that stops reading ahead. */
  function begin(incoming: IncomingMessage): () => void {
    const { socket } = incoming;
    let ownBytes = 0;
    let isEnded = false;

    function onPause(): void {
      const grownBytes = incoming.readableLength - ownBytes;
      ownBytes += grownBytes;
      bytes += grownBytes;
      // If no bytes are new, the socket was paused for another reason and would be paused again.
      const mayContinue = grownBytes > 0 && ownBytes <= maxBodyBytes && bytes <= maxBytes;
      // Resumed in the next tick, because a pause takes effect only after its event.
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
