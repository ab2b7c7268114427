import { BridgeError } from '../errors/bridge-error.ts';
import type { Clock } from '../platform/clock.ts';
import { createSemaphore } from '../platform/semaphore.ts';

type Limit = number | 'unlimited';

interface Deps {
  /** What `details.limit` calls the bound of the queue: the path of a setting. */
  readonly name: string;
  /** The provider whose gate it is. */
  readonly provider?: string;
  readonly maxConcurrent: Limit;
  /** With 0 an operation that would have to wait is refused. */
  readonly maxQueued: Limit;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

/** A slot inside a gate. */
export interface Permit {
  /** How long its holder waited in the queue. */
  readonly waitedMs: number;
  /** Passes the slot to the operation that waits longest. Only the first call counts. */
  release(): void;
}

export interface GateCounts {
  readonly active: number;
  readonly queued: number;
}

export type Gate = ReturnType<typeof createGate>;

// An operation may take minutes, and its end is not known: the client may try again soon.
const RETRY_AFTER_MS = 1000;

/** Admits a limited number of operations at a time, in the order of their arrival. */
export function createGate({ name, provider, maxConcurrent, maxQueued, clock }: Deps) {
  const concurrent = toBound(maxConcurrent);
  const slots = createSemaphore(concurrent);
  const waiting = toBound(maxQueued);

  function isFull(): boolean {
    const { active, waiting: queued } = slots.counts();
    return active >= concurrent && queued >= waiting;
  }

  async function wait(signal: AbortSignal): Promise<Permit> {
    const startMs = clock.monotonicMs();
    const release = await slots.acquire(signal);
    return { waitedMs: clock.monotonicMs() - startMs, release };
  }

  return {
    limits: { max_concurrent: maxConcurrent, max_queued: maxQueued },

    /**
     * Resolves with a permit, which must be released even if `signal` has aborted since. `onQueued` is called at once, with
     * whether the operation has to wait. Rejects with the signal's reason when it aborts first. Throws `overloaded` when
     * the queue is full, unless the operation `waitsWhenFull`.
     */
    enter(
      signal: AbortSignal,
      onQueued?: (waits: boolean) => void,
      waitsWhenFull = false,
    ): Promise<Permit> {
      if (signal.aborted) return Promise.reject(signal.reason);
      if (!waitsWhenFull && isFull())
        return Promise.reject(queueFull(name, provider, slots.counts().waiting));
      const waits = slots.counts().active >= concurrent;
      const entering = wait(signal);
      onQueued?.(waits);
      return entering;
    },

    /** Throws as `enter` would now, without taking a slot. */
    check(): void {
      if (isFull()) throw queueFull(name, provider, slots.counts().waiting);
    },

    counts(): GateCounts {
      const { active, waiting: queued } = slots.counts();
      return { active, queued };
    },
  };
}

function toBound(limit: Limit): number {
  return limit === 'unlimited' ? Number.POSITIVE_INFINITY : limit;
}

function queueFull(limit: string, provider: string | undefined, waiting: number): BridgeError {
  const queue = provider === undefined ? 'the queue' : `the queue of provider ${provider}`;
  return new BridgeError('overloaded', `${queue} is full (${waiting} waiting)`, {
    ...(provider === undefined ? {} : { provider }),
    details: { reason: 'queue_full', limit, retry_after_ms: RETRY_AFTER_MS },
  });
}
