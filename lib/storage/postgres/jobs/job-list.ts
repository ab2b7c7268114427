import * as v from 'valibot';
import { JOB_STATUSES } from '../../../contract/resources/job.ts';
import type { JobFilter, JobStore } from '../../../jobs/job-store-port.ts';
import { parseSummary, SUMMARY_COLUMNS } from '../../jobs/job-rows.ts';
import type { Postgres } from '../connection.ts';

// Greater than every sequence.
const NEWEST = Number.MAX_SAFE_INTEGER;

export function createJobList(
  database: Postgres,
): Pick<JobStore, 'listActive' | 'list' | 'count' | 'summaries'> {
  const { schema } = database;
  const LIST_ACTIVE = `
    SELECT id FROM ${schema}.job WHERE id = ANY ($1::text[]) AND completed IS NULL`;
  const SUMMARIES = `
    SELECT ${SUMMARY_COLUMNS} FROM ${schema}.job WHERE scope = $1 AND seq = ANY ($2::bigint[])`;

  return {
    listActive: (ids) =>
      database.read(async ({ rows }) =>
        (await rows<{ id: string }>(LIST_ACTIVE, [ids])).map(({ id }) => id),
      ),
    list: (scope, filter, { before = NEWEST, limit }) =>
      database.read(async ({ rows }) => {
        const sql = `
          SELECT ${SUMMARY_COLUMNS} FROM ${schema}.job
          WHERE seq IN (${matchingSql(schema, filter)}) ORDER BY seq DESC`;
        // Reads one row more than the page shows. If this row exists, there is a next page.
        const found = await rows(sql, matchingValues(filter, { scope, before, limit: limit + 1 }));
        return { items: found.slice(0, limit).map(parseSummary), more: found.length > limit };
      }),
    count: (scope, filter, limit) =>
      database.read(async ({ rows }) => {
        const sql = `SELECT count(*) AS count FROM (${matchingSql(schema, filter)}) AS found`;
        const values = matchingValues(filter, { scope, before: NEWEST, limit });
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
 * Returns the SQL for the sequences of the jobs that match the filter, newest first. Each combination of status, favourite and
 * hidden is one range of the index `job_list`, or of the index `job_list_of_provider` if the filter has a provider, so that jobs
 * that do not match are never read. Each range has its own limit, because the planner does not always merge the ranges.
 */
export function matchingSql(schema: string, filter: JobFilter): string {
  const { status, visibility, favorite, provider, label, group } = filter;
  if (label !== undefined || group !== undefined) return selectedSql(schema, filter);
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
        AND seq < $2
      ORDER BY seq DESC LIMIT $3)`,
      ),
    ),
  );
  return `
    SELECT seq FROM (${ranges.join('\n    UNION ALL')}
    ) AS range ORDER BY seq DESC LIMIT $3`;
}

/**
 * Returns the SQL for the newest jobs that have the label or belong to the group, and match the rest of the filter. A group or a
 * label selects few jobs, so each of them is compared with the rest of the filter.
 */
function selectedSql(
  schema: string,
  { status, visibility, favorite, provider, label, group }: JobFilter,
): string {
  const places = placesOf({ label, group, provider });
  const conditions = [
    ...(status === undefined ? [] : [`status = '${status}'`]),
    ...(favorite === undefined ? [] : [`favorite = ${Number(favorite)}`]),
    ...(visibility === 'all' ? [] : [`hidden = ${visibility === 'hidden'}`]),
    ...(provider === undefined ? [] : [`provider = ${places.get('provider')}`]),
    ...(group === undefined || label === undefined
      ? []
      : [
          `EXISTS (SELECT FROM ${schema}.job_label WHERE job_label.seq = job.seq AND label = ${places.get('label')})`,
        ]),
  ];
  const tables =
    group === undefined
      ? `${schema}.job_label JOIN ${schema}.job USING (seq)
    WHERE job_label.scope = $1 AND label = ${places.get('label')}`
      : `${schema}.job
    WHERE scope = $1 AND group_id = ${places.get('group')}`;
  return `
    SELECT seq FROM ${tables} AND seq < $2
      ${conditions.map((condition) => `AND ${condition}`).join(' ')}
    ORDER BY seq DESC LIMIT $3`;
}

/** Returns the parameters of `matchingSql`. */
export function matchingValues(
  { provider, label, group }: JobFilter,
  page: { readonly scope: string; readonly before: number; readonly limit: number },
): readonly unknown[] {
  const values = [page.scope, page.before, page.limit];
  return [...values, label, group, provider].filter((value) => value !== undefined);
}

/** Returns the placeholder of each parameter of the filter, in the order of `matchingValues`. */
function placesOf(parameters: Pick<JobFilter, 'label' | 'group' | 'provider'>) {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return new Map(given.map(([name], at) => [name, `$${at + 4}`]));
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
