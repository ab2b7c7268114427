import type { JobFilter, JobPageRequest } from './job-store-port.ts';

export interface JobSearchFilter extends JobFilter {
  /** What the prompt has in it: literally, but for the case of its letters. 1 to 256 code points. */
  readonly term: string;
}

/**
 * Finds jobs by their prompts, off the main thread, among all that the store has made durable. Slow for a while when its
 * index is missing, never wrong.
 */
export interface JobSearch {
  /**
   * The sequences of the scope's jobs that the filter lets through, the last accepted first; `more` when the page is not
   * the last one. A job that changes meanwhile is filtered as it is at one moment of the search. Throws `overloaded` when
   * too many wait or the thread has failed, `internal` when the database is damaged, and the signal's reason on abort.
   */
  find(
    scope: string,
    filter: JobSearchFilter,
    page: JobPageRequest,
    signal: AbortSignal,
  ): Promise<{ readonly sequences: readonly number[]; readonly more: boolean }>;
  /** To be called after each commit with the number of jobs that it added. */
  added(jobs: number): void;
  /** To be called after each commit with the jobs that it removed. */
  removed(sequences: readonly number[]): void;
  /** Resolves when its thread has ended. To be called before the database is closed. */
  close(): Promise<void>;
}
