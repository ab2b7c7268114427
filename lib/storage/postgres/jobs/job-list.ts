import * as v from 'valibot';
import { JOB_STATUSES, type JobOrder } from '../../../contract/resources/job.ts';
import type { JobSize } from '../../../contract/resources/job-filter.ts';
import type { JobFilter, JobStore } from '../../../jobs/job-store-port.ts';
import { hasFacts, isSelected, ratiosOf } from '../../jobs/job-facts.ts';
import { parseSummary, summaryColumns } from '../../jobs/job-rows.ts';
import { beginOf, NEWEST, ORDER_SQL } from '../../jobs/page-begin.ts';
import type { Postgres } from '../connection.ts';

export function createJobList(
  database: Postgres,
): Pick<JobStore, 'listActive' | 'list' | 'count' | 'summaries'> {
  const { schema } = database;
  const LIST_ACTIVE = `
    SELECT id FROM ${schema}.job WHERE id = ANY ($1::text[]) AND completed IS NULL`;
  const SUMMARIES = `
    SELECT ${summaryColumns(`${schema}.`)} FROM ${schema}.job WHERE scope = $1 AND seq = ANY ($2::bigint[])`;

  return {
    listActive: (ids) =>
      database.read(async ({ rows }) =>
        (await rows<{ id: string }>(LIST_ACTIVE, [ids])).map(({ id }) => id),
      ),
    list: (scope, filter, page) =>
      database.read(async ({ rows }) => {
        const { limit } = page;
        const { order, edge } = beginOf(page);
        const sql = `
          SELECT ${summaryColumns(`${schema}.`)} FROM ${schema}.job
          WHERE seq IN (${matchingSql(schema, filter, order)}) ORDER BY ${ORDER_SQL[order].sorted}`;
        // Reads one row more than the page shows. If this row exists, there is a next page.
        const found = await rows(sql, matchingValues(filter, { scope, edge, limit: limit + 1 }));
        return { items: found.slice(0, limit).map(parseSummary), more: found.length > limit };
      }),
    count: (scope, filter, limit) =>
      database.read(async ({ rows }) => {
        const sql = `SELECT count(*) AS count FROM (${matchingSql(schema, filter)}) AS found`;
        const values = matchingValues(filter, { scope, edge: NEWEST, limit });
        const [row] = await rows(sql, values);
        return v.parse(CountRow, row).count;
      }),
    summaries: (scope, sequences) =>
      database.read(async ({ rows }) => {
        const found = (await rows(SUMMARIES, [scope, sequences])).map(parseSummary);
        const bySequence = new Map(found.map((job) => [job.sequence, job]));
        return sequences.flatMap((sequence) => bySequence.get(sequence) ?? []);
      }),
  };
}

const CountRow = v.object({ count: v.number() });

/**
 * Returns the SQL for the sequences of the jobs that match the filter, in this order. Each combination of status, favourite and
 * hidden is one range of the index `job_list`, or of the index `job_list_of_provider` if the filter has a provider, so that jobs
 * that do not match are never read. Each range has its own limit, because the planner does not always merge the ranges.
 */
export function matchingSql(schema: string, filter: JobFilter, order: JobOrder = 'newest'): string {
  const { status, visibility, favorite, provider } = filter;
  const { beyond, sorted } = ORDER_SQL[order];
  if (isSelected(filter) || hasFacts(filter)) return selectedSql(schema, filter, order);
  const statuses = status === undefined ? JOB_STATUSES : [status];
  const favorites = favorite === undefined ? [0, 1] : [Number(favorite)];
  const hiding = { active: [false], hidden: [true], all: [false, true] }[visibility];
  const owned = provider === undefined ? '' : ' AND provider = $4';
  const ranges = statuses.flatMap((one) =>
    favorites.flatMap((mark) =>
      hiding.map(
        (isHidden) => `
    (SELECT seq FROM ${schema}.job
      WHERE scope = $1${owned} AND status = '${one}' AND favorite = ${mark} AND hidden = ${isHidden}
        AND seq ${beyond} $2
      ORDER BY ${sorted} LIMIT $3)`,
      ),
    ),
  );
  return `
    SELECT seq FROM (${ranges.join('\n    UNION ALL')}
    ) AS range ORDER BY ${sorted} LIMIT $3`;
}

/**
 * Returns the SQL for the first jobs in this order that have the label, belong to the group or have the facts of the filter. A group or a label
 * selects few jobs, so each of them is compared with the rest of the filter. Without both, the index `job_facts` is read in this
 * order.
 */
function selectedSql(schema: string, filter: JobFilter, order: JobOrder): string {
  const { beyond, sorted } = ORDER_SQL[order];
  const table = isOfLabel(filter)
    ? `${schema}.job_label AS labelled JOIN ${schema}.job USING (seq)
    WHERE labelled.scope = $1 AND labelled.label = $4`
    : `${schema}.job
    WHERE scope = $1`;
  return `
    SELECT seq FROM ${table} AND seq ${beyond} $2 AND ${conditionOf(schema, filter).sql}
    ORDER BY ${sorted} LIMIT $3`;
}

/** Returns true if the jobs are read from the table of labels. */
function isOfLabel({ label, group }: JobFilter): boolean {
  return label !== undefined && group === undefined;
}

/** Returns the condition of `selectedSql` besides its table. */
function conditionOf(schema: string, filter: JobFilter): Condition {
  return isOfLabel(filter)
    ? filterSql(schema, { ...filter, label: undefined }, 5)
    : filterSql(schema, filter, 4);
}

/** The SQL of a condition, with its parameters. */
export interface Condition {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/** Returns the condition that a job matches the filter. `first` is the number of the first parameter. */
export function filterSql(schema: string, filter: JobFilter, first: number): Condition {
  const { label, group, provider, status, visibility, favorite, ...facts } = filter;
  const { model, operation, size, createdFromSecs, createdBeforeSecs } = facts;
  const labelled = `EXISTS (SELECT FROM ${schema}.job_label WHERE job_label.seq = job.seq AND label = ?)`;
  const conditions: readonly (readonly [sql: string, ...values: unknown[]])[] = [
    [labelled, label],
    ['group_id = ?', group],
    ['provider = ?', provider],
    ['status = ?', status],
    ['hidden = ?', visibility === 'all' ? undefined : visibility === 'hidden'],
    ['favorite = ?', favorite === undefined ? undefined : Number(favorite)],
    ['model = ?', model],
    ['operation = ?', operation],
    ['created >= ?', createdFromSecs],
    ['created < ?', createdBeforeSecs],
    ...(size === undefined ? [] : [sizeSql(size)]),
  ];
  const given = conditions.filter(([, value]) => value !== undefined);
  let number = first;
  const texts = given.map(([sql]) =>
    sql.replaceAll('?', () => {
      number += 1;
      return `$${number - 1}`;
    }),
  );
  return {
    sql: ['true', ...texts].join(' AND '),
    values: given.flatMap(([, ...values]) => values),
  };
}

// The ratio of the first image, or else of the planned size. NULL if the size is auto.
const RATIO = `
  CASE
    WHEN artifacts <> '[]' THEN
      (artifacts::jsonb -> 0 ->> 'width')::float8 / (artifacts::jsonb -> 0 ->> 'height')::float8
    WHEN size <> 'auto' THEN split_part(size, 'x', 1)::float8 / split_part(size, 'x', 2)::float8
  END`;
const SIZE = `
  CASE
    WHEN artifacts = '[]' THEN size
    ELSE (artifacts::jsonb -> 0 ->> 'width') || 'x' || (artifacts::jsonb -> 0 ->> 'height')
  END`;

function sizeSql(size: JobSize): readonly [sql: string, ...values: unknown[]] {
  if (size.kind === 'auto') return ['size = ?', 'auto'];
  if (size.kind === 'pixels') return [`(${SIZE}) = ?`, `${size.width}x${size.height}`];
  const { lowest, highest } = ratiosOf(size);
  return [`(${RATIO}) BETWEEN ? AND ?`, lowest, highest];
}

/** Returns the parameters of `matchingSql`. */
export function matchingValues(
  filter: JobFilter,
  page: { readonly scope: string; readonly edge: number; readonly limit: number },
): readonly unknown[] {
  const values = [page.scope, page.edge, page.limit];
  const { label, provider } = filter;
  if (isSelected(filter) || hasFacts(filter)) {
    const listed = isOfLabel(filter) ? [label] : [];
    return [...values, ...listed, ...conditionOf('', filter).values];
  }
  return provider === undefined ? values : [...values, provider];
}

/** Creates the methods that find the stored input images of jobs. */
export function createJobInputs(database: Postgres): Pick<JobStore, 'needsInput' | 'listInputs'> {
  const NEEDS_INPUT = `SELECT FROM ${database.schema}.job_input WHERE sha256 = $1 LIMIT 1`;
  const LIST_INPUTS = `
    SELECT sha256, max(bytes) AS bytes FROM ${database.schema}.job_input
    WHERE sha256 > $1 GROUP BY sha256 ORDER BY sha256 LIMIT $2`;

  return {
    needsInput: (sha256) =>
      database.read(async ({ rows }) => (await rows(NEEDS_INPUT, [sha256])).length > 0),
    listInputs: ({ after, limit }) =>
      database.read(({ rows }) =>
        rows<{ sha256: string; bytes: number }>(LIST_INPUTS, [after, limit]),
      ),
  };
}
