import { type BridgeError, toBridgeError } from '../errors/bridge-error.ts';
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
     * Resolves with a function that releases the slot. Calls `onWait` if a slot of this process is free for the request, but no
     * permit: other replicas hold all permits, or the store is unavailable with the error `unavailable`. An error that `onWait`
     * throws rejects the request. Calls `onSlot` when the request no longer waits for a slot of this process. Otherwise like
     * `Semaphore.acquire`.
     */
    async acquire(
      signal: AbortSignal,
      onWait?: (unavailable: BridgeError | undefined) => void,
      onSlot?: () => void,
    ): Promise<Release> {
      const releaseSlot = await slots.acquire(signal).finally(onSlot);
      if (!shared) return releaseSlot;
      try {
        const taken = await shared.take(gate, limit).catch(toBridgeError);
        if (typeof taken === 'function') return releaseBoth(taken, releaseSlot);
        onWait?.(taken);
        return releaseBoth(await shared.acquire(gate, limit, signal), releaseSlot);
      } catch (thrown) {
        releaseSlot();
        throw thrown;
      }
    },

    counts: slots.counts,
  };
}

function releaseBoth(permit: Release, slot: Release): Release {
  return () => {
    permit();
    slot();
  };
}
