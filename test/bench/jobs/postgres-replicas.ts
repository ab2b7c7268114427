import { once } from 'node:events';
import { join } from 'node:path';
import { Client } from 'pg';
import { createIds } from '../../../lib/platform/ids.ts';
import { openStateDatabase } from '../../../lib/storage/sqlite/database.ts';
import { createJobStore } from '../../../lib/storage/sqlite/jobs/job-store.ts';
import { DURABLE, startPostgres } from '../../support/engines/postgres-server.ts';
import { newJob, succeeded, WIDE } from '../../support/jobs.ts';
import type { Bench, Row } from '../measure/bench.ts';
import { durationsOf } from '../measure/durations.ts';
import { p50AndP99 } from '../measure/statistics.ts';
import { type BenchReplica, openReplica } from './postgres-replica.ts';

const SCHEMA = 'replicas';
const CALLS = 200;
const CALLERS = 24;
const PERMITS = 4;

/** Two replicas on one PostgreSQL server, against the driver alone in the same run: wake-ups and shared limits. */
export const postgresReplicas: Bench = {
  name: 'postgres-replicas',
  async run({ rounds, folder }) {
    const server = await startPostgres(DURABLE);
    const replicas = [
      await openReplica(server.url, SCHEMA),
      await openReplica(server.url, SCHEMA),
    ] as const;
    try {
      const calls = rounds * CALLS;
      return [
        await wakeUps({ url: server.url, folder, replicas, calls }),
        ...(await permits(server.url, replicas, calls)),
      ];
    } finally {
      for (const { close } of replicas) await close();
      await server.stop();
    }
  },
};

interface WakeUps {
  readonly url: string;
  readonly folder: string;
  readonly replicas: readonly [BenchReplica, BenchReplica];
  readonly calls: number;
}

/**
 * Measures the time from the request for a job at one replica to its claim at the other, against one process with SQLite and a
 * bare notification of the driver.
 */
async function wakeUps({ url, folder, replicas: [one, two], calls }: WakeUps): Promise<Row> {
  const ours: number[] = [];
  let wake = () => {};
  const stop = two.notices.subscribe(({ type }) => {
    if (type === 'queued' || type === 'missed') wake();
  });
  const toWake = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });
  // The first job is a warm-up, because the replica may not listen yet.
  for (let nth = -1; nth < calls; nth += 1) {
    let woken = toWake();
    const startMs = performance.now();
    const submitted = one.stores.jobs.submit(newJob(), WIDE);
    let claimed: Awaited<ReturnType<typeof two.stores.jobs.claim>>;
    while (!claimed) {
      await woken;
      woken = toWake();
      claimed = await two.stores.jobs.claim(1);
    }
    if (nth >= 0) ours.push(performance.now() - startMs);
    await submitted;
    await two.stores.jobs.settle(claimed.sequence, succeeded());
  }
  stop();
  return {
    what: 'a job, from its request to its claim by another replica',
    ours: p50AndP99(ours),
    against:
      'one process with SQLite; an insert with a notification, until another session of the driver receives it',
    theirs: `${p50AndP99(await claimsInSqlite(folder, calls))}; ${p50AndP99(await bareNotifications(url, calls))}`,
    budget: 'p99 < 50 ms',
  };
}

async function claimsInSqlite(folder: string, calls: number): Promise<readonly number[]> {
  const file = join(folder, 'bridge.sqlite');
  const database = openStateDatabase({ file, ids: createIds(() => 0) });
  const jobs = createJobStore(database);
  const times: number[] = [];
  for (let nth = 0; nth < calls; nth += 1) {
    const startMs = performance.now();
    await jobs.submit(newJob(), WIDE);
    const claimed = await jobs.claim(1);
    times.push(performance.now() - startMs);
    await jobs.settle(claimed?.sequence ?? 0, succeeded());
  }
  await database.close();
  return times;
}

async function bareNotifications(url: string, calls: number): Promise<readonly number[]> {
  const [sender, listener] = [await connect(url), await connect(url)];
  await sender.query('CREATE TABLE bare (id bigint)');
  await listener.query('LISTEN bare');
  const times = await durationsOf(calls, () =>
    Promise.all([
      once(listener, 'notification'),
      sender.query("WITH new AS (INSERT INTO bare VALUES (1)) SELECT pg_notify('bare', '')"),
    ]),
  );
  await Promise.all([sender.end(), listener.end()]);
  return times;
}

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  await client.connect();
  return client;
}

/** Permits of one caller, and of callers at two replicas with a permit for each of them, against one update of the driver. */
async function permits(
  url: string,
  [one, two]: readonly [BenchReplica, BenchReplica],
  calls: number,
): Promise<readonly Row[]> {
  const { signal } = new AbortController();
  const alone: number[] = [];
  for (let nth = 0; nth < calls; nth += 1) {
    const startMs = performance.now();
    const release = await one.permits.take('alone', PERMITS);
    alone.push(performance.now() - startMs);
    release?.();
  }
  const many: number[] = [];
  const each = Math.ceil(calls / CALLERS);
  const callers = Array.from({ length: CALLERS }, async (_, caller) => {
    const { permits: own } = caller % 2 === 0 ? one : two;
    for (let nth = 0; nth < each; nth += 1) {
      const startMs = performance.now();
      const release = await own.acquire('shared', CALLERS, signal);
      many.push(performance.now() - startMs);
      release();
    }
  });
  await Promise.all(callers);
  const row = {
    against: 'the driver alone: one update of a row',
    theirs: p50AndP99(await bareUpdates(url, calls)),
  };
  return [
    {
      what: 'a permit that all replicas share, alone',
      ours: p50AndP99(alone),
      ...row,
      budget: 'p99 < 10 ms',
    },
    {
      what: `a permit, ${CALLERS} callers at two replicas, a permit for each`,
      ours: p50AndP99(many),
      ...row,
      budget: 'p99 < 10 ms',
    },
  ];
}

async function bareUpdates(url: string, calls: number): Promise<readonly number[]> {
  const client = await connect(url);
  await client.query('CREATE TABLE slot AS SELECT 0 AS owner');
  const times = await durationsOf(calls, () => client.query('UPDATE slot SET owner = $1', [1]));
  await client.end();
  return times;
}
