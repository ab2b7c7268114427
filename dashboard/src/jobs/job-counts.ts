import type { Api } from '../api/api.ts';
import type { JobStatus } from '../api/schemas.ts';
import type { JobFilter } from './job-filter.ts';
import { readTotal } from './read-total.ts';

/** The numbers of jobs under a filter, by what can be done with them. */
export interface JobCounts {
  readonly all: number;
  readonly queued: number;
  /** The jobs that are neither queued nor running. */
  readonly ended: number;
  /** True if more jobs match than the bridge counts and changes at once. All numbers are then lower bounds. */
  readonly isMore: boolean;
}

/** Counts the jobs under a filter on all pages. Throws ApiError. */
export async function countJobs(api: Api, filter: JobFilter): Promise<JobCounts> {
  async function totalOf(status: JobStatus | undefined) {
    return (await readTotal(api, { ...filter, status })) ?? { count: 0, at_least: false };
  }
  const countOf = async (status: JobStatus) => {
    if (filter.status !== undefined && filter.status !== status) return 0;
    return (await totalOf(status)).count;
  };
  const [all, queued, running] = await Promise.all([
    totalOf(filter.status),
    countOf('queued'),
    countOf('running'),
  ]);
  return {
    all: all.count,
    queued,
    ended: Math.max(0, all.count - queued - running),
    isMore: all.at_least,
  };
}
