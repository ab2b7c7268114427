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
  /** From then on no job is claimed, by no process, or jobs are claimed again. Throws `overloaded` when it cannot be written. */
  setPaused(paused: boolean): Promise<void>;
}
