import { type ImageJob, isTerminal, type JobPatch } from '../contract/resources/job.ts';
import type { BridgeError } from '../errors/bridge-error.ts';
import { fromStoredError } from '../errors/error-body.ts';
import { type Clock, nowSecs } from '../platform/clock.ts';
import type { JobSubmission, SubmitContext, Submitted } from './accept-job.ts';
import type { CancelJob } from './cancel-job.ts';
import { cancellation, foundJob } from './job-end.ts';
import type { JobRecord, JobStore } from './job-store-port.ts';
import { toImageJob } from './job-views.ts';
import type { InFlight, JobPartial, LiveJobs } from './live-jobs.ts';

interface Deps {
  readonly store: Pick<JobStore, 'find' | 'update'>;
  readonly submitJob: (request: JobSubmission, context: SubmitContext) => Promise<Submitted>;
  readonly retryJob: (id: string, context: SubmitContext) => Promise<Submitted>;
  readonly cancelJob: CancelJob;
  readonly live: LiveJobs;
  readonly clock: Clock;
}

/** An accepted job, in the form of the reply to its submission. */
interface AcceptedJob {
  readonly job: ImageJob;
  /** The provider that ran the job. Until the job has run, the first provider of its plan. */
  readonly provider: string;
  /** True if the job was accepted earlier, for an equal request. */
  readonly replayed: boolean;
}

/** A job and, if the job ended without success, its error. */
interface Outcome {
  readonly job: ImageJob;
  readonly error: BridgeError | undefined;
}

export type Jobs = ReturnType<typeof createJobs>;

/** Accepts, shows, cancels and changes durable jobs. `job-worker.ts` runs them. */
export function createJobs(deps: Deps) {
  const { store, live, clock } = deps;

  const toView = (job: JobRecord): ImageJob => toImageJob(job, live.progress(job.id));

  function toAccepted({ job, repeated }: Submitted): AcceptedJob {
    return { job: toView(job), provider: job.provider, replayed: repeated };
  }

  async function untilEnded(
    scope: string,
    id: string,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<JobRecord> {
    if (waitMs === 0) return foundJob(await store.find(scope, id));
    const finished = new AbortController();
    // The wait begins before the job is read. Otherwise a job that ends between the two steps would be missed.
    const ended = live.untilEnded(id, waitMs, AbortSignal.any([signal, finished.signal]));
    try {
      const job = foundJob(await store.find(scope, id));
      if (isTerminal(job.status)) return job;
      await ended;
    } finally {
      finished.abort();
    }
    // The job is read even if the wait was aborted, because the client is still connected if the reason is a shutdown.
    return foundJob(await store.find(scope, id));
  }

  return {
    /**
     * Resolves when the job is durably queued. If the same request was sent before, resolves with the earlier job in its present
     * state. Throws `overloaded`, `rate_limited`, `idempotency_conflict`, `input`, `unsupported_capability`, or the reason of the
     * signal.
     */
    submit: async (request: JobSubmission, context: SubmitContext): Promise<AcceptedJob> =>
      toAccepted(await deps.submitJob(request, context)),

    /**
     * Submits a new job with the request, the images, the priority and the webhook of a job that failed, was cancelled or was
     * interrupted. Throws `not_found`, `job_not_terminal`, `job_succeeded`, and any error that `submit` throws.
     */
    retry: async (id: string, context: SubmitContext): Promise<AcceptedJob> =>
      toAccepted(await deps.retryJob(id, context)),

    /**
     * Resolves with the job when it has ended, after `waitMs`, or when `signal` aborts, whichever is first. Throws
     * `not_found`.
     */
    find: async (
      scope: string,
      id: string,
      waitMs: number,
      signal: AbortSignal,
    ): Promise<ImageJob> => toView(await untilEnded(scope, id, waitMs, signal)),

    /** Resolves at the same time as `find`, with the job and, if the job ended without success, its error. */
    async outcome(
      scope: string,
      id: string,
      waitMs: number,
      signal: AbortSignal,
    ): Promise<Outcome> {
      const record = await untilEnded(scope, id, waitMs, signal);
      return { job: toView(record), error: record.error && fromStoredError(record.error) };
    },

    /** Cancels a job on behalf of its owner, as `CancelJob` describes. Throws `not_found`, `overloaded`. */
    cancel: async (scope: string, id: string, inFlight: InFlight = 'stop'): Promise<ImageJob> =>
      toView(foundJob(await deps.cancelJob(scope, id, cancellation(), inFlight))),

    /** Marks, hides or restores a job. Throws `not_found`, `job_not_terminal`. */
    async update(scope: string, id: string, { favorite, deleted }: JobPatch): Promise<ImageJob> {
      const change = { atSecs: nowSecs(clock), favorite, deleted };
      return toView(foundJob(await store.update(scope, id, change)));
    },

    /**
     * Resolves with the latest partial image of a job. Resolves with undefined if there is no partial image or the job has ended.
     * Throws `not_found`.
     */
    async partial(scope: string, id: string): Promise<JobPartial | undefined> {
      const { status } = foundJob(await store.find(scope, id));
      return isTerminal(status) ? undefined : live.partial(id);
    },
  };
}
