/** How the queue is, over the jobs of all scopes. */
export interface QueueState {
  readonly paused: boolean;
  readonly queued: number;
  readonly running: number;
  /** When the first of the queued jobs was accepted, in Unix seconds; absent when none is queued. */
  readonly oldestQueuedSecs?: number;
  /** Those that have active jobs, by name. */
  readonly byProvider: readonly {
    readonly provider: string;
    readonly queued: number;
    readonly running: number;
  }[];
}

/** A job as the operator of the queue sees it. */
export interface QueuedJob {
  readonly sequence: number;
  readonly id: string;
  readonly scope: string;
  readonly status: 'queued' | 'running';
  readonly createdSecs: number;
  readonly cancelRequested: boolean;
  /** The identity of the token that it came with; empty for a caller without a named token. */
  readonly token: string;
}

/** What is known of the queue as a whole. Every method is one transaction and has been made durable when it resolves. */
export interface QueueStore {
  /** Takes the same short time however many jobs there are. */
  read(): Promise<QueueState>;
  /**
   * At most `limit` of the queued and running jobs that came with tokens of these identities and were not asked to stop
   * yet, in no order. Takes the same short time however many jobs there are.
   */
  listActiveOf(
    tokens: readonly string[],
    limit: number,
  ): Promise<readonly { readonly id: string; readonly scope: string }[]>;
  /** The queued and running jobs of all scopes, the first accepted first; `more` if the page is not the last one. */
  list(page: {
    /** The page begins above this `sequence`. */
    readonly after: number;
    /** At least 1. */
    readonly limit: number;
  }): Promise<{ readonly items: readonly QueuedJob[]; readonly more: boolean }>;
  /** The queued or running job of this id, whichever scope owns it. */
  find(id: string): Promise<QueuedJob | undefined>;
  /** From then on no job is claimed, by no process, or jobs are claimed again. Throws `overloaded` when it cannot be written. */
  setPaused(paused: boolean): Promise<void>;
}
