import { BridgeError } from '../errors/bridge-error.ts';
import type { Clock } from '../platform/clock.ts';
import type { Permits } from './permits-port.ts';
import { createSharedSlots } from './shared-slots.ts';

type Limit = number | 'unlimited';

interface Deps {
  /** The path of the setting that limits the queue. Errors report it as `details.limit`. */
  readonly name: string;
  /** The provider to which the gate belongs. Undefined for the gate of all operations. */
  readonly provider?: string;
  readonly maxConcurrent: Limit;
  /**
   * The maximum number of waiting operations. Operations that wait even if the queue is full are not counted. If the value is 0, an
   * operation that would have to wait is rejected.
   */
  readonly maxQueued: Limit;
  /** The slots of all replicas. Undefined if `maxConcurrent` limits this process alone. */
  readonly permits?: Permits | undefined;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

/** A slot inside a gate. */
export interface Permit {
  /** The time in milliseconds that the operation waited in the queue. */
  readonly waitedMs: number;
  /** Passes the slot to the operation that has waited longest. Later calls have no effect. */
  release(): void;
}

export interface GateCounts {
  readonly active: number;
  readonly queued: number;
}

export type Gate = ReturnType<typeof createGate>;

// The end of the running operations cannot be predicted, so clients are told to retry soon.
const RETRY_AFTER_MS = 1000;

/** Creates a gate that admits a limited number of operations at a time, in the order of their arrival. */
export function createGate({ name, provider, maxConcurrent, maxQueued, permits, clock }: Deps) {
  const concurrent = toBound(maxConcurrent);
  const gate = provider === undefined ? 'runtime.global' : `runtime.providers.${provider}`;
  const slots = createSharedSlots({ gate, limit: concurrent, permits });
  const waiting = toBound(maxQueued);
  // Jobs wait however full the queue is. If they counted, a long queue of jobs would keep out every other request.
  let limited = 0;

  /** Returns the number of waiting operations that the limit counts. */
  function queuedWithinLimit(): number {
    // An operation that has just been admitted is counted in `limited` for another moment.
    return Math.min(limited, slots.counts().waiting);
  }

  function check(): void {
    if (slots.counts().active >= concurrent && queuedWithinLimit() >= waiting) throw queueFull();
  }

  function queueFull(): BridgeError {
    const queue = provider === undefined ? 'the queue' : `the queue of provider ${provider}`;
    return new BridgeError('overloaded', `${queue} is full (${queuedWithinLimit()} waiting)`, {
      ...(provider === undefined ? {} : { provider }),
      details: { reason: 'queue_full', limit: name, retry_after_ms: RETRY_AFTER_MS },
    });
  }

  async function wait(
    signal: AbortSignal,
    onWait: (unavailable: BridgeError | undefined) => void,
    isLimited: boolean,
  ): Promise<Permit> {
    const startMs = clock.monotonicMs();
    if (isLimited) limited += 1;
    const release = await slots.acquire(signal, onWait, () => {
      if (isLimited) limited -= 1;
    });
    return { waitedMs: clock.monotonicMs() - startMs, release };
  }

  return {
    limits: { max_concurrent: maxConcurrent, max_queued: maxQueued },

    /**
     * Resolves with a permit. The permit must be released even if `signal` aborts later. `onQueued` is called immediately, with
     * true if the operation has to wait for another operation of this process. `onQueued` is called again, with true, if the
     * operation then has to wait for an operation of another replica. Rejects with the signal's reason if the signal aborts
     * first. Throws `overloaded` if the queue is full or the store of the permits is unavailable, unless `waitsWhenFull` is true.
     */
    async enter(
      signal: AbortSignal,
      onQueued?: (waits: boolean) => void,
      waitsWhenFull = false,
    ): Promise<Permit> {
      signal.throwIfAborted();
      if (!waitsWhenFull) check();
      const waits = slots.counts().active >= concurrent;
      const onWait = (unavailable: BridgeError | undefined) => {
        if (unavailable && !waitsWhenFull) throw unavailable;
        if (waiting === 0 && !waitsWhenFull) throw queueFull();
        onQueued?.(true);
      };
      const entering = wait(signal, onWait, !waitsWhenFull);
      onQueued?.(waits);
      return entering;
    },

    /** Throws the error that `enter` would throw now. Takes no slot. */
    check,

    counts(): GateCounts {
      const { active, waiting: queued } = slots.counts();
      return { active, queued };
    },
  };
}

/** Returns Infinity for a limit that is not set. */
export function toBound(limit: Limit): number {
  return limit === 'unlimited' ? Number.POSITIVE_INFINITY : limit;
}
