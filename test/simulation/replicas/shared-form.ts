import { type Clock, systemClock } from '../../../lib/platform/clock.ts';
import { createIds } from '../../../lib/platform/ids.ts';
import { IN_MEMORY } from '../../../lib/storage/sqlite/connection.ts';
import { createSharedState } from './shared-state.ts';

/** A lease that no test outlives. */
const LEASE_MS = 3_600_000;
const LOOK_EVERY_MS = 20;

const ids = createIds(systemClock.nowMs);

/**
 * Opens the stores of a new, empty state of replicas, in the form that the contract suites need. Each replica that `openJudge` opens
 * may judge others at once.
 */
export async function openSharedForm(clock: Clock = systemClock) {
  const state = createSharedState({ file: IN_MEMORY, clock, ids });
  const owners: string[] = [];

  async function openReplica(lease: { readonly sinceMs: number; readonly untilMs: number }) {
    const owner = ids.newOpaqueId();
    owners.push(owner);
    await state.leases.set(owner, lease);
    const stores = state.open({
      ...{ owner, clock, leaseMs: LEASE_MS, lookEveryMs: LOOK_EVERY_MS },
      noticeDelayMs: () => 0,
      refuseCut: () => {},
      losesAnswer: () => false,
    });
    return { owner, stores };
  }

  const untilMs = clock.nowMs() + LEASE_MS;
  const openJudge = () => openReplica({ sinceMs: 0, untilMs });
  let first = await openJudge();

  return {
    stores: first.stores,

    /** Opens the same state for another replica, which may judge others at once. */
    another: async () => (await openJudge()).stores,

    /** Opens the same state for another replica, whose lease ends at the given time in Unix seconds. */
    other: async (leaseUntilSecs: number) =>
      (await openReplica({ sinceMs: clock.nowMs(), untilMs: leaseUntilSecs * 1000 })).stores,

    /** Ends the lease of the first replica, as if the replica had ended. */
    endLease: () => state.end(first.owner),

    /** Closes the state and opens it again. */
    async reopen() {
      await state.end(first.owner);
      first = await openJudge();
      return first.stores;
    },

    close: state.close,
  };
}
