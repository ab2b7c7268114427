import type { JobFilter, JobSummary } from './job-store-port.ts';

/** The jobs that match a filter, or the jobs with these sequences. */
export type JobSelection =
  | { readonly filter: JobFilter }
  | { readonly sequences: readonly number[] };

/** The length of a period. The days of all time zones in use begin with a period. */
export const PERIOD_SECS = 900;

/** The number of jobs that were accepted in one period. */
export interface JobPeriod {
  readonly startSecs: number;
  readonly count: number;
}

/** A prompt with the newest job that has exactly this prompt. */
export interface UsedPrompt {
  readonly prompt: string;
  /** The number of jobs with this prompt, among the jobs that were read. */
  readonly count: number;
  readonly job: JobSummary;
}

/** Counts and groups the jobs of a scope. Every method is one transaction. */
export interface JobHistoryStore {
  /** Resolves with the newest `limit` periods in which selected jobs were accepted, newest first. */
  countPeriods(
    scope: string,
    selection: JobSelection,
    limit: number,
  ): Promise<readonly JobPeriod[]>;
  /**
   * Resolves with the different prompts of the newest `newest` selected jobs, the last used prompt first. Omits the jobs that the
   * bridge does itself, because nobody has written their prompts. `before` is the sequence of the job of the last prompt that was
   * read. `more` is true if further prompts follow.
   */
  listPrompts(
    scope: string,
    selection: JobSelection,
    page: {
      readonly newest: number;
      readonly before?: number | undefined;
      readonly limit: number;
    },
  ): Promise<{ readonly items: readonly UsedPrompt[]; readonly more: boolean }>;
  /** Resolves with the labels of the jobs that are not hidden, the most used label first. */
  countLabels(
    scope: string,
    limit: number,
  ): Promise<readonly { readonly label: string; readonly count: number }[]>;
}
