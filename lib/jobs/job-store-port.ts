import type { ArtifactRecord } from '../artifacts/artifact-store-port.ts';
import type { ImageResponse } from '../contract/reply/image-response.ts';
import type {
  ImageJobSummary,
  JobRequest,
  JobStatus,
  PartialResult,
} from '../contract/resources/job.ts';
import type { Reservation } from '../generation/ledger/ledger-store-port.ts';
import type { WebhookRecord, WebhookTarget } from '../webhooks/webhook-store-port.ts';
import type { JobEnd, JobFailure } from './job-end-port.ts';
import type { JobRetention, PrunedJobs } from './job-retention-port.ts';
import type { JobTotals } from './job-totals-port.ts';

/** What is known of every job. Times are Unix seconds. */
interface JobFacts {
  /** The job's number in the order of acceptance, from 1 on. No two jobs of any scope ever share one. */
  readonly sequence: number;
  /** A UUIDv7. */
  readonly id: string;
  /** Its owner: the authorization scope of contract.md 11. */
  readonly scope: string;
  readonly status: JobStatus;
  /** From -100 to 100: of the queued jobs of a scope the highest are claimed first. */
  readonly priority: number;
  readonly createdSecs: number;
  /** Of the last change of anything but its progress. */
  readonly updatedSecs: number;
  readonly startedSecs?: number;
  readonly completedSecs?: number;
  readonly cancelRequested: boolean;
  readonly favorite: boolean;
  /** When it was hidden. */
  readonly deletedSecs?: number;
}

/** A job with all that is kept of it. */
export interface JobRecord extends JobFacts {
  /** The `x-request-id` of the POST that it came from; `ImageResponse.id` is the same. */
  readonly requestId: string;
  /** Where it went, or where it is meant to go first. */
  readonly provider: string;
  /** The id of the job that this one was made from by a retry. */
  readonly retryOf?: string;
  /** The identity of the token that it came with; empty for a caller without a named token. */
  readonly token: string;
  readonly request: JobRequest;
  /** Of a job that succeeded, and of no other. */
  readonly result?: ImageResponse;
  /** Of a job that ended otherwise when some of its images were finished, and of no other. */
  readonly partialResult?: PartialResult;
  /** Of a job that ended otherwise, and of no other. */
  readonly error?: JobFailure;
  /** Of a job whose end is to be sent. */
  readonly webhook?: WebhookRecord;
}

/** A job as lists show it. */
export interface JobSummary extends JobFacts {
  readonly operation: JobRequest['operation'];
  /** Its first 256 code points. */
  readonly prompt: string;
  /** Where it went, or where it is meant to go first. */
  readonly provider: string;
  readonly model?: string;
  /** How many images were asked for. */
  readonly outputs: number;
  /** As planned when it was accepted: `auto`, or `WxH` in pixels. */
  readonly size: string;
  /** How many images it came with, masks and references included. */
  readonly inputs: number;
  readonly errorCode?: JobFailure['code'];
  /** What it has made, in the order of its result. */
  readonly artifacts: ImageJobSummary['artifacts'];
}

export interface NewJob extends Pick<JobFacts, 'id' | 'scope' | 'priority' | 'createdSecs'> {
  readonly requestId: string;
  readonly retryOf?: string;
  readonly request: JobRequest;
  /** The provider and the model that its plan begins with. */
  readonly provider: string;
  readonly model?: string;
  /** `auto`, or `WxH` in pixels: what its plan asks for. */
  readonly size: string;
  /** Kept free for what it will end with; at least 1. */
  readonly reservedBytes: number;
  readonly webhook?: WebhookTarget | undefined;
}

export interface JobLimits {
  /** How many jobs of all scopes may be queued, this one included; the last tenth is for scopes below their equal share. */
  readonly maxPending: number;
  /** For all jobs together, their reservations and those of this one included; the last tenth as in `maxPending`. */
  readonly maxDatabaseBytes: number;
  /** True if other scopes may come that have no job yet. */
  readonly isShared: boolean;
}

export interface JobAdmission extends JobLimits {
  /** Of the images that it asks for: they are charged with the job. */
  readonly reservation: Reservation;
  /** Of a request that came with a key: the keyed hash of scope and key, and the fingerprint of the request. */
  readonly key?: { readonly hash: string; readonly fingerprint: string };
}

export interface JobFilter {
  readonly status?: JobStatus | undefined;
  readonly visibility: 'active' | 'hidden' | 'all';
  readonly favorite?: boolean | undefined;
  readonly provider?: string | undefined;
}

export interface JobPageRequest {
  /** The page begins below this `sequence`, at the newest job otherwise. */
  readonly before?: number;
  /** At least 1. */
  readonly limit: number;
}

/** What became of a job: how it is now, or that it was removed. */
export type JobChange = {
  /** Changes of a scope are numbered in the order of their commits, from 1 on. No number is used twice. */
  readonly change: number;
} & ({ readonly job: JobSummary } | { readonly removedId: string });

/**
 * The jobs and their history. Every method is one transaction and has been made durable when it resolves. A job of
 * another scope is as good as none. Throws `overloaded` when the store refuses to write, `internal` when it is damaged.
 */
export interface JobStore {
  /**
   * Accepts a job as `queued`. Under the key of an earlier job, resolves to that job as it is now, whatever
   * the limits say, and nothing is added. Throws `overloaded` at a limit, `rate_limited` beyond the allowance of the token
   * or beyond the share of the scope (`checkRoom`), `idempotency_conflict` when the earlier job was asked for something else.
   */
  submit(
    job: NewJob,
    admission: JobAdmission,
  ): Promise<{ readonly job: JobRecord; readonly repeated: boolean }>;
  /**
   * Throws `overloaded` and `rate_limited` where `submit` would do so for a job of the scope, whatever its size. Not for a
   * request under the key of an earlier job, given by its hash: that job is the reply. Lets a full queue refuse before
   * anything costly is done.
   */
  refuseWhenFull(
    scope: string,
    limits: Omit<JobAdmission, 'key'>,
    keyHash: string | undefined,
  ): Promise<void>;
  /**
   * The job that came with this key, as it is now; undefined when none did. Throws `idempotency_conflict` when it was
   * asked for something else.
   */
  findByKey(key: NonNullable<JobAdmission['key']>): Promise<JobRecord | undefined>;
  /**
   * Turns a queued job into a running one that belongs to this process. Scopes take turns: the job is one of the waiting
   * scope whose last claim is the longest ago. A scope whose first job is queued takes its turn with those that have
   * waited longest, behind them, unless its own last claim is more recent. Among the jobs of the scope, the one with the highest
   * priority that was accepted first is claimed. Undefined when none is queued or the queue is paused. One whose request
   * cannot be read any more ends as `failed` instead.
   */
  claim(startedSecs: number): Promise<JobRecord | undefined>;
  /**
   * Ends a running job, counts its outputs and makes its publications its scope's artifacts, all or nothing. The publications
   * of a job that does not succeed become its partial result, as far as they are pending. False, and nothing changed, when the
   * job is not running in this process, or when it is to succeed after its cancellation was requested. Throws `artifact` when
   * a publication of a result is not pending.
   */
  settle(sequence: number, end: JobEnd): Promise<boolean>;
  /**
   * Ends a queued job as `cancelled` with this error, notes the request on a running one, and leaves one that has ended
   * as it is. Resolves to the job as it then is.
   */
  cancel(
    scope: string,
    id: string,
    request: { readonly atSecs: number; readonly error: JobFailure },
  ): Promise<JobRecord | undefined>;
  /**
   * Marks and hides, or takes that back; a job that is hidden already keeps its time. Resolves to the job as it then
   * is. Throws `job_not_terminal`, and changes nothing, when a job is to be hidden that has not ended.
   */
  update(
    scope: string,
    id: string,
    change: {
      readonly atSecs: number;
      readonly favorite?: boolean | undefined;
      readonly deleted?: boolean | undefined;
    },
  ): Promise<JobRecord | undefined>;
  find(scope: string, id: string): Promise<JobRecord | undefined>;
  /** The jobs that the filter lets through, the last accepted first; `more` when the page is not the last one. */
  list(
    scope: string,
    filter: JobFilter,
    page: JobPageRequest,
  ): Promise<{ readonly items: readonly JobSummary[]; readonly more: boolean }>;
  /** Those of the scope's jobs that are still there, in the order of their sequences as given. */
  summaries(scope: string, sequences: readonly number[]): Promise<readonly JobSummary[]>;
  /**
   * The number of the scope's latest change, 0 before the first, and how far back a reader may have stopped that is to
   * find out about every job since: the ids of removed jobs are kept for some time only.
   */
  changes(scope: string): Promise<{ readonly latest: number; readonly oldestToResume: number }>;
  /** The scope's first change after this one. Of several changes of a job only the latest is one. */
  nextChange(scope: string, after: number): Promise<JobChange | undefined>;
  /** The publications that running jobs of processes that have ended had begun, complete or not. */
  listAbandonedOutputs(nowSecs: number): Promise<readonly ArtifactRecord[]>;
  /**
   * Ends the running jobs of processes that have ended as `interrupted` with this error. Those of this process, and of
   * another one that still renews its lease at `atSecs`, run on. The publications that are complete, by their ids, become
   * partial results as in `settle`; outputs that may have been sent and are in none are counted as unknown. Resolves to the
   * number of those that were ended.
   */
  interruptAbandoned(end: {
    readonly atSecs: number;
    readonly error: JobFailure;
    readonly publications?: readonly string[];
  }): Promise<number>;
  /**
   * Removes jobs of the ordinary history: all that are too old, then, while the history is too long or too large, the
   * job that ended first in the scope with the largest part of it. A scope within its equal share loses nothing to others.
   * A job whose webhook is pending is only removed when it is too old.
   */
  prune(retention: JobRetention): Promise<PrunedJobs>;
  /** The stored images of all jobs by ascending SHA-256, each once: at most `limit` of those behind `after`. */
  listInputs(page: {
    readonly after: string;
    readonly limit: number;
  }): Promise<readonly { readonly sha256: string; readonly bytes: number }[]>;
  /** Whether a job came with the stored image of this SHA-256. */
  needsInput(sha256: string): Promise<boolean>;
  /** Takes the same short time however many jobs there are. */
  totals(): Promise<JobTotals>;
}
