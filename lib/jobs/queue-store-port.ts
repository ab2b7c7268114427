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
  /** From then on no job is claimed, by no process, or jobs are claimed again. Throws `overloaded` when it cannot be written. */
  setPaused(paused: boolean): Promise<void>;
}
