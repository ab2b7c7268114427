import type { JobStatus, JobSummary } from '../api/schemas.ts';

export const JOB_STATUSES = [
  'queued',
  'running',
  'succeeded',
  'failed',
  'cancelled',
  'interrupted',
] as const satisfies readonly JobStatus[];

/** The part of the history that the gallery shows. */
export interface JobFilter {
  readonly search: string;
  readonly show: 'all' | 'favourites' | 'hidden';
  readonly status: JobStatus | undefined;
  readonly provider: string | undefined;
}

/** Returns the query of GET /v1/jobs for a filter. */
export function toJobQuery(filter: JobFilter) {
  const { search, show, status, provider } = filter;
  return {
    visibility: show === 'hidden' ? ('hidden' as const) : ('active' as const),
    ...(show === 'favourites' && { favorite: true }),
    ...(status !== undefined && { status }),
    ...(provider !== undefined && { provider }),
    ...(search !== '' && { search: [...search].slice(0, 256).join('') }),
  };
}

/**
 * Returns true if a job that has just changed matches the filter. A summary contains 256 characters of the prompt. A
 * job whose prompt matches further on appears the next time the list is read.
 */
export function matches(job: JobSummary, filter: JobFilter): boolean {
  const { search, show, status, provider } = filter;
  return (
    (job.deleted !== undefined) === (show === 'hidden') &&
    (show !== 'favourites' || job.favorite) &&
    (status === undefined || job.status === status) &&
    (provider === undefined || job.provider === provider) &&
    job.prompt.toLowerCase().includes(search.toLowerCase())
  );
}
