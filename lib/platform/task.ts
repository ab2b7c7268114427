/** Something that the runtime runs again and again. */
export interface Task {
  readonly name: string;
  /** From the end of a run to the start of the next one. */
  readonly everyMs: number;
  /** Rejects when the run has failed; the next one comes all the same. */
  run(signal: AbortSignal): Promise<void>;
}
