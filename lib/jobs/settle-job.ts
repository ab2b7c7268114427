import { toBridgeError } from '../errors/bridge-error.ts';
import type { StoredInputs } from '../inputs/stored-inputs.ts';
import { type Clock, sleep } from '../platform/clock.ts';
import type { JobEnd, JobRecord, JobStore } from './job-store-port.ts';

interface Deps {
  readonly store: Pick<JobStore, 'settle'>;
  readonly inputs: Pick<StoredInputs, 'removeUnneeded'>;
  readonly clock: Clock;
}

// A store that refuses to write may do so for hours; the end that is to be written waits in memory.
const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 10_000;

export type SettleJob = ReturnType<typeof createSettleJob>;

/** Writes the ends of jobs down, and removes the stored images that nobody needs any more. */
export function createSettleJob({ store, inputs, clock }: Deps) {
  /**
   * Resolves once the end is durable, however long the store refuses it; with false when the job had ended already.
   * Throws whatever else the store says, and the reason of `giveUp` when that comes while the store refuses.
   */
  return async function settleJob(
    { sequence }: Pick<JobRecord, 'sequence'>,
    end: JobEnd,
    giveUp: AbortSignal,
  ): Promise<boolean> {
    for (let waitMs = FIRST_RETRY_MS; ; waitMs = Math.min(waitMs * 2, LAST_RETRY_MS)) {
      try {
        const settled = await store.settle(sequence, end);
        // What cannot be removed now is removed at the next start.
        if (settled) await inputs.removeUnneeded(settled.releasedInputs).catch(() => {});
        return settled !== undefined;
      } catch (thrown) {
        if (toBridgeError(thrown).code !== 'overloaded') throw thrown;
        await sleep(clock, waitMs, giveUp);
      }
    }
  };
}
