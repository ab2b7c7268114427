import type { ArtifactRecord } from '../artifacts/artifact-store-port.ts';
import type { ImageResponse } from '../contract/reply/image-response.ts';
import type { StoredInput } from '../contract/request/image-input.ts';
import type { ArtifactPatch, JobArtifact } from '../contract/resources/artifact.ts';
import type {
  ImageJobSummary,
  JobRequest,
  JobStatus,
  PartialResult,
} from '../contract/resources/job.ts';
import type { JobSize } from '../contract/resources/job-filter.ts';
import type { JobGroup } from '../contract/resources/job-group.ts';
import type { SearchTerms } from '../contract/resources/search-terms.ts';
import type { BridgeCode } from '../errors/codes.ts';
import type { StoredError } from '../errors/error-body.ts';
import type { EarlierWork } from '../generation/earlier-work-port.ts';
import type { Reservation, Settlement } from '../generation/ledger/ledger-store-port.ts';
import type { WebhookRecord, WebhookTarget } from '../webhooks/webhook-store-port.ts';

/** The fields that records and summaries of jobs share. Times are Unix seconds. */
interface JobFacts {
  /** The number of the job in the order of acceptance, from 1. The number is unique across all scopes and is never reused. */
  readonly sequence: number;
  /** A UUIDv7. */
  readonly id: string;
  /** The authorization scope that owns the job. */
  readonly scope: string;
  readonly status: JobStatus;
  /** The priority, from -100 to 100. Among the queued jobs of a scope, the highest priority is claimed first. */
  readonly priority: number;
  readonly createdSecs: number;
  /** The time of the latest change. Progress does not count as a change. */
  readonly updatedSecs: number;
  readonly startedSecs?: number;
  readonly completedSecs?: number;
  readonly cancelRequested: boolean;
  readonly favorite: boolean;
  /** Texts set by the caller, without repetitions. */
  readonly labels: readonly string[];
  /** The group of jobs to which the job belongs, and its place there. */
  readonly group?: JobGroup | undefined;
  /** The time when the job was hidden. */
  readonly deletedSecs?: number;
  /**
   * The id of the newest stored job that retries this job. The acceptance of a retry, but not its removal, is a change of the
   * earlier job too. Its `updatedSecs` stays the same.
   */
  readonly retriedAs?: string;
}

/** An input image of a job that was sent as an artifact. */
export interface JobParent {
  /** The position of the image among the input images of the job. */
  readonly input: number;
  readonly artifactId: string;
  /** The name, the dimensions and the time of the artifact when the job was accepted. */
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly createdSecs: number;
  /** The job that made the artifact. The job may have been removed. Absent if the artifact was made without a job. */
  readonly jobId?: string;
  /** The position of the artifact among the artifacts of that job. Present if and only if `jobId` is present. */
  readonly image?: number;
}

/** An image of an ended job, with its job and its position in the result. */
export interface MarkedImage {
  readonly jobId: string;
  readonly position: number;
  readonly artifact: JobArtifact;
}

/** The mask of a job. */
export interface JobMask {
  readonly sequence: number;
  /** The position of the mask among the input images of the job. */
  readonly input: number;
  readonly mask: StoredInput;
}

/** The identity of a job. */
export type JobKey = Pick<JobFacts, 'id' | 'scope' | 'sequence'>;

/** A job with everything that is stored about it. */
export interface JobRecord extends JobFacts {
  /** The `x-request-id` of the POST that submitted the job. `ImageResponse.id` has the same value. */
  readonly requestId: string;
  /** The provider that ran the job. Until the job has run, the first provider of its plan. */
  readonly provider: string;
  /** The id of the job that this job retries. */
  readonly retryOf?: string;
  /** The identity of the token that submitted the job; empty for a caller without a named token. */
  readonly token: string;
  readonly request: JobRequest;
  /** In the order of the input images. */
  readonly parents: readonly JobParent[];
  /** Present if and only if the job succeeded. */
  readonly result?: ImageResponse;
  /** The finished images of a job that ended without success. Absent if no image was finished. */
  readonly partialResult?: PartialResult;
  /** The images of the job that have marks. Absent if there are none. */
  readonly marked?: readonly JobArtifact[];
  /** Present if and only if the job ended without success. */
  readonly error?: StoredError;
  /** Present if the job has a webhook. */
  readonly webhook?: WebhookRecord;
}

/** Limits of a claim. */
export interface ClaimLimits {
  /** The maximum number of jobs that run in all processes together. Unlimited by default. */
  readonly maxRunning?: number;
  /** True if only a job is claimed that the bridge runs without a model (`isOwnWork`). */
  readonly isOwnWork?: boolean;
}

/** A job whose stored request cannot be read. The job ended as `failed` when it was claimed. */
export interface UnreadableJob extends JobKey {
  readonly request?: undefined;
}

/** A job in the form that lists show. */
export interface JobSummary extends JobFacts {
  readonly operation: JobRequest['operation'];
  /** The first 256 code points of the prompt. */
  readonly prompt: string;
  /** The provider that ran the job. Until the job has run, the first provider of its plan. */
  readonly provider: string;
  readonly model?: string;
  /** The number of images that the request asks for. */
  readonly outputs: number;
  /** The size planned when the job was accepted: `auto`, or `WxH` in pixels. */
  readonly size: string;
  /** The number of images in the request, masks and references included. */
  readonly inputs: number;
  readonly errorCode?: BridgeCode;
  /** The finished images, in the order of the result. */
  readonly artifacts: ImageJobSummary['artifacts'];
}

export interface NewJob
  extends Pick<JobFacts, 'id' | 'scope' | 'priority' | 'createdSecs' | 'labels' | 'group'> {
  readonly requestId: string;
  readonly retryOf?: string;
  readonly request: JobRequest;
  readonly parents: readonly JobParent[];
  /** The first provider of the plan, and its model. */
  readonly provider: string;
  readonly model?: string;
  /** The planned size: `auto`, or `WxH` in pixels. */
  readonly size: string;
  /** The number of bytes reserved for the result of the job, at least 1. */
  readonly reservedBytes: number;
  readonly webhook?: WebhookTarget | undefined;
}

export interface JobLimits {
  /** The maximum number of queued jobs of all scopes. The last tenth is reserved for scopes below their equal share. */
  readonly maxPending: number;
  /** The maximum size of all jobs together in bytes, reservations included. The last tenth is reserved as in `maxPending`. */
  readonly maxDatabaseBytes: number;
  /** True if jobs from further scopes may arrive, so that a part of the limits is reserved for these scopes. */
  readonly isShared: boolean;
}

export interface JobAdmission extends JobLimits {
  /** The allowance to which the images of the job are charged when the job is added. */
  readonly reservation: Reservation;
  /**
   * The keyed hash of the scope and the idempotency key, with the fingerprint of the request. Absent if the request has no key.
   */
  readonly key?: { readonly hash: string; readonly fingerprint: string };
  /** When the images of the job began to be stored, in Unix milliseconds. Absent if no other process removes stored images. */
  readonly imagesStoredMs?: number | undefined;
}

export interface JobFilter {
  readonly status?: JobStatus | undefined;
  readonly visibility: 'active' | 'hidden' | 'all';
  readonly favorite?: boolean | undefined;
  readonly provider?: string | undefined;
  /** A label that the jobs have. */
  readonly label?: string | undefined;
  /** The id of the group to which the jobs belong. */
  readonly group?: string | undefined;
  readonly model?: string | undefined;
  readonly operation?: JobRequest['operation'] | undefined;
  /** The size of the first image, or the planned size of a job without images. */
  readonly size?: JobSize | undefined;
  /** The jobs were accepted at this time or later, and before `createdBeforeSecs`. */
  readonly createdFromSecs?: number | undefined;
  readonly createdBeforeSecs?: number | undefined;
}

/** A page of a list, newest job first. */
export interface JobPageRequest {
  /** The page begins below this `sequence`. If absent, the page begins at the newest job. */
  readonly before?: number;
  /** At least 1. */
  readonly limit: number;
}

/** A page of a list in either order. */
export type JobListPage =
  | JobPageRequest
  | {
      /** The oldest job comes first. The page begins above this `sequence`. 0 begins at the oldest job. */
      readonly after: number;
      /** At least 1. */
      readonly limit: number;
    };

/** A changed job in its present state, or the id of a removed job. */
export type JobChange = {
  /** The number of the change. Changes of a scope are numbered from 1 in the order of their commits; no number is used twice. */
  readonly change: number;
} & ({ readonly job: JobSummary } | { readonly removedId: string });

/** The end of a running job, in the form that the store writes. */
export type JobEnd = {
  readonly completedSecs: number;
  /**
   * The provider calls of the job that are not counted yet. Undefined if the calls are unknown because another process ran the
   * job.
   */
  readonly settlement?: Settlement | undefined;
} & (
  | {
      readonly status: 'succeeded';
      readonly result: ImageResponse;
      /** The ids of the artifacts in the result. The publications of these artifacts are pending. */
      readonly publications: readonly string[];
    }
  | {
      readonly status: 'failed' | 'cancelled' | 'interrupted';
      readonly error: StoredError;
      /** The ids of the finished artifacts. If absent, there are no finished artifacts. */
      readonly publications?: readonly string[];
    }
);

/** The end of a job whose process has ended. */
export interface AbandonedEnd {
  readonly atSecs: number;
  readonly error: StoredError;
  /** The ids of the complete publications. */
  readonly publications?: readonly string[];
}

/** A running job that continues in this process, with the work of the process that has ended. */
export interface ResumedJob {
  readonly job: JobRecord;
  readonly earlier: EarlierWork;
}

/** The treatment of provider calls in flight when their job is cancelled. */
export type InFlight = 'stop' | 'finish';

/** A request to cancel a job. */
export interface JobCancellation {
  /** The error with which the job ends. */
  readonly error: StoredError;
  readonly inFlight: InFlight;
}

/** The limits of the history, and the size of one step of a sweep. */
export interface JobRetention {
  /** Jobs that ended before this time are removed. */
  readonly completedBeforeSecs: number;
  /**
   * The maximum number of jobs in the ordinary history. The ordinary history consists of the jobs that have ended and are not
   * favourites.
   */
  readonly maxRetained: number;
  /** The maximum size of the ordinary history in bytes, stored images included. */
  readonly maxRetainedBytes: number;
  /** The `next` value from the previous call of the same sweep. Undefined for the first call of a sweep. */
  readonly after?: PrunePlaces | undefined;
  /** The maximum number of jobs that one call examines. */
  readonly batch: number;
}

/**
 * The position of a sweep in the history of each scope, in the order of `EndedPlace`. All jobs up to this position were removed
 * or skipped.
 */
export type PrunePlaces = ReadonlyMap<string, EndedPlace>;

/** The position of an ended job. Jobs are ordered by the time of their end, then by `sequence`. */
export interface EndedPlace {
  readonly completedSecs: number;
  readonly sequence: number;
}

export interface PrunedJobs {
  /** The sequences of the removed jobs. */
  readonly removed: readonly number[];
  /** The SHA-256 of each stored image that no remaining job uses, without repetitions. */
  readonly releasedInputs: readonly string[];
  /** Undefined if nothing is left to remove. */
  readonly next: PrunePlaces | undefined;
}

/** Counts and sizes over the jobs of all scopes. */
export interface JobTotals {
  readonly byStatus: Readonly<Record<JobStatus, number>>;
  readonly hidden: number;
  readonly favorite: number;
  /** The size of all jobs in bytes: the length of their texts plus a fixed number of bytes for each job. */
  readonly logicalBytes: number;
  /** The number of bytes reserved for the results of queued and running jobs. */
  readonly reservedBytes: number;
}

/**
 * Stores jobs and their history. Every method is one transaction and is durable when it resolves. A job of another scope is
 * treated as missing. Every method throws `overloaded` if the store cannot write, and `internal` if the store is damaged.
 *
 * A job moves from `queued` to `running` or `cancelled`, and from `running` to `succeeded`, `failed`, `cancelled` or
 * `interrupted`. A running job moves to another process only if one of its calls has a ticket. The states `succeeded`, `failed`,
 * `cancelled` and `interrupted` are final. The transaction that adds, changes or removes a job also updates `totals`, the queue's
 * counts, and the order of the changes of its scope. A change of one job never appears as a change of another job.
 */
export interface JobStore {
  /**
   * Accepts a job as `queued`, and charges its images to the allowance in `reservation`. If an earlier job has the same key, adds
   * nothing, checks no limits, and resolves with the earlier job in its present state and with `repeated` true. If a job with the
   * same id was accepted, also adds nothing, but resolves with `repeated` false, so that a call whose outcome is unknown can be
   * repeated. Throws `overloaded` if a limit is reached or if other processes may have removed the images, `rate_limited` if the
   * allowance of the token or the share of the scope (`checkRoom`) is exceeded, and `idempotency_conflict` if the earlier job has
   * another fingerprint (`refuseDifferent`).
   */
  submit(
    job: NewJob,
    admission: JobAdmission,
  ): Promise<{ readonly job: JobRecord; readonly repeated: boolean }>;
  /**
   * Throws `overloaded` or `rate_limited` if `submit` would reject even the smallest job of the scope. Does nothing if an earlier
   * job has this key, because `submit` resolves with that job. Called before costly work, so that a full queue rejects a request
   * early.
   */
  refuseWhenFull(
    scope: string,
    limits: Omit<JobAdmission, 'key'>,
    keyHash: string | undefined,
  ): Promise<void>;
  /**
   * Resolves with the job that was accepted under this key. Throws `idempotency_conflict` if the job has another fingerprint.
   * Resolves with undefined if the key is unknown.
   */
  findByKey(key: NonNullable<JobAdmission['key']>): Promise<JobRecord | undefined>;
  /**
   * Starts a queued job. The job then belongs to this process. Resolves with undefined if no job is queued, the queue is paused, or
   * the limits allow no job. Scopes take turns: the scope with the oldest last claim is next. A scope whose first job is queued
   * waits behind the scopes that have waited longest, unless its own last claim is more recent. Within a scope, the job with the
   * highest priority is claimed. Among jobs with equal priority, the job that was accepted first is claimed. A job with an
   * unreadable request is not started and ends as `failed`.
   */
  claim(startedSecs: number, limits?: ClaimLimits): Promise<JobRecord | UnreadableJob | undefined>;
  /**
   * Ends a running job, counts its outputs, replaces its charge with the number of counted outputs, publishes its artifacts, and
   * makes its webhook due if the status is among its events. If the job does not succeed, its pending publications become its
   * partial result. Resolves with false and changes nothing if the job is not running in this process, or if it would succeed
   * after its cancellation was requested. Resolves with true and changes nothing if this process has already stored exactly this
   * end, because the reply to the first call may have been lost. Throws `artifact` if a publication of a result is not pending.
   */
  settle(sequence: number, end: JobEnd): Promise<boolean>;
  /**
   * Ends a queued job as `cancelled` with this error, releases its charge, and makes its webhook due as `settle` does. Marks a
   * running job as `cancelRequested`, and stores the request for the process that runs the job. A later request replaces the stored
   * request only if the earlier calls may finish and the later calls must stop. Leaves an ended job unchanged, and a running job if
   * `isOnlyQueued` is true. Resolves with the job in its new state. Resolves with undefined if the scope has no such job.
   */
  cancel(
    scope: string,
    id: string,
    request: JobCancellation & { readonly atSecs: number; readonly isOnlyQueued?: boolean },
  ): Promise<JobRecord | undefined>;
  /** Resolves with the running jobs of this process whose cancellation is requested, and with these requests. */
  listCancellations(): Promise<readonly (JobKey & JobCancellation)[]>;
  /**
   * Sets or clears the favourite mark, hides or restores a job, replaces its labels, and changes its priority. Hiding a job again
   * does not change its `deletedSecs`. Resolves with the job in its new state. Throws `job_not_terminal` if the job to hide has not
   * ended, and `job_not_queued` if another priority is set and the job is not queued. Both errors change nothing.
   */
  update(
    scope: string,
    id: string,
    change: {
      readonly atSecs: number;
      readonly favorite?: boolean | undefined;
      readonly deleted?: boolean | undefined;
      readonly labels?: readonly string[] | undefined;
      readonly priority?: number | undefined;
    },
  ): Promise<JobRecord | undefined>;
  /**
   * Changes the marks of one image of an ended job of the scope, and the marks of the job as `changeMarks` does. Resolves with the
   * image in its new state, or with undefined if there is no such image.
   */
  markImage(
    scope: string,
    artifactId: string,
    change: ArtifactPatch & { readonly atSecs: number },
  ): Promise<MarkedImage | undefined>;
  find(scope: string, id: string): Promise<JobRecord | undefined>;
  /** Resolves with the given ids whose jobs are queued or running, in any scope. */
  listActive(ids: readonly string[]): Promise<readonly string[]>;
  /** Resolves with the jobs that match the filter, in the order of the page. `more` is true if further jobs follow. */
  list(
    scope: string,
    filter: JobFilter,
    page: JobListPage,
  ): Promise<{ readonly items: readonly JobSummary[]; readonly more: boolean }>;
  /** Resolves with the number of jobs that match the filter, or with `limit` if more jobs match. */
  count(scope: string, filter: JobFilter, limit: number): Promise<number>;
  /** Resolves with the given artifacts that are images of ended jobs of the scope, each with its job and its position. */
  listImages(
    scope: string,
    artifactIds: readonly string[],
  ): Promise<readonly Required<Pick<JobParent, 'artifactId' | 'jobId' | 'image'>>[]>;
  /** Resolves with the jobs whose parents include the given job, newest first. `more` is true if older jobs follow. */
  listDerived(
    scope: string,
    id: string,
    page: JobPageRequest,
  ): Promise<{ readonly items: readonly JobSummary[]; readonly more: boolean }>;
  /**
   * Resolves with the given jobs of the scope that are stored, and with the ids of at most `limit` jobs whose parents include one of
   * these jobs, newest first.
   */
  listKin(
    scope: string,
    ids: readonly string[],
    limit: number,
  ): Promise<{
    readonly jobs: readonly (Pick<JobFacts, 'id' | 'sequence'> & Pick<JobRecord, 'parents'>)[];
    readonly children: readonly string[];
  }>;
  /**
   * Resolves with the masks of the jobs of these sequences, in any order. Jobs of other scopes, and jobs without a mask or with an
   * unreadable request are omitted.
   */
  listMasks(scope: string, sequences: readonly number[]): Promise<readonly JobMask[]>;
  /** Resolves with the jobs of these sequences in the same order. Removed jobs are omitted. */
  summaries(scope: string, sequences: readonly number[]): Promise<readonly JobSummary[]>;
  /**
   * Resolves with the number of the latest change of the scope, or with 0 if there was no change. A reader that stopped before
   * `oldestToResume` may have missed a removal, because the ids of removed jobs are kept for a limited number of changes.
   */
  changes(scope: string): Promise<{ readonly latest: number; readonly oldestToResume: number }>;
  /**
   * Resolves with the first `limit` changes of the scope after this number, in their order. Only the latest change of each job is
   * found. The removal of a job is a change, and so is every update that is visible to a reader.
   */
  changesAfter(scope: string, after: number, limit: number): Promise<readonly JobChange[]>;
  /**
   * Resolves with the complete and incomplete publications of jobs that the store lists as running but whose process has ended.
   */
  listAbandonedOutputs(): Promise<readonly ArtifactRecord[]>;
  /**
   * Takes over one running job of an ended process that has a ticket for one of its calls (`LedgerStore.accept`). The job stays
   * `running`, and then belongs to this process with its account and its publications. Resolves with undefined if there is no such
   * job. The publications of the job in `publications` are its images; its other publications are no longer linked to the job. A
   * job whose request cannot be read ends as in `interruptAbandoned`.
   */
  resumeAbandoned(end: AbandonedEnd): Promise<ResumedJob | undefined>;
  /**
   * Ends the running jobs of ended processes that have no ticket as `interrupted` with this error, each in its own transaction, and
   * resolves with the number of these jobs. Jobs of this process, and of a process with a valid lease, continue. `publications`
   * contains the ids of the complete publications. These publications become partial results as in `settle`. Every other output
   * that may have been sent is counted as unknown.
   */
  interruptAbandoned(end: AbandonedEnd): Promise<number>;
  /**
   * Removes jobs of the ordinary history. First removes all jobs that are too old. While the history is still too long or too
   * large, removes the job that ended first in the scope with the largest part of the history, unless that scope is within its
   * equal share. A job with a pending webhook is removed only if it is too old.
   */
  prune(retention: JobRetention): Promise<PrunedJobs>;
  /**
   * Resolves with the stored images of all jobs whose SHA-256 is greater than `after`, in ascending order, without repetitions.
   */
  listInputs(page: {
    readonly after: string;
    readonly limit: number;
  }): Promise<readonly { readonly sha256: string; readonly bytes: number }[]>;
  /** Resolves with true if a job uses the stored image with this SHA-256. */
  needsInput(sha256: string): Promise<boolean>;
  /** Resolves with the totals in constant time. */
  totals(): Promise<JobTotals>;
}

export interface JobSearchFilter extends JobFilter {
  /** Each text has 1 to 256 code points. */
  readonly terms: SearchTerms;
}

/**
 * Finds jobs by their prompts. The store maintains its own index. Results are always complete, because a search also reads jobs
 * that are not indexed yet.
 */
export interface JobSearch {
  /**
   * Resolves with the sequences of the matching jobs of the scope, in the order of the page. `more` is true if further jobs follow.
   * If a job changes during the search, the filter applies to either its old or its new state. Throws `overloaded` if too many searches
   * wait or the store cannot search, `internal` if the database is damaged, and the signal's reason if the signal aborts.
   */
  find(
    scope: string,
    filter: JobSearchFilter,
    page: JobListPage,
    signal: AbortSignal,
  ): Promise<{ readonly sequences: readonly number[]; readonly more: boolean }>;
}
