import { JOB_STATUSES, type JobFilter } from '../../jobs/job-filter.ts';

/** The filter that the address names. What it does not know is left out. */
export function readFilter(query: URLSearchParams): JobFilter {
  const show = query.get('show');
  const status = query.get('status');
  return {
    search: query.get('q') ?? '',
    show: show === 'favourites' || show === 'hidden' ? show : 'all',
    status: JOB_STATUSES.find((each) => each === status),
    provider: query.get('provider') ?? undefined,
  };
}

/** Whether it shows everything. */
export function isDefault({ search, show, status, provider }: JobFilter): boolean {
  return search === '' && show === 'all' && status === undefined && provider === undefined;
}

/** The changes of the query that clear it. */
export const CLEARED = { q: undefined, show: undefined, status: undefined, provider: undefined };
