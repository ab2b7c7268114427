import { isTerminal } from '../contract/resources/job.ts';
import type { BridgeError } from '../errors/bridge-error.ts';
import { toStoredError } from '../errors/error-body.ts';
import { type Clock, nowSecs } from '../platform/clock.ts';
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
  /**
   * Cancels a job, which then ends with `error`. A queued job ends at once. A running job sends no further provider calls;
   * its calls in flight are stopped, or they finish and their images are kept. A running job that this process has lost ends
   * at once, with an unknown outcome. A job that another process runs is ended by that process. Resolves with the job in its
   * new state, or with undefined if there is none. Throws `overloaded`.
   */
  return async function cancelJob(
    scope: string,
    id: string,
    error: BridgeError,
    inFlight: InFlight = 'stop',
  ): Promise<JobRecord | undefined> {
    const atSecs = nowSecs(clock);
    const job = await store.cancel(scope, id, { atSecs, error: toStoredError(error) });
    if (!job) return undefined;
    if (isTerminal(job.status)) {
      live.ended(id);
      return job;
    }
    // The work is stopped only after the request is durable.
    if (await live.stop(id, error, inFlight)) return job;
    const unknown = toStoredError(error.with({ details: { outcome: 'unknown' } }));
    const end = { status: 'cancelled', completedSecs: atSecs, error: unknown } as const;
    // Resolves with false if another process runs the job.
    if (await store.settle(job.sequence, end)) live.ended(id);
    return store.find(scope, id);
  };
}
