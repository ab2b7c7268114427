import type { JobStatus, JobSummary } from '../api/schemas.ts';
import { matchesWords, toWordQuery } from './search-words.ts';

/** The largest number of jobs on a page of the API. */
export const LARGEST_PAGE = 100;

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
  readonly model?: string | undefined;
  /** The size of the first image, WxH, or its ratio, W:H. */
  readonly size?: string | undefined;
  readonly operation?: JobSummary['operation'] | undefined;
  readonly label?: string | undefined;
  /** The first and the last date on which the jobs were accepted, such as 2026-11-28, in local time. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** The filter that restricts nothing. */
export const EVERYTHING: JobFilter = {
  search: '',
  show: 'all',
  status: undefined,
  provider: undefined,
};

/** Returns true if the filter restricts nothing. */
export function isDefault(filter: JobFilter): boolean {
  return Object.entries(filter).every(
    ([name, value]) => value === undefined || value === EVERYTHING[name as keyof JobFilter],
  );
}

/** Returns the beginning of the date, plus `days` days, in local time, as Unix seconds. */
function startOf(date: string, days = 0): number {
  const start = new Date(`${date}T00:00`);
  start.setDate(start.getDate() + days);
  return Math.floor(start.getTime() / 1000);
}

/** Returns the filters of GET /v1/jobs for a filter, which are also the filter of a batch. */
export function toJobQuery(filter: JobFilter) {
  const { search, show, status, provider, model, size, operation, label, from, to } = filter;
  return {
    visibility: show === 'hidden' ? ('hidden' as const) : ('active' as const),
    ...(show === 'favourites' && { favorite: true }),
    ...(status !== undefined && { status }),
    ...(provider !== undefined && { provider }),
    ...(model !== undefined && { model }),
    ...(size !== undefined && { size }),
    ...(operation !== undefined && { operation }),
    ...(label !== undefined && { label }),
    ...(from !== undefined && { created_after: startOf(from) }),
    ...(to !== undefined && { created_before: startOf(to, 1) }),
    ...(search.trim() !== '' && { q: toWordQuery(search) }),
  };
}

/**
 * Returns true if a job that has just changed matches the filter. A summary contains only the first 256 characters of
 * the prompt. A job that matches only beyond these characters appears the next time the list is read.
 */
export function matchesFilter(job: JobSummary, filter: JobFilter): boolean {
  const { search, show, status, provider, model, size, operation, label, from, to } = filter;
  return (
    (job.deleted !== undefined) === (show === 'hidden') &&
    (show !== 'favourites' || job.favorite) &&
    (status === undefined || job.status === status) &&
    (provider === undefined || job.provider === provider) &&
    (model === undefined || job.model === model) &&
    (operation === undefined || job.operation === operation) &&
    (label === undefined || job.labels?.includes(label) === true) &&
    (from === undefined || job.created >= startOf(from)) &&
    (to === undefined || job.created < startOf(to, 1)) &&
    (size === undefined || matchesSize(job, size)) &&
    matchesWords(job.prompt, search)
  );
}

/** The largest relative difference between a ratio and the ratio of a size that matches, as in the bridge. */
const TOLERANCE = 0.01;

function matchesSize({ artifacts, size }: JobSummary, wanted: string): boolean {
  const [image] = artifacts;
  const actual = image ? `${image.width}x${image.height}` : size;
  if (!wanted.includes(':')) return actual === wanted;
  const [width = 0, height = 0] = actual.split('x').map(Number);
  const [across = 1, down = 1] = wanted.split(':').map(Number);
  return height > 0 && Math.abs((width * down) / (height * across) - 1) <= TOLERANCE;
}
