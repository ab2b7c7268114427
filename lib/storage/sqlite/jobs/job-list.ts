import type { Statement } from 'better-sqlite3';
import type { JobFilter, JobStore } from '../../../jobs/job-store-port.ts';
import type { StateDatabase } from '../database.ts';
import { parseSummary, SUMMARY_COLUMNS } from './job-rows.ts';
import { matchingSql } from './matching-jobs.ts';

// Above every sequence that a job can have.
const NEWEST = Number.MAX_SAFE_INTEGER;

const FIND_SUMMARY = `SELECT ${SUMMARY_COLUMNS} FROM job WHERE seq = @sequence AND scope = @scope`;

export function createJobList(database: StateDatabase): Pick<JobStore, 'list' | 'summaries'> {
  const findSummary = database.prepare(FIND_SUMMARY);
  const statements = new Map<string, Statement>();

  /** One statement a combination of filters, whichever the provider is; there are 126 of them. */
  function statementFor(filter: JobFilter): Statement {
    const sql = listSql(filter);
    const known = statements.get(sql) ?? database.prepare(sql);
    statements.set(sql, known);
    return known;
  }

  return {
    list: (scope, filter, { before = NEWEST, limit }) =>
      database.read(() => {
        // One row more than is shown: there is a next page if it exists.
        const rows = statementFor(filter).all({
          scope,
          provider: filter.provider,
          before,
          limit: limit + 1,
        });
        return { items: rows.slice(0, limit).map(parseSummary), more: rows.length > limit };
      }),
    summaries: (scope, sequences) =>
      database.read(() =>
        sequences.flatMap((sequence) => {
          const row = findSummary.get({ scope, sequence });
          return row === undefined ? [] : [parseSummary(row)];
        }),
      ),
  };
}

/** The page of `matchingSql`, with all that a list shows. */
export function listSql(filter: JobFilter): string {
  return `
  SELECT ${SUMMARY_COLUMNS} FROM job
  WHERE seq IN (${matchingSql(filter)}
  )
  ORDER BY seq DESC`;
}
