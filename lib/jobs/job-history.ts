import { MAX_TOTAL } from '../contract/resources/job.ts';
import {
  type JobDays,
  type JobDaysQuery,
  type JobLabels,
  MAX_LISTED_LABELS,
  MAX_PROMPT_JOBS,
  type PromptPage,
  type PromptQuery,
} from '../contract/resources/job-history.ts';
import type { SearchTerms } from '../contract/resources/search-terms.ts';
import { toDays } from './job-days.ts';
import type { JobHistoryStore, JobSelection } from './job-history-port.ts';
import { createJobCursors, toJobFilter } from './job-lists.ts';
import type { JobProgressStore } from './job-notices-port.ts';
import type { JobFilter, JobSearch } from './job-store-port.ts';
import { summarizer } from './jobs.ts';

interface Deps {
  readonly history: JobHistoryStore;
  readonly search: Pick<JobSearch, 'find'>;
  readonly progress: Pick<JobProgressStore, 'find'>;
  readonly secret: Uint8Array;
}

/** The maximum number of counted periods: a year with jobs in each quarter of an hour. */
const MAX_PERIODS = 35_136;

export type JobHistory = ReturnType<typeof createJobHistory>;

/** Counts the jobs of a scope by day and by label, and lists its prompts. */
export function createJobHistory({ history, search, progress, secret }: Deps) {
  const cursors = createJobCursors(secret, 'prompts');

  /** Resolves with the jobs that match. With terms, only the newest `limit` of them are selected, and `isAll` may be false. */
  async function select(
    scope: string,
    { terms, ...filter }: JobFilter & { readonly terms?: SearchTerms | undefined },
    limit: number,
    signal: AbortSignal,
  ): Promise<{ readonly selection: JobSelection; readonly isAll: boolean }> {
    if (terms === undefined) return { selection: { filter }, isAll: true };
    const { sequences, more } = await search.find(scope, { ...filter, terms }, { limit }, signal);
    return { selection: { sequences }, isAll: !more };
  }

  return {
    /** Counts the jobs that match a filter by the day of their acceptance. Throws `overloaded`. */
    async days(
      scope: string,
      { time_zone: timeZone, ...query }: JobDaysQuery,
      signal: AbortSignal,
    ): Promise<JobDays> {
      const { selection, isAll } = await select(scope, toJobFilter(query), MAX_TOTAL, signal);
      const periods = await history.countPeriods(scope, selection, MAX_PERIODS);
      return toDays(periods, timeZone, isAll && periods.length < MAX_PERIODS);
    },

    /** Lists the different prompts of the newest jobs that are not hidden, the last used prompt first. Throws `overloaded`. */
    async prompts(
      scope: string,
      { limit, cursor, q }: PromptQuery,
      signal: AbortSignal,
    ): Promise<PromptPage> {
      const filter = toJobFilter({ q, visibility: 'active' });
      const listed = { ...filter, scope };
      const before = cursor === undefined ? undefined : cursors.read(listed, cursor);
      const { selection } = await select(scope, filter, MAX_PROMPT_JOBS, signal);
      const page = { newest: MAX_PROMPT_JOBS, before, limit };
      const { items, more } = await history.listPrompts(scope, selection, page);
      const last = items.at(-1);
      const jobs = items.map(({ job }) => job);
      const toSummary = await summarizer(progress, jobs);
      return {
        items: items.map(({ job, ...used }) => ({ ...used, job: toSummary(job) })),
        ...(more && last && { next_cursor: cursors.write(listed, last.job.sequence) }),
      };
    },

    /** Counts the jobs that are not hidden by their labels. */
    async labels(scope: string): Promise<JobLabels> {
      return { items: [...(await history.countLabels(scope, MAX_LISTED_LABELS))] };
    },
  };
}
