import type { Clock } from '../../../lib/platform/clock.ts';
import type { StateDatabase } from '../../../lib/storage/sqlite/database.ts';

interface Lease {
  /** The time since when the lease has been valid without a gap. */
  readonly sinceMs: number;
  readonly untilMs: number;
}

// The driver compares the end of a lease with the real time. Here, a replica is gone only when its row is removed.
const FOR_EVER_SECS = 10_000_000_000;

const ADD = `
  INSERT INTO owner (id, lease_until) VALUES (?, ${FOR_EVER_SECS}) ON CONFLICT DO NOTHING`;
const REMOVE = 'DELETE FROM owner WHERE id = ?';

/**
 * Creates the leases of all replicas, with the rules of `lib/storage/postgres/replica-lease.ts`. All times are times of the database.
 * A replica whose lease has ended is gone when another replica removes its row, and its row is added again if it renews the lease.
 */
export function createLeases(
  { prepare, write }: Pick<StateDatabase, 'prepare' | 'write'>,
  { nowMs }: Pick<Clock, 'nowMs'>,
) {
  const add = prepare(ADD);
  const remove = prepare(REMOVE);
  const leases = new Map<string, Lease>();

  const isValid = (owner: string): boolean => (leases.get(owner)?.untilMs ?? 0) > nowMs();

  function end(owner: string): void {
    leases.delete(owner);
    remove.run(owner);
  }

  function set(owner: string, lease: Lease): void {
    leases.set(owner, lease);
    add.run(owner);
  }

  return {
    isValid,
    isGone: (owner: string): boolean => !leases.has(owner),

    renew: (owner: string, leaseMs: number): Promise<void> =>
      write(() => {
        const sinceMs = (isValid(owner) && leases.get(owner)?.sinceMs) || nowMs();
        set(owner, { sinceMs, untilMs: nowMs() + leaseMs });
      }),

    /** Replaces the lease of a replica, for tests. */
    set: (owner: string, lease: Lease): Promise<void> => write(() => set(owner, lease)),

    end: (owner: string): Promise<void> => write(() => end(owner)),

    /**
     * Removes the replicas whose leases have ended, if this replica has renewed its own lease for a whole lease without a gap.
     * Resolves with false if this replica's lease has ended.
     */
    judge: (owner: string, leaseMs: number): Promise<boolean> =>
      write(() => {
        const own = leases.get(owner);
        if (!own || !isValid(owner)) return false;
        if (own.sinceMs <= nowMs() - leaseMs) {
          for (const other of [...leases.keys()]) if (!isValid(other)) end(other);
        }
        return true;
      }),
  };
}
