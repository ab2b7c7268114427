/** Something that the runtime runs again and again. */
export interface Task {
  readonly name: string;
  /** From the end of a run to the start of the next one. */
  readonly everyMs: number;
  /**
   * Rejects when the run has failed; the next one comes all the same. One that ends only with the signal calls `succeeded`
   * whenever it has done all that it could.
   */
  run(signal: AbortSignal, succeeded?: () => void): Promise<void>;
}
