import { createSemaphore } from '../platform/semaphore.ts';
import type { Permits, Release } from './permits-port.ts';

interface Deps {
  /** The name of the limit, which is the same on all replicas. */
  readonly gate: string;
  /** The number of slots. May be Infinity. */
  readonly limit: number;
  /** The slots of all replicas. Undefined if the limit holds for this process alone. */
  readonly permits: Permits | undefined;
}

export type SharedSlots = ReturnType<typeof createSharedSlots>;

/**
 * Creates the slots of a limit that holds for all replicas. A request first waits for a slot of this process, in the order of
 * the requests, and then for a permit. So at most `limit` requests of a replica compete for permits.
 */
export function createSharedSlots({ gate, limit, permits }: Deps) {
  const slots = createSemaphore(limit);
  const shared = Number.isFinite(limit) ? permits : undefined;

  return {
    /**
     * Resolves with a function that releases the slot. Calls `onFull` if all slots of this process are free for the request, but
     * other replicas hold all permits. An error that `onFull` throws rejects the request. Otherwise like `Semaphore.acquire`.
     */
    async acquire(signal: AbortSignal, onFull?: () => void): Promise<Release> {
      const releaseSlot = await slots.acquire(signal);
      if (!shared) return releaseSlot;
      try {
        // While the store is unavailable, nobody knows a free slot.
        let releasePermit = await shared.take(gate, limit).catch(() => undefined);
        if (!releasePermit) {
          onFull?.();
          releasePermit = await shared.acquire(gate, limit, signal);
        }
        const release = releasePermit;
        return () => {
          release();
          releaseSlot();
        };
      } catch (thrown) {
        releaseSlot();
        throw thrown;
      }
    },

    counts: slots.counts,
  };
}
