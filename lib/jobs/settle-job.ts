import { toBridgeError } from '../errors/bridge-error.ts';
import type { TraceLog } from '../log/trace-log.ts';
import { type Clock, sleep } from '../platform/clock.ts';
import type { JobEnd } from './job-end-port.ts';
import type { JobRecord, JobStore } from './job-store-port.ts';

interface Deps {
  readonly store: Pick<JobStore, 'settle'>;
  readonly log: Pick<TraceLog, 'failure'>;
  readonly clock: Clock;
}

// A store may refuse to write for hours; until then the end waits in memory.
const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 10_000;

/** Writes the ends of jobs to the store. */
export function createSettleJob({ store, log, clock }: Deps) {
  /**
   * Resolves once the end is durable, however often the store refuses it and whatever the error code; with false when the
   * job cannot end like this any more. Only the first refusal is reported. Throws `artifact` when a publication is not pending, and the reason of `giveUp`
   * when that aborts between two tries.
   */
  return async function settleJob(
    { sequence, requestId }: Pick<JobRecord, 'sequence' | 'requestId'>,
    end: JobEnd,
    giveUp: AbortSignal,
  ): Promise<boolean> {
    for (let waitMs = FIRST_RETRY_MS; ; waitMs = Math.min(waitMs * 2, LAST_RETRY_MS)) {
      try {
        return await store.settle(sequence, end);
      } catch (thrown) {
        // The fault is in the end, not in the store: no later try can succeed.
        if (toBridgeError(thrown).code === 'artifact') throw thrown;
        if (waitMs === FIRST_RETRY_MS) log.failure(thrown, { requestId });
        await sleep(clock, waitMs, giveUp);
      }
    }
  };
}
