import type { BridgeError } from '../errors/bridge-error.ts';
import { type Clock, nowSecs } from '../platform/clock.ts';
import { isTerminal, toJobFailure } from './job-end.ts';
import type { JobRecord, JobStore } from './job-store-port.ts';
import type { InFlight, LiveJobs } from './live-jobs.ts';

interface Deps {
  readonly store: Pick<JobStore, 'find' | 'cancel' | 'settle'>;
  readonly live: Pick<LiveJobs, 'stop' | 'ended'>;
  readonly clock: Clock;
}

export type CancelJob = ReturnType<typeof createCancelJob>;

/** Cancels jobs, on behalf of their owners, of the operator or of the bridge. */
export function createCancelJob({ store, live, clock }: Deps) {
  /** Ends a job that no process runs. Its outcome is unknown: its images may have been made. */
  async function endAbandoned({ sequence }: JobRecord, completedSecs: number, error: BridgeError) {
    const unknown = error.with({ details: { outcome: 'unknown' } });
    await store.settle(sequence, {
      status: 'cancelled',
      completedSecs,
      error: toJobFailure(unknown),
    });
  }

  /**
   * Cancels a job, which then ends with `error`. A queued job ends at once. A running job sends no further provider calls;
   * its calls in flight are stopped, or they finish and their images are kept. A job that is running in the store but not in
   * this process ends at once. Resolves with the job in its new state, or with undefined if there is none. Throws
   * `overloaded`.
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
    // The work is stopped only after the request is durable.
    const isRunning = !isTerminal(job.status);
    if (isRunning && (await live.stop(id, error, inFlight))) return job;
    if (isRunning) await endAbandoned(job, atSecs, error);
    live.ended(id);
    return isRunning ? store.find(scope, id) : job;
  };
}
