/** A background task that the runtime runs repeatedly. */
export interface Task {
  readonly name: string;
  /** The pause between the end of a run and the start of the next run, in milliseconds. */
  readonly everyMs: number;
  /**
   * Runs the task once. Rejects if the run has failed; the next run follows nevertheless. A run that ends only on abort of
   * the signal calls `succeeded` whenever it has no more work to do.
   */
  run(signal: AbortSignal, succeeded?: () => void): Promise<void>;
}
