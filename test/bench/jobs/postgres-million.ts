import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import type { JobSearch, JobStore } from '../../../lib/jobs/job-store-port.ts';
import { createIds } from '../../../lib/platform/ids.ts';
import { openStateDatabase, stateDatabaseFile } from '../../../lib/storage/sqlite/database.ts';
import { createJobStore } from '../../../lib/storage/sqlite/jobs/job-store.ts';
import { createQueueStore } from '../../../lib/storage/sqlite/jobs/queue-store.ts';
import { createJobSearch, searchIndexFile } from '../../../lib/storage/sqlite/search/job-search.ts';
import { DURABLE, startPostgres } from '../../support/engines/postgres-server.ts';
import { newJob, succeeded, WIDE } from '../../support/jobs.ts';
import type { Bench, Row } from '../measure/bench.ts';
import { durationOf, durationsOf } from '../measure/durations.ts';
import { p50AndP99 } from '../measure/statistics.ts';
import { untilIndexed } from './job-search.ts';
import { BUSY_SCOPE, writeJobs } from './million-jobs.ts';
import { moveState } from './move-state.ts';
import { openReplica } from './postgres-replica.ts';

const JOBS = Number(process.env['STORED_JOBS'] ?? 1_000_000);
const SCHEMA = 'image_bridge';
const CALLS = 40;
const WARM_UPS = 3;
const LIMIT = 20;

const TERMS: readonly (readonly [what: string, term: string, budget: string])[] = [
  ['a common term', 'light', 'p99 < 250 ms'],
  ['a rare term', 'in the manner of bako', 'p99 < 250 ms'],
  ['an absent term', 'quetzalcoatl', 'p99 < 250 ms'],
  ['an absent term of common words', 'a red fox in a red fox by the window', 'p99 < 1000 ms'],
  ['two letters that are absent', 'zq', 'p99 < 1000 ms'],
  ['three Chinese characters', '红狐狸', 'p99 < 1000 ms'],
];

/** The same work at one of the sides. Resolves with the durations of the calls. */
type Measure = (calls: number) => Promise<readonly number[]>;

interface Case {
  readonly what: string;
  readonly budget: string;
  readonly postgres: Measure;
  readonly sqlite: Measure;
  readonly alone: Measure;
}

interface Stores {
  readonly jobs: JobStore;
  readonly search: Pick<JobSearch, 'find'>;
}

/** A million jobs in PostgreSQL, against the same jobs in SQLite and against one statement of the driver. */
export const postgresMillion: Bench = {
  name: 'postgres-million',
  async run({ rounds, folder }) {
    const server = await startPostgres(DURABLE);
    try {
      const file = await fill(folder, server.url);
      const replica = await openReplica(server.url, SCHEMA);
      const sqlite = await openSqlite(file);
      const driver = await openDriver(server.url);
      const rows: Row[] = [];
      for (const one of toCases(replica.stores, sqlite, driver)) {
        rows.push(await measure(one, rounds));
      }
      await driver.end();
      await sqlite.close();
      await replica.close();
      return rows;
    } finally {
      await server.stop();
    }
  },
};

/** Writes the jobs into SQLite, and moves them to PostgreSQL. Resolves with the file of SQLite. */
async function fill(folder: string, url: string): Promise<string> {
  const state = join(folder, 'state');
  await mkdir(state);
  await mkdir(join(folder, 'images/.staging'), { recursive: true });
  const file = stateDatabaseFile(state);
  writeJobs(file, JOBS);
  const artifacts = '[artifacts]\nroot = "images"\n';
  await writeFile(join(folder, 'one.toml'), `[state]\ndirectory = "state"\n${artifacts}`);
  await writeFile(join(folder, 'many.toml'), `[state]\ndriver = "postgres"\n${artifacts}`);
  await moveState({ folder, from: 'one', to: 'many', env: { DATABASE_URL: url } });
  return file;
}

async function openSqlite(file: string) {
  const database = openStateDatabase({ file, ids: createIds(() => 0) });
  // A move pauses the queue of its source.
  await createQueueStore(database).setPaused(false);
  const files = { stateFile: file, indexFile: searchIndexFile(file) };
  const search = createJobSearch({ files, jobs: JOBS, onFailure: () => {} });
  // The file of the index exists after the first search.
  await findFirst(search, 'fox');
  await untilIndexed(files.indexFile, Math.floor(JOBS / 4096));
  return {
    jobs: createJobStore(database),
    search,
    async close(): Promise<void> {
      await search.close();
      await database.close();
    },
  };
}

/** Connects the driver. It claims and ends the jobs of a table that has only what a queue needs. */
async function openDriver(connectionString: string): Promise<Client> {
  const client = new Client({ connectionString });
  // If a case fails, the server ends before its client.
  client.on('error', () => undefined);
  await client.connect();
  await client.query(`
    CREATE TABLE bare AS
      SELECT seq, CASE WHEN seq % 10 = 0 THEN 'queued' ELSE status END AS status FROM ${SCHEMA}.job;
    ALTER TABLE bare ADD PRIMARY KEY (seq);
    CREATE INDEX ON bare (seq) WHERE status = 'queued';
    ANALYZE`);
  return client;
}

function toCases(postgres: Stores, sqlite: Stores, driver: Client): readonly Case[] {
  const alone =
    (text: string, values: () => readonly unknown[]): Measure =>
    (calls) =>
      durationsOf(calls, () => driver.query(text, [...values()]));
  const page =
    ({ jobs }: Stores): Measure =>
    (calls) =>
      durationsOf(calls, () => jobs.list(BUSY_SCOPE, { visibility: 'active' }, { limit: LIMIT }));
  const find =
    ({ search }: Stores, term: string): Measure =>
    (calls) =>
      durationsOf(calls, () => findFirst(search, term));
  let sequence = 0;
  return [
    {
      what: 'a claim',
      budget: 'p99 < 20 ms',
      postgres: (calls) => turns(postgres, calls, 'claim'),
      sqlite: (calls) => turns(sqlite, calls, 'claim'),
      alone: alone(
        `UPDATE bare SET status = 'running' WHERE seq = (
          SELECT seq FROM bare WHERE status = 'queued' ORDER BY seq LIMIT 1 FOR UPDATE SKIP LOCKED)`,
        () => [],
      ),
    },
    {
      what: 'the end of a job',
      budget: 'p99 < 20 ms',
      postgres: (calls) => turns(postgres, calls, 'end'),
      sqlite: (calls) => turns(sqlite, calls, 'end'),
      alone: alone("UPDATE bare SET status = 'succeeded' WHERE seq = $1", () => {
        sequence += 1;
        return [sequence];
      }),
    },
    {
      what: `a page of ${LIMIT} jobs`,
      budget: 'p99 < 20 ms',
      postgres: page(postgres),
      sqlite: page(sqlite),
      alone: alone(
        `SELECT * FROM ${SCHEMA}.job WHERE scope = $1 AND NOT hidden ORDER BY seq DESC LIMIT ${LIMIT}`,
        () => [BUSY_SCOPE],
      ),
    },
    ...TERMS.map(([what, term, budget]) => ({
      what: `search of ${what}`,
      budget,
      postgres: find(postgres, term),
      sqlite: find(sqlite, term),
      alone: alone(
        `SELECT seq FROM ${SCHEMA}.job_text WHERE scope = $1 AND folded LIKE $2 ORDER BY seq DESC LIMIT ${LIMIT}`,
        () => [BUSY_SCOPE, `%${term}%`],
      ),
    })),
  ];
}

/** Resolves with the first page of a search. */
function findFirst(search: Stores['search'], term: string) {
  const filter = { visibility: 'active', terms: { all: [term], none: [] } } as const;
  return search.find(BUSY_SCOPE, filter, { limit: LIMIT }, new AbortController().signal);
}

/** Submits, claims and ends jobs one after the other. Resolves with the durations of one of these steps. */
async function turns(
  { jobs }: Stores,
  calls: number,
  timedStep: 'claim' | 'end',
): Promise<readonly number[]> {
  const durations = { claim: [] as number[], end: [] as number[] };
  for (let nth = 0; nth < calls; nth += 1) {
    await jobs.submit(newJob(), WIDE);
    let sequence = 0;
    durations.claim.push(
      await durationOf(async () => {
        sequence = (await jobs.claim(1))?.sequence ?? 0;
      }),
    );
    durations.end.push(await durationOf(() => jobs.settle(sequence, succeeded())));
  }
  return durations[timedStep];
}

async function measure({ what, budget, ...sides }: Case, rounds: number): Promise<Row> {
  const times = { postgres: [] as number[], sqlite: [] as number[], alone: [] as number[] };
  for (const side of ['postgres', 'sqlite', 'alone'] as const) await sides[side](WARM_UPS);
  for (let round = 0; round < rounds; round += 1) {
    for (const side of ['postgres', 'sqlite', 'alone'] as const) {
      times[side].push(...(await sides[side](CALLS)));
    }
  }
  return {
    what: `${what} in PostgreSQL, ${JOBS} jobs`,
    ours: p50AndP99(times.postgres),
    against: 'SQLite; one statement of the driver',
    theirs: `${p50AndP99(times.sqlite)}; ${p50AndP99(times.alone)}`,
    budget,
  };
}
