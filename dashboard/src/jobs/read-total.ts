import { type Api, unwrap } from '../api/api.ts';
import type { JobPage } from '../api/schemas.ts';
import { type JobFilter, toJobQuery } from './job-filter.ts';

export type Total = NonNullable<JobPage['total']>;

/** Returns the number of jobs under a filter, on all pages. Throws ApiError. */
export async function readTotal(
  api: Pick<Api, 'GET'>,
  filter: JobFilter,
  signal?: AbortSignal,
): Promise<Total | undefined> {
  const query = { ...toJobQuery(filter), limit: 1, total: true };
  const { total } = await unwrap(
    api.GET('/v1/jobs', { params: { query }, ...(signal && { signal }) }),
  );
  return total;
}
