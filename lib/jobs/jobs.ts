import type { ImageJob, JobPatch } from '../contract/resources/job.ts';
import { BridgeError } from '../errors/bridge-error.ts';
import type { JobAttach } from '../image-requests/retry-attach.ts';
import { type Clock, nowSecs } from '../platform/clock.ts';
import type { SubmitContext, Submitted } from './accept/accept-job.ts';
import type { JobSubmission } from './accept/submit-job.ts';
import type { CancelJob } from './cancel-job.ts';
import { cancellation } from './job-end.ts';
import { isTerminal } from './job-state.ts';
import type { JobRecord, JobStore } from './job-store-port.ts';
import { toImageJob } from './job-views.ts';
import type { InFlight, JobPartial, LiveJobs } from './streams/live-jobs.ts';

interface Deps {
  readonly store: Pick<JobStore, 'find' | 'update'>;
  readonly submitJob: (
    request: JobSubmission,
    context: SubmitContext,
    attach?: JobAttach,
  ) => Promise<Submitted>;
  readonly retryJob: (id: string, context: SubmitContext) => Promise<Submitted>;
  readonly cancelJob: CancelJob;
  readonly live: LiveJobs;
  readonly clock: Clock;
}

/** A job as its acceptance is replied to. */
interface AcceptedJob {
  readonly job: ImageJob;
  /** Where it went, or where it is meant to go first. */
  readonly provider: string;
  /** It was accepted under the same key before. */
  readonly replayed: boolean;
}

export type Jobs = ReturnType<typeof createJobs>;

/** Accepts, shows, cancels and changes durable jobs. `job-worker.ts` runs them. */
export function createJobs(deps: Deps) {
  const { store, live, clock } = deps;

  const toView = (job: JobRecord): ImageJob => toImageJob(job, live.progress(job.id));

  function toAccepted({ job, repeated }: Submitted): AcceptedJob {
    return { job: toView(job), provider: job.provider, replayed: repeated };
  }

  return {
    /**
     * Resolves once the job is durably queued. An equal request under the key of an earlier one gets that one's job, as
     * it now is. Throws `overloaded`, `idempotency_conflict`, `input`, `unsupported_capability`, or the signal's reason.
     */
    submit: async (
      request: JobSubmission,
      context: SubmitContext,
      attach?: JobAttach,
    ): Promise<AcceptedJob> => toAccepted(await deps.submitJob(request, context, attach)),

    /**
     * A new job with the request, the images, the priority and the webhook of one that failed, was cancelled or was
     * interrupted. Throws `not_found`, `job_not_terminal`, `job_succeeded`, and what `submit` throws.
     */
    retry: async (id: string, context: SubmitContext): Promise<AcceptedJob> =>
      toAccepted(await deps.retryJob(id, context)),

    /**
     * The job as it is: when it has ended, after `waitMs`, or when `signal` aborts, at the first of them. Throws
     * `not_found`.
     */
    async find(scope: string, id: string, waitMs: number, signal: AbortSignal): Promise<ImageJob> {
      if (waitMs === 0) return toView(found(await store.find(scope, id)));
      const finished = new AbortController();
      // Subscribed before the job is read, because the job may end in between.
      const ended = live.untilEnded(id, waitMs, AbortSignal.any([signal, finished.signal]));
      try {
        const job = found(await store.find(scope, id));
        if (isTerminal(job.status)) return toView(job);
        await ended;
      } finally {
        finished.abort();
      }
      // An aborted wait is read too: at a shutdown the client is still there.
      return toView(found(await store.find(scope, id)));
    },

    /** As `createCancelJob`, for the owner of the job. Throws `not_found`, `overloaded`. */
    cancel: async (scope: string, id: string, inFlight: InFlight = 'stop'): Promise<ImageJob> =>
      toView(found(await deps.cancelJob(scope, id, cancellation(), inFlight))),

    /** Marks, hides or restores. Throws `not_found`, `job_not_terminal`. */
    async update(scope: string, id: string, { favorite, deleted }: JobPatch): Promise<ImageJob> {
      const change = { atSecs: nowSecs(clock), favorite, deleted };
      return toView(found(await store.update(scope, id, change)));
    },

    /** The latest partial image of a job; undefined when there is none yet or it has ended. Throws `not_found`. */
    async partial(scope: string, id: string): Promise<JobPartial | undefined> {
      const { status } = found(await store.find(scope, id));
      return isTerminal(status) ? undefined : live.partial(id);
    },
  };
}

function found<T>(job: T | undefined): T {
  if (job === undefined) throw new BridgeError('not_found', 'there is no such job');
  return job;
}
