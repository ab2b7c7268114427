import { JOB_STATUSES } from '../../../contract/resources/job.ts';
import type { JobFilter } from '../../../jobs/job-store-port.ts';

/**
 * The sequences of `@scope`'s jobs below `@before` that the filter lets through, the last accepted first, `@limit` at
 * most. Every combination of status, favourite and hidden is one stretch of the index `job_list`, in this order; those of
 * `@provider`, where the filter names one, are stretches of `job_list_of_provider`. What a filter lets through is a merge
 * of the stretches that it names, so that no job which it refuses is ever looked at, however rare the ones are that it is
 * after. The values are literals, but for scope and provider: bound ones would be no part of the plan.
 */
export function matchingSql({ status, visibility, favorite, provider }: JobFilter): string {
  const statuses = status === undefined ? JOB_STATUSES : [status];
  const favorites = favorite === undefined ? [0, 1] : [Number(favorite)];
  const owned = provider === undefined ? '' : ' AND provider = +@provider';
  const shown = { active: [1], hidden: [0], all: [0, 1] }[visibility];
  const stretches = statuses.flatMap((one) =>
    favorites.flatMap((mark) =>
      shown.map(
        (isShown) => `
    SELECT seq FROM job
    WHERE scope = +@scope${owned} AND status = '${one}' AND favorite = ${mark}
      AND (deleted IS NULL) = ${isShown} AND seq < +@before`,
      ),
    ),
  );
  return `${stretches.join('\n    UNION ALL')}
    ORDER BY seq DESC LIMIT +@limit`;
}
