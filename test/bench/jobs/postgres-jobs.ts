import type { NewJob } from '../../../lib/jobs/job-store-port.ts';
import type { Database } from '../../../lib/storage/postgres/database.ts';
import { DURABLE, startPostgres } from '../../support/engines/postgres-server.ts';
import { jobRequest, newJob, succeeded } from '../../support/jobs.ts';
import type { Bench, Row } from '../measure/bench.ts';
import { durationOf } from '../measure/durations.ts';
import { median, p50AndP99, perSecond, withRange } from '../measure/statistics.ts';
import { CALLERS, createTogether, JOBS_A_ROUND } from './job-creates.ts';
import { type BenchReplica, openReplica } from './postgres-replica.ts';

const JOBS = 1_000_000;
const SCOPES = 50;
const CALLS = 200;

/** The store of jobs in PostgreSQL, against the driver alone and with a million jobs. */
export const postgresJobs: Bench = {
  name: 'postgres-jobs',
  async run({ rounds }) {
    const server = await startPostgres(DURABLE);
    try {
      return [
        await creates(server.url, rounds),
        ...(await amongMany(await openReplica(server.url, 'many'), rounds)),
      ];
    } finally {
      await server.stop();
    }
  },
};

/**
 * Jobs created by 64 callers, each after the reply to its last job, against the driver alone: the same rows with the same
 * indexes, 64 in a statement, which is the greatest possible number.
 */
async function creates(url: string, rounds: number): Promise<Row> {
  const { stores, close } = await openReplica(url, 'ours');
  const other = await openReplica(url, 'alone');
  const insertAlone = prepareAlone(other.database);
  const rates = { ours: [] as number[], theirs: [] as number[] };
  for (let round = -1; round < rounds; round += 1) {
    for (const side of ['ours', 'theirs'] as const) {
      const jobs = Array.from({ length: JOBS_A_ROUND }, () => newJob());
      const startMs = performance.now();
      await (side === 'ours' ? createTogether(jobs, stores.jobs.submit) : insertAlone(jobs));
      const rate = JOBS_A_ROUND / ((performance.now() - startMs) / 1000);
      // The first round is a warm-up.
      if (round >= 0) rates[side].push(rate);
    }
  }
  await Promise.all([close(), other.close()]);
  return {
    what: `durable and searchable job creates in PostgreSQL, ${CALLERS} callers of the store`,
    ours: perSecond(median(rates.ours)),
    against: `the driver alone, ${CALLERS} in a statement`,
    theirs: perSecond(median(rates.theirs)),
    ratio: withRange(rates.ours.map((rate, round) => rate / (rates.theirs[round] ?? 0))),
    budget: '≥ 0.7',
  };
}

/** The smallest work that creates searchable jobs: one statement, without limits, counts and notices. */
function prepareAlone({ schema, write }: Database) {
  const INSERT = `
    WITH new AS MATERIALIZED (
      SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[])
        AS new (seq, id, scope, prompt, request)
    ), contents AS (
      INSERT INTO ${schema}.job_content (seq, request_id, request) SELECT seq, id, request FROM new
    ), texts AS (
      INSERT INTO ${schema}.job_text (seq, scope, folded) SELECT seq, scope, prompt FROM new
    )
    INSERT INTO ${schema}.job (
      seq, id, scope, status, created, updated, operation, provider, outputs, bytes, reserved, prompt
    )
    SELECT seq, id, scope, 'queued', 1, 1, 'generate', 'sandbox', 1, 600, 20480, prompt FROM new`;
  let sequence = 0;

  return async (jobs: readonly NewJob[]): Promise<void> => {
    for (let first = 0; first < jobs.length; first += CALLERS) {
      const group = jobs.slice(first, first + CALLERS);
      const start = sequence;
      sequence += group.length;
      await write(({ rows }) =>
        rows(INSERT, [
          group.map((_, nth) => start + nth),
          group.map(({ id }) => id),
          group.map(({ scope }) => scope),
          group.map(({ request }) => request.prompt),
          group.map(({ request }) => JSON.stringify(request)),
        ]),
      );
    }
  };
}

/** Claims, ends and pages among a million jobs, half of them queued. */
async function amongMany(replica: BenchReplica, rounds: number): Promise<readonly Row[]> {
  const { database, stores } = replica;
  await fill(database);
  const claims: number[] = [];
  const ends: number[] = [];
  const pages: number[] = [];
  for (let nth = 0; nth < rounds * CALLS; nth += 1) {
    let sequence = 0;
    claims.push(
      await durationOf(async () => {
        sequence = (await stores.jobs.claim(1))?.sequence ?? 0;
      }),
    );
    ends.push(await durationOf(() => stores.jobs.settle(sequence, succeeded())));
    const scope = `scope ${nth % SCOPES}`;
    const filter = { visibility: 'active' } as const;
    pages.push(await durationOf(() => stores.jobs.list(scope, filter, { limit: 50 })));
  }
  await replica.close();
  const row = (what: string, times: readonly number[]): Row => ({
    what: `${what} in PostgreSQL, 1 M jobs of ${SCOPES} scopes`,
    ours: p50AndP99(times),
    budget: 'p99 < 20 ms',
  });
  return [row('a claim', claims), row('the end of a job', ends), row('a page of jobs', pages)];
}

async function fill({ schema, write }: Database): Promise<void> {
  await write(async ({ rows }) => {
    await rows(
      `INSERT INTO ${schema}.job (
        seq, id, scope, status, priority, created, updated, started, completed, operation, provider,
        outputs, bytes, reserved, prompt
      )
      SELECT
        nth, 'job-' || nth, 'scope ' || nth % $2::bigint,
        CASE WHEN is_queued THEN 'queued' ELSE 'succeeded' END, nth * 7919 % 201 - 100, nth, nth,
        CASE WHEN NOT is_queued THEN nth END, CASE WHEN NOT is_queued THEN nth END, 'generate',
        'sandbox', 1, 600, CASE WHEN is_queued THEN 20480 ELSE 0 END, 'a fox'
      FROM (SELECT nth, nth > $1::bigint / 2 AS is_queued FROM generate_series(1, $1::bigint) AS nth) AS job`,
      [JOBS, SCOPES],
    );
    await rows(
      `INSERT INTO ${schema}.job_content (seq, request_id, day, request)
      SELECT seq, id, 1, $1 FROM ${schema}.job`,
      [JSON.stringify(jobRequest())],
    );
    await rows(`
      INSERT INTO ${schema}.job_change (seq, scope, change)
      SELECT seq, scope, row_number() OVER (PARTITION BY scope ORDER BY seq) FROM ${schema}.job`);
    await rows(`
      INSERT INTO ${schema}.job_scope (scope, queued, held, ordinary_jobs, ordinary_bytes, changes)
      SELECT
        scope, count(*) FILTER (WHERE status = 'queued'), sum(bytes + reserved),
        count(*) FILTER (WHERE status = 'succeeded'),
        sum(bytes) FILTER (WHERE status = 'succeeded'), count(*)
      FROM ${schema}.job GROUP BY scope`);
    await rows(
      `INSERT INTO ${schema}.job_active SELECT 'sandbox', sum(queued) FROM ${schema}.job_scope`,
    );
    await rows(`
      UPDATE ${schema}.job_total SET (queued, succeeded, bytes, reserved, ordinary_jobs, ordinary_bytes, last_seq) = (
        SELECT
          count(*) FILTER (WHERE status = 'queued'), count(*) FILTER (WHERE status = 'succeeded'),
          sum(bytes), sum(reserved), count(*) FILTER (WHERE status = 'succeeded'),
          sum(bytes) FILTER (WHERE status = 'succeeded'), max(seq)
        FROM ${schema}.job)`);
    await rows('ANALYZE');
  });
}
