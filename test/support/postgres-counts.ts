import { JOB_STATUSES } from '../../lib/contract/resources/job.ts';
import type { Postgres } from '../../lib/storage/postgres/connection.ts';

const IS_ORDINARY = 'completed IS NOT NULL AND favorite = 0';

/** Resolves with one sentence for each count of jobs that differs from the rows. */
export async function findMiscounts({
  schema,
  read,
}: Pick<Postgres, 'schema' | 'read'>): Promise<readonly string[]> {
  const COUNTED = `
    SELECT job.*, CASE WHEN ${IS_ORDINARY} THEN bytes + coalesce((
      SELECT sum(own.bytes) FROM ${schema}.job_input AS own
      WHERE own.seq = job.seq AND NOT EXISTS (
        SELECT FROM ${schema}.job_input AS newer
        WHERE newer.sha256 = own.sha256 AND newer.seq > own.seq)
    ), 0) ELSE 0 END AS ordinary_bytes
    FROM ${schema}.job`;
  const columns = {
    ...Object.fromEntries(
      JOB_STATUSES.map((status) => [status, `count(*) FILTER (WHERE status = '${status}')`]),
    ),
    hidden: 'count(*) FILTER (WHERE hidden)',
    favorite: 'count(*) FILTER (WHERE favorite = 1)',
    bytes: 'coalesce(sum(bytes), 0)',
    reserved: 'coalesce(sum(reserved), 0)',
    ordinary_jobs: `count(*) FILTER (WHERE ${IS_ORDINARY})`,
    ordinary_bytes: 'coalesce(sum(ordinary_bytes), 0)',
  };
  const recounted = Object.entries(columns).map(([name, sql]) => `${sql} AS ${name}`);
  const TOTALS = `SELECT ${recounted.join(', ')} FROM (${COUNTED}) AS job`;
  const WRONG_SCOPES = `
    SELECT coalesce(found.scope, kept.scope) AS name FROM (
      SELECT
        scope, count(*) FILTER (WHERE status = 'queued') AS queued, sum(bytes + reserved) AS held,
        count(*) FILTER (WHERE ${IS_ORDINARY}) AS ordinary_jobs,
        sum(ordinary_bytes) AS ordinary_bytes
      FROM (${COUNTED}) AS job GROUP BY scope
    ) AS found FULL JOIN ${schema}.job_scope AS kept ON kept.scope = found.scope
    WHERE (kept.queued, kept.held, kept.ordinary_jobs, kept.ordinary_bytes) IS DISTINCT FROM (
      coalesce(found.queued, 0), coalesce(found.held, 0), coalesce(found.ordinary_jobs, 0),
      coalesce(found.ordinary_bytes, 0))`;
  const WRONG_ACTIVE = `
    SELECT coalesce(found.provider, kept.provider) AS name FROM (
      SELECT
        provider, count(*) FILTER (WHERE status = 'queued') AS queued,
        count(*) FILTER (WHERE status = 'running') AS running
      FROM ${schema}.job GROUP BY provider
    ) AS found FULL JOIN ${schema}.job_active AS kept ON kept.provider = found.provider
    WHERE coalesce(kept.queued, 0) <> coalesce(found.queued, 0)
      OR coalesce(kept.running, 0) <> coalesce(found.running, 0)`;

  return read(async ({ rows }) => {
    const [kept] = await rows<Record<string, number>>(`SELECT * FROM ${schema}.job_total`);
    const [found] = await rows<Record<string, number>>(TOTALS);
    const scopes = await rows<{ name: string }>(WRONG_SCOPES);
    const providers = await rows<{ name: string }>(WRONG_ACTIVE);
    return [
      ...Object.keys(columns)
        .filter((name) => kept?.[name] !== found?.[name])
        .map((name) => `job_total.${name} is ${kept?.[name]} and must be ${found?.[name]}`),
      ...scopes.map(({ name }) => `the jobs of the scope ${name} are miscounted`),
      ...providers.map(({ name }) => `the active jobs of the provider ${name} are miscounted`),
    ];
  });
}
