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
  /** 0 refuses whoever would have to wait. */
  readonly maxQueued: Limit;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

/** A place inside a gate. */
export interface Permit {
  /** How long its holder stood in the queue. */
  readonly waitedMs: number;
  /** Gives the place to whoever waits longest. Only the first call counts. */
  release(): void;
}

export interface GateCounts {
  readonly active: number;
  readonly queued: number;
}

export type Gate = ReturnType<typeof createGate>;

// Nobody knows when an operation ends that takes minutes; whoever was refused may ask again soon.
const RETRY_AFTER_MS = 1000;

/** Lets a limited number of operations in at a time, in the order in which they came. */
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
     * Resolves inside, where the permit must be released even if `signal` has aborted since. `onQueued` is called at once
     * with a place inside, or in the queue, where it `waits`. Rejects with the signal's reason when it aborts first. Throws
     * `overloaded`, but not for one that is patient: it waits however many wait already.
     */
    enter(
      signal: AbortSignal,
      onQueued?: (waits: boolean) => void,
      waitsWhenFull = false,
    ): Promise<Permit> {
      if (signal.aborted) return Promise.reject(signal.reason);
      if (!waitsWhenFull && isFull()) return Promise.reject(queueFull(name, provider));
      const waits = slots.counts().active >= concurrent;
      const entering = wait(signal);
      onQueued?.(waits);
      return entering;
    },

    /** Throws as `enter` would now, and takes no place. */
    check(): void {
      if (isFull()) throw queueFull(name, provider);
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

function queueFull(limit: string, provider: string | undefined): BridgeError {
  return new BridgeError('overloaded', 'as many operations wait already as may wait', {
    ...(provider === undefined ? {} : { provider }),
    details: { reason: 'queue_full', limit, retry_after_ms: RETRY_AFTER_MS },
  });
}
