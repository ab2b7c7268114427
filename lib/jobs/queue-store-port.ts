/** The state of the queue, over the jobs of all scopes. */
export interface QueueState {
  readonly paused: boolean;
  readonly queued: number;
  readonly running: number;
  /** The time when the oldest queued job was accepted, in Unix seconds. Absent if no job is queued. */
  readonly oldestQueuedSecs?: number;
  /** The providers that have active jobs, by name. */
  readonly byProvider: readonly {
    readonly provider: string;
    readonly queued: number;
    readonly running: number;
  }[];
}

/** A job in the form that the operator of the queue sees. */
export interface QueuedJob {
  readonly sequence: number;
  readonly id: string;
  readonly scope: string;
  readonly status: 'queued' | 'running';
  readonly createdSecs: number;
  readonly cancelRequested: boolean;
  /** The identity of the token that submitted the job; empty for a caller without a named token. */
  readonly token: string;
}

/** The facts of a job on which its duration depends. */
export interface JobWork {
  readonly provider: string;
  /** Absent if the provider chooses the model. */
  readonly model?: string;
  /** The planned size: `auto`, or `WxH` in pixels. */
  readonly size: string;
  /** The number of requested images. */
  readonly outputs: number;
}

/** The facts from which the places of the queued jobs of a scope and the times of their starts follow. */
export interface QueueOutlook {
  readonly isPaused: boolean;
  /** The scopes with queued jobs, in the order of their next claims. */
  readonly turns: readonly { readonly scope: string; readonly queued: number }[];
  /** The queued jobs of the scope, in the order of their claims. */
  readonly waiting: readonly (JobWork & Pick<QueuedJob, 'id' | 'token'>)[];
  /** The running jobs of all scopes. */
  readonly running: readonly (JobWork &
    Pick<QueuedJob, 'id' | 'scope' | 'token'> & { readonly startedSecs: number })[];
  /** The latest jobs of all scopes that succeeded and are not favourites, newest first, with their durations. */
  readonly ended: readonly (JobWork & { readonly secs: number })[];
}

/** The maximum numbers of jobs in a `QueueOutlook`. */
export interface OutlookLimits {
  readonly waiting: number;
  readonly running: number;
  /** The number of ended jobs that are read, including jobs that did not succeed. */
  readonly ended: number;
}

/** Reads and controls the queue of all scopes. Every method is one transaction and is durable when it resolves. */
export interface QueueStore {
  /** Resolves with the state of the queue in constant time. */
  read(): Promise<QueueState>;
  /**
   * Resolves with at most `limit` queued and running jobs that these token identities submitted, in no particular order. Jobs
   * with a requested cancellation are omitted. The duration of the query does not depend on the number of jobs.
   */
  listActiveOf(
    tokens: readonly string[],
    limit: number,
  ): Promise<readonly { readonly id: string; readonly scope: string }[]>;
  /** Resolves with the queued and running jobs of all scopes, oldest first. `more` is true if newer jobs follow. */
  list(page: {
    /** The page begins above this `sequence`. */
    readonly after: number;
    /** At least 1. */
    readonly limit: number;
  }): Promise<{ readonly items: readonly QueuedJob[]; readonly more: boolean }>;
  /** Resolves with the queued or running job that has this id, in any scope, or undefined if there is none. */
  find(id: string): Promise<QueuedJob | undefined>;
  /** Resolves with the outlook of a scope, from one state of the store. */
  outlook(scope: string, limits: OutlookLimits): Promise<QueueOutlook>;
  /** Pauses or resumes claims in every process. Throws `overloaded` if the store cannot write. */
  setPaused(paused: boolean): Promise<void>;
}
