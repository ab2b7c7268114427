import type { RequestContext } from '../contract/request/request-context.ts';
import type { JobArtifact } from '../contract/resources/artifact.ts';
import {
  type ImageJob,
  type ImageJobSummary,
  isTerminal,
  type JobPatch,
} from '../contract/resources/job.ts';
import type { BridgeError } from '../errors/bridge-error.ts';
import { fromStoredError, toFlatError } from '../errors/error-body.ts';
import { type Clock, nowSecs } from '../platform/clock.ts';
import type { JobAcceptance, JobSubmission, Submitted } from './accept-job.ts';
import { type CancelJob, cancellation, foundJob } from './job-end.ts';
import type { JobPartial, JobProgress, JobProgressStore } from './job-notices-port.ts';
import type { InFlight, JobParent, JobRecord, JobStore, JobSummary } from './job-store-port.ts';
import type { JobWaits } from './job-waits.ts';

interface Deps {
  readonly store: Pick<JobStore, 'find' | 'update'>;
  readonly acceptance: JobAcceptance;
  readonly cancelJob: CancelJob;
  readonly waits: Pick<JobWaits, 'untilEnded'>;
  readonly progress: JobProgressStore;
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

export type Jobs = ReturnType<typeof createJobs>;

/** Creates the functions that accept, show, cancel and change durable jobs. `job-worker.ts` runs the jobs. */
export function createJobs(deps: Deps) {
  const { store, waits, progress, clock } = deps;

  async function toView(job: JobRecord): Promise<ImageJob> {
    return toImageJob(job, (await findProgress(progress, [job])).get(job.id));
  }

  async function toAccepted({ job, repeated }: Submitted): Promise<AcceptedJob> {
    return { job: await toView(job), provider: job.provider, replayed: repeated };
  }

  async function untilEnded(
    scope: string,
    id: string,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<JobRecord> {
    if (waitMs === 0) return foundJob(await store.find(scope, id));
    const finished = new AbortController();
    // The wait begins before the job is read, because an end between the read and a later wait would be missed.
    const ended = waits.untilEnded(id, waitMs, AbortSignal.any([signal, finished.signal]));
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
    submit: async (request: JobSubmission, context: RequestContext): Promise<AcceptedJob> =>
      toAccepted(await deps.acceptance.submit(request, context)),

    /**
     * Submits a new job with the request, the images, the priority, the labels, the group and the webhook of a job that failed, was
     * cancelled or was interrupted. Throws `not_found`, `job_not_terminal`, `job_succeeded`, and any error that `submit` throws.
     */
    retry: async (id: string, context: RequestContext): Promise<AcceptedJob> =>
      toAccepted(await deps.acceptance.retry(id, context)),

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
    ): Promise<{ readonly job: ImageJob; readonly error: BridgeError | undefined }> {
      const record = await untilEnded(scope, id, waitMs, signal);
      const job = await toView(record);
      return { job, error: record.error && fromStoredError(record.error) };
    },

    /** Cancels a job on behalf of its owner, as `CancelJob` describes. Throws `not_found`, `overloaded`. */
    cancel: async (scope: string, id: string, inFlight: InFlight = 'stop'): Promise<ImageJob> =>
      toView(foundJob(await deps.cancelJob(scope, id, cancellation(), inFlight))),

    /** Marks, hides, restores, labels or moves a job. Throws `not_found`, `job_not_terminal`, `job_not_queued`. */
    async update(scope: string, id: string, patch: JobPatch): Promise<ImageJob> {
      const change = { ...patch, atSecs: nowSecs(clock) };
      return toView(foundJob(await store.update(scope, id, change)));
    },

    /**
     * Resolves with the latest partial image of a job. Resolves with undefined if there is no partial image or the job has ended.
     * Throws `not_found`.
     */
    async partial(scope: string, id: string): Promise<JobPartial | undefined> {
      const { status } = foundJob(await store.find(scope, id));
      return isTerminal(status) ? undefined : progress.findPartial(id);
    },
  };
}

/** Resolves with the known progress of the running jobs among these jobs. */
export async function findProgress(
  progress: Pick<JobProgressStore, 'find'>,
  jobs: readonly Pick<JobRecord, 'id' | 'status'>[],
): Promise<ReadonlyMap<string, JobProgress>> {
  const running = jobs.flatMap(({ id, status }) => (status === 'running' ? [id] : []));
  return running.length === 0 ? new Map() : progress.find(running);
}

/** Converts a job to the form of the API, with all its details. */
export function toImageJob(record: JobRecord, progress: JobProgress | undefined): ImageJob {
  const { request, retryOf, parents, result, partialResult, error, marked } = record;
  return {
    ...toShared(record, progress),
    request,
    ...(retryOf === undefined ? {} : { retry_of: retryOf }),
    ...toDerivedFrom(parents),
    ...(result === undefined ? {} : { result }),
    ...(partialResult === undefined ? {} : { partial_result: partialResult }),
    ...(error === undefined ? {} : { error: toFlatError(fromStoredError(error)) }),
    ...(marked === undefined ? {} : { marks: marked.map(toMarks) }),
    ...toWebhookView(record),
  };
}

function toMarks({ id, favorite, hidden, note }: JobArtifact) {
  return {
    artifact_id: id,
    ...(favorite && { favorite }),
    ...(hidden && { hidden }),
    ...(note !== undefined && { note }),
  };
}

/** Converts the parents of a job to the form of the API. Returns no field if the job has no parents. */
export function toDerivedFrom(parents: readonly JobParent[]): Pick<ImageJob, 'derived_from'> {
  if (parents.length === 0) return {};
  return {
    derived_from: parents.map(({ artifactId, createdSecs, jobId, input, image, ...facts }) => ({
      input,
      artifact_id: artifactId,
      ...(jobId === undefined || image === undefined ? {} : { job_id: jobId, image }),
      ...facts,
      created: createdSecs,
    })),
  };
}

function toWebhookView({ webhook, completedSecs }: JobRecord): Pick<ImageJob, 'webhook'> {
  if (!webhook) return {};
  const { state, attempts, lastStatus } = webhook;
  // The job has ended with a status that is not in the `events` of the webhook, so nothing will be sent.
  if (state === 'waiting' && completedSecs !== undefined) return {};
  return {
    webhook: {
      status: state === 'waiting' ? 'pending' : state,
      attempts,
      ...(lastStatus === undefined ? {} : { last_status: lastStatus }),
    },
  };
}

/** Resolves with the function that converts these jobs to the form that is used in lists of the API, with their progress. */
export async function summarizer(
  progress: Pick<JobProgressStore, 'find'>,
  jobs: readonly JobSummary[],
): Promise<(job: JobSummary) => ImageJobSummary> {
  const known = await findProgress(progress, jobs);
  return (job) => toImageJobSummary(job, known.get(job.id));
}

function toImageJobSummary(
  summary: JobSummary,
  progress: JobProgress | undefined,
): ImageJobSummary {
  const { operation, prompt, provider, model, outputs, size, inputs, errorCode, artifacts } =
    summary;
  return {
    ...toShared(summary, progress),
    operation,
    prompt,
    provider,
    ...(model === undefined ? {} : { model }),
    outputs,
    size,
    inputs,
    ...(errorCode === undefined ? {} : { error_code: errorCode }),
    artifacts,
  };
}

function toShared(
  job: Omit<JobRecord, 'requestId' | 'token' | 'request' | 'provider' | 'parents'>,
  progress?: JobProgress,
) {
  const { id, status, startedSecs, completedSecs, deletedSecs } = job;
  return {
    id,
    status,
    created: job.createdSecs,
    updated: job.updatedSecs,
    ...(startedSecs === undefined ? {} : { started: startedSecs }),
    ...(completedSecs === undefined ? {} : { completed: completedSecs }),
    cancel_requested: job.cancelRequested,
    ...(job.priority === 0 ? {} : { priority: job.priority }),
    ...(job.labels.length === 0 ? {} : { labels: [...job.labels] }),
    ...(job.group === undefined ? {} : { group: job.group }),
    favorite: job.favorite,
    ...(deletedSecs === undefined ? {} : { deleted: deletedSecs }),
    ...(job.retriedAs === undefined ? {} : { retried_as: job.retriedAs }),
    // The progress is omitted for an ended job.
    ...(progress === undefined || completedSecs !== undefined ? {} : { progress }),
  };
}
