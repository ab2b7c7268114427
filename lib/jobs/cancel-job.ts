import type { BridgeError } from '../errors/bridge-error.ts';
import { type Clock, nowSecs } from '../platform/clock.ts';
import { toJobFailure } from './job-end.ts';
import { isTerminal } from './job-state.ts';
import type { JobRecord, JobStore } from './job-store-port.ts';
import type { InFlight, LiveJobs } from './streams/live-jobs.ts';

interface Deps {
  readonly store: Pick<JobStore, 'find' | 'cancel' | 'settle'>;
  readonly live: Pick<LiveJobs, 'stop' | 'ended'>;
  readonly clock: Clock;
}

export type CancelJob = ReturnType<typeof createCancelJob>;

/** Cancels jobs, for their owners and for the bridge itself. */
export function createCancelJob({ store, live, clock }: Deps) {
  /** Ends a job that no process runs. Whether its images were made is not known. */
  async function endAbandoned({ sequence }: JobRecord, completedSecs: number, error: BridgeError) {
    const unknown = error.with({ details: { outcome: 'unknown' } });
    await store.settle(sequence, {
      status: 'cancelled',
      completedSecs,
      error: toJobFailure(unknown),
    });
  }

  /**
   * Cancels a queued job at once. Calls that a provider already has are stopped, or finished and their images kept; nothing
   * further is sent. A job that is running in the store, but not in this process, ends at once too. The job ends with
   * `error`. Resolves to the job as it then is; to undefined if there is none. Throws `overloaded`.
   */
  return async function cancelJob(
    scope: string,
    id: string,
    error: BridgeError,
    inFlight: InFlight = 'stop',
  ): Promise<JobRecord | undefined> {
    const atSecs = nowSecs(clock);
    const job = await store.cancel(scope, id, { atSecs, error: toJobFailure(error) });
    if (!job) return undefined;
    // The request is durable; only now may the work learn of it.
    const isRunning = !isTerminal(job.status);
    if (isRunning && (await live.stop(id, error, inFlight))) return job;
    if (isRunning) await endAbandoned(job, atSecs, error);
    live.ended(id);
    return isRunning ? store.find(scope, id) : job;
  };
}
