import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { JOB_STATUSES } from '../../lib/contract/resources/job.ts';
import type { MemoryDisk } from './memory-files.ts';

const IS_ORDINARY = 'completed IS NOT NULL AND favorite = 0';
const COUNTED = `
  SELECT job.*, (${IS_ORDINARY}) * (bytes + coalesce((
    SELECT sum(own.bytes) FROM job_input AS own
    WHERE own.seq = job.seq AND NOT EXISTS (
      SELECT 1 FROM job_input AS newer WHERE newer.sha256 = own.sha256 AND newer.seq > own.seq)
  ), 0)) AS ordinary_bytes
  FROM job`;
const TOTALS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    JOB_STATUSES.map((status) => [status, `count(*) FILTER (WHERE status = '${status}')`]),
  ),
  hidden: 'count(*) FILTER (WHERE deleted IS NOT NULL)',
  favorite: 'count(*) FILTER (WHERE favorite = 1)',
  bytes: 'coalesce(sum(bytes), 0)',
  reserved: 'coalesce(sum(reserved), 0)',
  ordinary_jobs: `count(*) FILTER (WHERE ${IS_ORDINARY})`,
  ordinary_bytes: 'coalesce(sum(ordinary_bytes), 0)',
};
const RECOUNTED = Object.entries(TOTALS).map(([name, sql]) => `${sql} AS ${name}`);

/** The spending of each token and day, beside its known costs and its open reservations. */
const SPENDING = `
  SELECT token, period, sum(spent) AS spent, sum(counted) AS counted, sum(unpriced) AS unpriced
  FROM (
    SELECT token, period, amount AS spent, 0 AS counted, 0 AS unpriced FROM spending
      WHERE length(period) = 10
    UNION ALL SELECT token, date(day * 86400, 'unixepoch'), 0, cost, unpriced FROM usage
    UNION ALL SELECT token, date(day * 86400, 'unixepoch'), 0, held, 0 FROM ledger
    UNION ALL SELECT token, date(day * 86400, 'unixepoch'), 0, held, 0
      FROM job JOIN job_content USING (seq) WHERE status = 'queued' AND day IS NOT NULL
  ) WHERE token <> '' GROUP BY token, period`;

/** Queries that return one row for each violation, with its description. They hold between any two transactions. */
const ALWAYS: readonly string[] = [
  `SELECT 'the jobs of the scope ' || coalesce(found.scope, kept.scope) || ' are miscounted' AS text
   FROM (
     SELECT scope, count(*) FILTER (WHERE status = 'queued') AS queued,
       sum(bytes + reserved) AS held, count(*) FILTER (WHERE ${IS_ORDINARY}) AS ordinary_jobs,
       sum(ordinary_bytes) AS ordinary_bytes
     FROM (${COUNTED}) GROUP BY scope
   ) AS found FULL JOIN job_scope AS kept ON kept.scope = found.scope
   WHERE (coalesce(kept.queued, 0), coalesce(kept.held, 0), coalesce(kept.ordinary_jobs, 0),
       coalesce(kept.ordinary_bytes, 0)) <> (coalesce(found.queued, 0), coalesce(found.held, 0),
       coalesce(found.ordinary_jobs, 0), coalesce(found.ordinary_bytes, 0))`,
  `SELECT 'the active jobs of ' || coalesce(found.provider, kept.provider) || ' are miscounted'
     AS text
   FROM (
     SELECT provider, count(*) FILTER (WHERE status = 'queued') AS queued,
       count(*) FILTER (WHERE status = 'running') AS running
     FROM job WHERE completed IS NULL GROUP BY provider
   ) AS found FULL JOIN job_active AS kept ON kept.provider = found.provider
   WHERE (coalesce(kept.queued, 0), coalesce(kept.running, 0)) <>
     (coalesce(found.queued, 0), coalesce(found.running, 0))`,
  `SELECT 'the artifacts are miscounted' AS text FROM artifact_total AS kept, (
     SELECT count(*) AS artifacts, coalesce(sum(bytes), 0) AS bytes
     FROM artifact WHERE state = 'published'
   ) AS found
   WHERE (kept.artifacts, kept.bytes) <> (found.artifacts, found.bytes)`,
  `SELECT format('%s is charged %d on day %d, and %d are counted or reserved', token, charged, day,
     counted) AS text
   FROM (
     SELECT token, day, sum(charged) AS charged, sum(counted) AS counted FROM (
       SELECT token, day, images AS charged, 0 AS counted FROM charge
       UNION ALL SELECT token, day, 0, images + unknown FROM usage
       UNION ALL SELECT token, day, 0, reserved FROM ledger
       UNION ALL SELECT token, day, 0, outputs FROM job JOIN job_content USING (seq)
         WHERE status = 'queued' AND day IS NOT NULL
     ) WHERE token <> '' GROUP BY token, day
   ) WHERE charged <> counted`,
  `SELECT format('%s has spent %d on %s, and %d are charged or reserved', token, spent, period,
     counted) AS text
   FROM (${SPENDING}) WHERE spent < counted`,
  `SELECT 'the running job ' || id || ' has no account' AS text FROM job
   WHERE status = 'running' AND NOT EXISTS (SELECT 1 FROM ledger WHERE ledger.id = job.id)`,
];

/** Queries of the same form, which hold when no request, no job and no webhook is under way. */
const WHEN_QUIET: readonly string[] = [
  "SELECT 'the account ' || id || ' is open' AS text FROM ledger",
  "SELECT 'the publication ' || name || ' is pending' AS text FROM artifact WHERE state = 'pending'",
  "SELECT 'the job ' || id || ' has not ended: ' || status AS text FROM job WHERE completed IS NULL",
  `SELECT format('the job %s has a %s webhook', id, state) AS text
   FROM webhook JOIN job USING (seq)
   WHERE state = 'pending' OR state = 'waiting' AND events LIKE '%' || status || '%'`,
  `SELECT format('%s has spent %d on %s, and %d are charged', token, spent, period, counted) AS text
   FROM (${SPENDING}) WHERE unpriced = 0 AND spent <> counted`,
  "SELECT 'an output of an ended job is left: ' || artifact_id AS text FROM job_output",
];

/** A job as the database has it. */
export interface StoredJob {
  readonly id: string;
  readonly token: string;
  readonly status: string;
  readonly request_id: string;
  readonly request: string;
  readonly error: string | null;
  readonly webhook_state: string | null;
  readonly attempts: number | null;
}

export interface CountedUsage {
  readonly token: string;
  readonly provider: string;
  readonly images: number;
  readonly unknown: number;
}

export interface CountedSpending {
  readonly token: string;
  readonly period: string;
  readonly amount: number;
}

export type StateReader = ReturnType<typeof createStateReader>;

/** Reads the state database of the simulated bridge beside the bridge. */
export function createStateReader(
  folder: string,
  disk: MemoryDisk,
  /** Returns the time before which published images have expired. */
  expiredBeforeSecs: () => number,
) {
  let opened: Sqlite.Database | undefined;
  const statements = new Map<string, Sqlite.Statement>();

  function rows<T>(sql: string): readonly T[] {
    opened ??= new Sqlite(join(folder, 'bridge.sqlite'), { readonly: true });
    const statement = statements.get(sql) ?? opened.prepare(sql);
    statements.set(sql, statement);
    return statement.all() as T[];
  }

  const texts = (sql: string) => rows<{ text: string }>(sql).map(({ text }) => text);

  function miscountedTotals(): readonly string[] {
    const [kept] = rows<Record<string, number>>('SELECT * FROM job_total');
    const [found] = rows<Record<string, number>>(
      `SELECT ${RECOUNTED.join(', ')} FROM (${COUNTED})`,
    );
    return Object.keys(TOTALS)
      .filter((name) => kept?.[name] !== found?.[name])
      .map((name) => `job_total.${name} is ${kept?.[name]} and must be ${found?.[name]}`);
  }

  /** Returns the files without a row, and the rows without a file. */
  function strayFiles(): readonly string[] {
    const known = rows<{
      readonly id: string;
      readonly state: string;
      readonly name: string;
      readonly sidecar_name: string | null;
      readonly created_secs: number;
    }>('SELECT id, state, name, sidecar_name, created_secs FROM artifact');
    // An expired image whose removal is reported as failed keeps its row until the next removal.
    const isKept = ({ state, created_secs }: (typeof known)[number]) =>
      state === 'published' && created_secs > expiredBeforeSecs();
    const { names, staged } = disk.list();
    const files = new Set(names);
    const ofRows = new Set(known.flatMap(({ name, sidecar_name }) => [name, sidecar_name]));
    const ids = known.map(({ id }) => id);
    return [
      ...names.filter((name) => !ofRows.has(name)).map((name) => `the file ${name} has no row`),
      ...staged
        .filter((id) => !ids.some((own) => id.startsWith(own)))
        .map((id) => `the staged file ${id} has no row`),
      ...known
        .filter((row) => isKept(row) && !files.has(row.name))
        .map(({ name }) => `the artifact ${name} has no file`),
    ];
  }

  /** Returns the stored images that no job has, and the images of jobs that are not stored. */
  function strayInputs(): {
    readonly unneeded: readonly string[];
    readonly lost: readonly string[];
  } {
    const needed = rows<{ sha256: string }>('SELECT DISTINCT sha256 FROM job_input').map(
      ({ sha256 }) => sha256,
    );
    const stored = disk.listInputs();
    return {
      unneeded: stored.filter((sha256) => !needed.includes(sha256)),
      lost: needed.filter((sha256) => !stored.includes(sha256)),
    };
  }

  return {
    /** Returns the violations of what holds between any two steps. */
    violations: (): readonly string[] => [
      ...miscountedTotals(),
      ...ALWAYS.flatMap(texts),
      ...strayFiles(),
      ...strayInputs().lost.map((sha256) => `the input ${sha256} of a job is lost`),
    ],

    /** Returns the violations of what holds when nothing is under way. */
    violationsWhenQuiet: (): readonly string[] => [
      ...WHEN_QUIET.flatMap(texts),
      ...disk.list().staged.map((id) => `the file ${id} is still staged`),
      ...strayInputs().unneeded.map((sha256) => `no job needs the stored input ${sha256}`),
    ],

    /** Returns the number of jobs that have not ended and of webhooks that are not delivered. */
    unfinished: (): number =>
      rows<{ count: number }>(
        `SELECT (SELECT count(*) FROM job WHERE completed IS NULL) +
           (SELECT count(*) FROM webhook WHERE state = 'pending') +
           (SELECT count(*) FROM ledger) AS count`,
      )[0]?.count ?? 0,

    jobs: () =>
      rows<StoredJob>(
        `SELECT id, token, status, request_id, request, job_content.error AS error, state AS webhook_state,
           attempts
         FROM job JOIN job_content USING (seq) LEFT JOIN webhook USING (seq)`,
      ),

    /** Returns the amounts that tokens have spent or reserved, by day. */
    spending: () =>
      rows<CountedSpending>('SELECT token, period, amount FROM spending WHERE length(period) = 10'),

    usage: () =>
      rows<CountedUsage>(
        `SELECT token, provider, sum(images) AS images, sum(unknown) AS unknown
         FROM usage GROUP BY token, provider`,
      ),

    close(): void {
      opened?.close();
    },
  };
}
