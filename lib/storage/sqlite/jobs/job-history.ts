import * as v from 'valibot';
import { OWN_PROVIDER } from '../../../contract/request/own-work.ts';
import type { JobHistoryStore, JobSelection } from '../../../jobs/job-history-port.ts';
import { PERIOD_SECS } from '../../../jobs/job-history-port.ts';
import { isSelected } from '../../jobs/job-facts.ts';
import { parseSummary, summaryColumns } from '../../jobs/job-rows.ts';
import { NEWEST } from '../../jobs/page-begin.ts';
import type { StoreDatabase } from '../database.ts';
import { keepStatements } from '../kept-statements.ts';
import { bound, factsTable, rangesSql } from './job-list.ts';

const COUNT_LABELS = `
  SELECT label, count(*) AS count FROM job_label JOIN job ON job.seq = job_label.seq
  WHERE job_label.scope = +@scope AND deleted IS NULL
  GROUP BY label ORDER BY count DESC, label LIMIT +@limit`;
// The jobs of a selection by sequences.
const GIVEN = `
  job WHERE scope = +@scope AND seq IN (SELECT value FROM json_each(+@sequences))`;

const PeriodRows = v.array(v.object({ startSecs: v.number(), count: v.number() }));
const LabelRows = v.array(v.object({ label: v.string(), count: v.number() }));
const PromptRow = v.object({ wholePrompt: v.string(), uses: v.number() });

export function createJobHistory(database: StoreDatabase): JobHistoryStore {
  const countLabels = database.prepare(COUNT_LABELS);
  const prepared = keepStatements((sql) => database.prepare(sql));

  return {
    countPeriods: (scope, selection, limit) =>
      database.read(() => {
        const parameters = { ...boundTo(scope, selection), limit };
        return v.parse(PeriodRows, prepared(periodsSql(selection)).all(parameters));
      }),
    listPrompts: (scope, selection, { newest, before = NEWEST, limit }) =>
      database.read(() => {
        const parameters = { ...boundTo(scope, selection), newest, below: before };
        // Reads one prompt more than the page shows. If this prompt exists, there is a next page.
        const rows = prepared(promptsSql(selection)).all({ ...parameters, limit: limit + 1 });
        const items = rows.slice(0, limit).map((row) => {
          const { wholePrompt, uses } = v.parse(PromptRow, row);
          return { prompt: wholePrompt, count: uses, job: parseSummary(row) };
        });
        return { items, more: rows.length > limit };
      }),
    countLabels: (scope, limit) =>
      database.read(() => v.parse(LabelRows, countLabels.all({ scope, limit }))),
  };
}

function boundTo(scope: string, selection: JobSelection) {
  return 'sequences' in selection
    ? { scope, sequences: JSON.stringify(selection.sequences) }
    : { scope, ...bound(selection.filter), edge: NEWEST };
}

function periodsSql(selection: JobSelection): string {
  return `
  SELECT created / ${PERIOD_SECS} * ${PERIOD_SECS} AS startSecs, count(*) AS count
  FROM ${tableOf(selection)}
  GROUP BY startSecs ORDER BY startSecs DESC LIMIT +@limit`;
}

/** Returns the table of the selected jobs with its conditions. The columns of the index `job_facts` are read without their rows. */
function tableOf(selection: JobSelection): string {
  if ('sequences' in selection) return GIVEN;
  if (!isSelected(selection.filter)) return factsTable();
  return `job WHERE seq IN (${rangesSql(selection.filter)})`;
}

function promptsSql(selection: JobSelection): string {
  const sequences =
    'sequences' in selection ? `SELECT seq FROM ${GIVEN}` : rangesSql(selection.filter);
  return `
  WITH used AS MATERIALIZED (
    SELECT max(seq) AS last, count(*) AS uses FROM job
    WHERE seq IN (SELECT seq FROM (${sequences}) ORDER BY seq DESC LIMIT +@newest)
      AND provider <> '${OWN_PROVIDER}'
    GROUP BY prompt HAVING last < +@below ORDER BY last DESC LIMIT +@limit
  )
  SELECT ${summaryColumns()}, prompt AS wholePrompt, uses FROM used JOIN job ON seq = last
  ORDER BY last DESC`;
}
