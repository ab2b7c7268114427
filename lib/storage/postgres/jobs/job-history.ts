import * as v from 'valibot';
import { OWN_PROVIDER } from '../../../contract/request/own-work.ts';
import type { JobHistoryStore, JobSelection } from '../../../jobs/job-history-port.ts';
import { PERIOD_SECS } from '../../../jobs/job-history-port.ts';
import { parseSummary, summaryColumns } from '../../jobs/job-rows.ts';
import { NEWEST } from '../../jobs/page-begin.ts';
import type { Postgres } from '../connection.ts';
import { type Condition, filterSql, matchingSql, matchingValues } from './job-list.ts';

export function createJobHistory(database: Postgres): JobHistoryStore {
  const { schema } = database;
  const COUNT_LABELS = `
    SELECT label, count(*) AS count FROM ${schema}.job_label JOIN ${schema}.job USING (seq)
    WHERE job_label.scope = $1 AND NOT hidden
    GROUP BY label ORDER BY count DESC, label LIMIT $2`;

  return {
    countPeriods: (scope, selection, limit) =>
      database.read(async ({ rows }) => {
        const { sql, values } = conditionOf(schema, selection, 3);
        const text = `
          SELECT created / ${PERIOD_SECS} * ${PERIOD_SECS} AS "startSecs", count(*) AS count
          FROM ${schema}.job WHERE scope = $1 AND ${sql}
          GROUP BY 1 ORDER BY 1 DESC LIMIT $2`;
        return v.parse(PeriodRows, await rows(text, [scope, limit, ...values]));
      }),
    listPrompts: (scope, selection, { newest, before = NEWEST, limit }) =>
      database.read(async ({ rows }) => {
        const { sql, values } = newestOf(schema, selection, scope, newest);
        const text = `
          WITH used AS (
            SELECT max(seq) AS last, count(*) AS uses FROM ${schema}.job
            WHERE seq IN (${sql}) AND provider <> '${OWN_PROVIDER}'
            GROUP BY prompt HAVING max(seq) < $${values.length + 1}
            ORDER BY last DESC LIMIT $${values.length + 2}
          )
          SELECT ${summaryColumns(`${schema}.`)}, prompt AS "wholePrompt", uses
          FROM used JOIN ${schema}.job ON job.seq = last ORDER BY last DESC`;
        // Reads one prompt more than the page shows. If this prompt exists, there is a next page.
        const found = await rows(text, [...values, before, limit + 1]);
        const items = found.slice(0, limit).map((row) => {
          const { wholePrompt, uses } = v.parse(PromptRow, row);
          return { prompt: wholePrompt, count: uses, job: parseSummary(row) };
        });
        return { items, more: found.length > limit };
      }),
    countLabels: (scope, limit) =>
      database.read(async ({ rows }) =>
        v.parse(LabelRows, await rows(COUNT_LABELS, [scope, limit])),
      ),
  };
}

const PeriodRows = v.array(v.object({ startSecs: v.number(), count: v.number() }));
const LabelRows = v.array(v.object({ label: v.string(), count: v.number() }));
const PromptRow = v.object({ wholePrompt: v.string(), uses: v.number() });

/** Returns the condition of the selected jobs. `first` is the number of its first parameter. */
function conditionOf(schema: string, selection: JobSelection, first: number): Condition {
  return 'sequences' in selection
    ? { sql: `seq = ANY ($${first}::bigint[])`, values: [selection.sequences] }
    : filterSql(schema, selection.filter, first);
}

/** Returns the SQL for the sequences of the newest selected jobs, with all its parameters. */
function newestOf(
  schema: string,
  selection: JobSelection,
  scope: string,
  limit: number,
): Condition {
  if ('filter' in selection) {
    const page = { scope, edge: NEWEST, limit };
    return {
      sql: matchingSql(schema, selection.filter),
      values: matchingValues(selection.filter, page),
    };
  }
  return {
    sql: `
      SELECT seq FROM ${schema}.job WHERE scope = $1 AND seq = ANY ($3::bigint[])
      ORDER BY seq DESC LIMIT $2`,
    values: [scope, limit, selection.sequences],
  };
}
