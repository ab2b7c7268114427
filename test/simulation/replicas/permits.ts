import type { Permits, Release } from '../../../lib/admission/permits-port.ts';
import type { Clock } from '../../../lib/platform/clock.ts';
import { createSemaphore, type Semaphore } from '../../../lib/platform/semaphore.ts';
import { waitUntilFound } from '../../../lib/storage/postgres/waiting.ts';
import { NO_WAKE_UPS } from '../../support/no-wake-ups.ts';
import type { Replica } from './replica.ts';

const LOOK_EVERY_MS = 250;

/** Creates the slots of the gates of all replicas. A slot whose replica is gone is free. */
export function createSharedPermits() {
  const slots = new Map<string, Set<{ readonly owner: string }>>();

  return {
    /** Opens the slots for one replica. */
    open({ owner, clock, isGone, judge, refuseCut }: PermitHolder): Permits {
      const lines = new Map<string, Semaphore>();

      async function take(gate: string, limit: number): Promise<Release | undefined> {
        refuseCut();
        const held = slots.get(gate) ?? new Set();
        slots.set(gate, held);
        if (held.size >= limit && (await judge())) {
          for (const slot of held) if (isGone(slot.owner)) held.delete(slot);
        }
        if (held.size >= limit) return undefined;
        const own = { owner };
        held.add(own);
        return () => void held.delete(own);
      }

      return {
        take,
        async acquire(gate, limit, signal) {
          // Of the requests of one replica, only the first one looks for a slot.
          const line = lines.get(gate) ?? createSemaphore(1);
          lines.set(gate, line);
          const leave = await line.acquire(signal);
          const waiting = { clock, wakeUps: NO_WAKE_UPS, pollMs: LOOK_EVERY_MS };
          return waitUntilFound(waiting, gate, () => take(gate, limit), signal).finally(leave);
        },
      };
    },
  };
}

interface PermitHolder extends Pick<Replica, 'owner' | 'refuseCut'> {
  readonly clock: Clock;
  isGone(owner: string): boolean;
  /** Removes the replicas whose leases have ended, unless this replica may not do so. */
  judge(): Promise<boolean>;
}
