import type { Statement } from 'better-sqlite3';
import { JOB_STATUSES } from '../../contract/job.ts';
import type { JobFilter, JobStore } from '../../jobs/job-store-port.ts';
import type { StateDatabase } from './database.ts';
import { parseSummary, SUMMARY_COLUMNS } from './job-rows.ts';

// Above every sequence that a job can have.
const NEWEST = Number.MAX_SAFE_INTEGER;

export function createJobList(database: StateDatabase): Pick<JobStore, 'list'> {
  const statements = new Map<string, Statement>();

  /** One statement a combination of filters; there are 63 of them. */
  function statementFor(filter: JobFilter): Statement {
    const sql = listSql(filter);
    const known = statements.get(sql) ?? database.prepare(sql);
    statements.set(sql, known);
    return known;
  }

  return {
    list: (scope, filter, { before = NEWEST, limit }) =>
      database.read(() => {
        // One more than is shown tells whether there is more.
        const rows = statementFor(filter).all({ scope, before, limit: limit + 1 });
        return { items: rows.slice(0, limit).map(parseSummary), more: rows.length > limit };
      }),
  };
}

/**
 * Every combination of status, favourite and hidden is one stretch of the index `job_list`, in the order of the list.
 * What a filter lets through is a merge of the stretches that it names, so that no job which it refuses is ever looked
 * at, however rare the ones are that it is after. The values are literals: bound ones would be no part of the plan.
 */
export function listSql({ status, visibility, favorite }: JobFilter): string {
  const statuses = status === undefined ? JOB_STATUSES : [status];
  const favorites = favorite === undefined ? [0, 1] : [Number(favorite)];
  const shown = { active: [1], hidden: [0], all: [0, 1] }[visibility];
  const stretches = statuses.flatMap((one) =>
    favorites.flatMap((mark) =>
      shown.map(
        (isShown) => `
    SELECT seq FROM job
    WHERE scope = @scope AND status = '${one}' AND favorite = ${mark}
      AND (deleted IS NULL) = ${isShown} AND seq < @before`,
      ),
    ),
  );
  return `
  SELECT ${SUMMARY_COLUMNS} FROM job
  WHERE seq IN (${stretches.join('\n    UNION ALL')}
    ORDER BY seq DESC LIMIT @limit
  )
  ORDER BY seq DESC`;
}
