import * as v from 'valibot';
import { JOB_STATUSES, type JobOrder } from '../../../contract/resources/job.ts';
import type { JobFilter, JobStore } from '../../../jobs/job-store-port.ts';
import { hasFacts, isSelected, ratiosOf } from '../../jobs/job-facts.ts';
import { parseSummary, summaryColumns } from '../../jobs/job-rows.ts';
import { beginOf, NEWEST, ORDER_SQL } from '../../jobs/page-begin.ts';
import type { StoreDatabase } from '../database.ts';
import { keepStatements } from '../kept-statements.ts';

const FIND_SUMMARY = `SELECT ${summaryColumns()} FROM job WHERE seq = @sequence AND scope = @scope`;
const IS_ACTIVE = 'SELECT 1 FROM job WHERE id = ? AND completed IS NULL';
const NEEDS_INPUT = 'SELECT 1 FROM job_input WHERE sha256 = ? LIMIT 1';
const LIST_INPUTS = `
  SELECT sha256, max(bytes) AS bytes FROM job_input
  WHERE sha256 > +@after GROUP BY sha256 ORDER BY sha256 LIMIT +@limit`;

const InputRows = v.array(v.object({ sha256: v.string(), bytes: v.number() }));

export function createJobList(
  database: StoreDatabase,
): Pick<JobStore, 'listActive' | 'list' | 'count' | 'summaries'> {
  const isActive = database.prepare(IS_ACTIVE);
  const findSummary = database.prepare(FIND_SUMMARY);
  // One text for each combination of filters. The provider, the label, the group and the facts are parameters.
  const prepared = keepStatements((sql) => database.prepare(sql));

  return {
    listActive: (ids) => database.read(() => ids.filter((id) => isActive.get(id) !== undefined)),
    list: (scope, filter, page) =>
      database.read(() => {
        const { limit } = page;
        const { order, edge } = beginOf(page);
        // Reads one row more than the page shows. If this row exists, there is a next page.
        const rows = prepared(listSql(filter, order)).all({
          scope,
          ...bound(filter),
          edge,
          limit: limit + 1,
        });
        return { items: rows.slice(0, limit).map(parseSummary), more: rows.length > limit };
      }),
    count: (scope, filter, limit) =>
      database.read(() => {
        const parameters = { scope, ...bound(filter), edge: NEWEST, limit };
        return v.parse(v.number(), prepared(countSql(filter)).pluck().get(parameters));
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

/** Returns the SQL for the page of `matchingSql`, with the columns of summaries. */
export function listSql(filter: JobFilter, order: JobOrder = 'newest'): string {
  return `
  SELECT ${summaryColumns()} FROM job
  WHERE seq IN (${matchingSql(filter, order)}
  )
  ORDER BY ${ORDER_SQL[order].sorted}`;
}

/** Returns the SQL that counts the jobs of `matchingSql`. */
function countSql(filter: JobFilter): string {
  return `SELECT count(*) FROM (${rangesSql(filter)} LIMIT +@limit)`;
}

/**
 * Returns the SQL for the sequences of the jobs that match the filter, in this order. Binds `@scope`, `@edge`, `@limit`, and the
 * parameters in `bound`. The query merges the ranges of the filter, so that jobs that do not match are never
 * read.
 */
export function matchingSql(filter: JobFilter, order: JobOrder): string {
  return `${rangesSql(filter, order)}
    ORDER BY ${ORDER_SQL[order].sorted} LIMIT +@limit`;
}

/**
 * Returns the SQL for the jobs beyond `@edge` that match the filter. Each combination of status, favourite and hidden is one range of the index
 * `job_list`, in this order, or of the index `job_list_of_provider` if the filter has a provider. Status, favourite and hidden
 * are literals, because the query planner does not know bound values.
 */
export function rangesSql(filter: JobFilter, order: JobOrder = 'newest'): string {
  const { status, visibility, favorite, provider } = filter;
  const { beyond } = ORDER_SQL[order];
  if (isSelected(filter)) return selectedSql(filter, beyond);
  if (hasFacts(filter)) return `SELECT seq FROM ${factsTable(order)}`;
  const statuses = status === undefined ? JOB_STATUSES : [status];
  const favorites = favorite === undefined ? [0, 1] : [Number(favorite)];
  const owned = provider === undefined ? '' : ' AND provider = +@provider';
  const shown = { active: [1], hidden: [0], all: [0, 1] }[visibility];
  const ranges = statuses.flatMap((one) =>
    favorites.flatMap((mark) =>
      shown.map(
        (isShown) => `
    SELECT seq FROM job
    WHERE scope = +@scope${owned} AND status = '${one}' AND favorite = ${mark}
      AND (deleted IS NULL) = ${isShown} AND seq ${beyond} +@edge`,
      ),
    ),
  );
  return ranges.join('\n    UNION ALL');
}

// The ratio of the first image, or else of the planned size. NULL if the size is auto.
const RATIO = `
  CASE
    WHEN artifacts <> '[]'
      THEN 1.0 * (artifacts ->> '$[0].width') / (artifacts ->> '$[0].height')
    WHEN size <> 'auto'
      THEN 1.0 * CAST(size AS INTEGER) / CAST(substr(size, instr(size, 'x') + 1) AS INTEGER)
  END`;
const SIZE = `
  CASE
    WHEN artifacts = '[]' THEN size
    ELSE (artifacts ->> '$[0].width') || 'x' || (artifacts ->> '$[0].height')
  END`;
// A parameter that is NULL selects all jobs, so that few texts serve all combinations of these filters.
const FACTS = `
      AND (+@model IS NULL OR model = +@model)
      AND (+@operation IS NULL OR operation = +@operation)
      AND (+@createdFrom IS NULL OR created >= +@createdFrom)
      AND (+@createdBefore IS NULL OR created < +@createdBefore)
      AND (+@isAuto = 0 OR size = 'auto')
      AND (+@size IS NULL OR (${SIZE}) = +@size)
      AND (+@lowest IS NULL OR (${RATIO}) BETWEEN +@lowest AND +@highest)`;

/**
 * Returns the jobs that match any filter without a label and a group. Reads the index `job_facts` from `@edge`. Rows are read only if
 * a size is compared.
 */
export function factsTable(order: JobOrder = 'newest'): string {
  return `job INDEXED BY job_facts
    WHERE scope = +@scope AND seq ${ORDER_SQL[order].beyond} +@edge
      AND (+@status IS NULL OR status = +@status)
      AND (+@favorite IS NULL OR favorite = +@favorite)
      AND (+@provider IS NULL OR provider = +@provider)
      AND (+@hidden IS NULL OR (deleted IS NOT NULL) = +@hidden)${FACTS}`;
}

/**
 * Returns the SQL for the jobs that have the label or belong to the group, and match the rest of the filter. A group or a label
 * selects few jobs, so each of them is compared with the rest of the filter.
 */
function selectedSql(filter: JobFilter, beyond: string): string {
  const { label, group, ...rest } = filter;
  if (group !== undefined) {
    return `
    SELECT seq FROM job WHERE scope = +@scope AND group_id = +@group AND seq ${beyond} +@edge
      ${conditionsSql({ ...rest, label })}`;
  }
  return `
    SELECT job_label.seq AS seq FROM job_label CROSS JOIN job ON job.seq = job_label.seq
    WHERE job_label.scope = +@scope AND label = +@label AND job_label.seq ${beyond} +@edge
      ${conditionsSql(rest)}`;
}

/**
 * Returns the SQL for the prompts of the jobs in `@sequences`, a list in JSON, that match the filter, in this order. Other indexes are
 * excluded, because they would lead to jobs that are not in the list.
 */
export function promptsSql(filter: JobFilter, order: JobOrder): string {
  return `
  SELECT seq AS sequence, prompt FROM job NOT INDEXED
  WHERE seq IN (SELECT value FROM json_each(+@sequences)) AND scope = +@scope
    ${conditionsSql(filter)}
  ORDER BY ${ORDER_SQL[order].sorted}`;
}

/** Returns the conditions of a filter on a row, each after AND. */
function conditionsSql(filter: JobFilter): string {
  const { status, visibility, favorite, provider, label, group } = filter;
  const conditions = [
    ...(status === undefined ? [] : [`status = '${status}'`]),
    ...(favorite === undefined ? [] : [`favorite = ${Number(favorite)}`]),
    ...(provider === undefined ? [] : ['provider = +@provider']),
    ...{ active: ['deleted IS NULL'], hidden: ['deleted IS NOT NULL'], all: [] }[visibility],
    ...(label === undefined ? [] : [LABELLED]),
    ...(group === undefined ? [] : ['group_id = +@group']),
  ];
  const facts = hasFacts(filter) ? FACTS : '';
  return `${conditions.map((condition) => `AND ${condition}`).join(' ')}${facts}`;
}

const LABELLED =
  'EXISTS (SELECT 1 FROM job_label WHERE job_label.seq = job.seq AND label = +@label)';

/** Returns the parameters of the filter. */
export function bound({
  status,
  favorite,
  visibility,
  provider,
  label,
  group,
  ...facts
}: JobFilter) {
  const { model, operation, size, createdFromSecs, createdBeforeSecs } = facts;
  const ratios = size?.kind === 'ratio' ? ratiosOf(size) : undefined;
  return {
    provider,
    label,
    group,
    status,
    model,
    operation,
    favorite: favorite === undefined ? undefined : Number(favorite),
    hidden: { active: 0, hidden: 1, all: undefined }[visibility],
    createdFrom: createdFromSecs,
    createdBefore: createdBeforeSecs,
    isAuto: Number(size?.kind === 'auto'),
    size: size?.kind === 'pixels' ? `${size.width}x${size.height}` : undefined,
    lowest: ratios?.lowest,
    highest: ratios?.highest,
  };
}

/** Creates the methods that find the stored input images of jobs. */
export function createJobInputs(
  database: StoreDatabase,
): Pick<JobStore, 'needsInput' | 'listInputs'> {
  const listInputs = database.prepare(LIST_INPUTS);
  const findNeed = database.prepare(NEEDS_INPUT);

  return {
    needsInput: (sha256) => database.read(() => findNeed.get(sha256) !== undefined),
    listInputs: (page) => database.read(() => v.parse(InputRows, listInputs.all(page))),
  };
}
