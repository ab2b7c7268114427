import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startPostgres } from '../../support/engines/postgres-server.ts';
import type { Bench, Row, Tools } from '../measure/bench.ts';
import type { ServerProcess } from '../measure/server-process.ts';

const COUNTS = [1, 2, 4, 8];
const PROVIDER_MS = 1000;
// Jobs of one replica that run at the same time.
const SLOTS = 4;
// Jobs that each slot runs one after the other.
const TURNS = 8;
const LOOK_EVERY_MS = 50;

/** Jobs in a provider that takes a second, run by 1 to 8 replicas on one PostgreSQL server. */
export const replicas: Bench = {
  name: 'replicas',
  async run(tools) {
    const postgres = await startPostgres();
    try {
      const rows: Row[] = [];
      for (const count of COUNTS)
        rows.push(toRow(count, await measure(tools, count, postgres.url)));
      return rows;
    } finally {
      await postgres.stop();
    }
  },
};

/** Resolves with the time from the first claim to the last end, in milliseconds. */
async function measure({ folder, startProgram }: Tools, count: number, url: string) {
  const start = () =>
    startProgram({
      ...{ command: 'quickstart', folder, env: { DATABASE_URL: url } },
      settings: [
        'state.driver=postgres',
        `state.postgres.schema=replicas_${count}`,
        'state.postgres.max_connections=8',
        `artifacts.root=${join(folder, `images-${count}`)}`,
        'artifacts.shared_folder=true',
        `providers.sandbox.latency_ms=${PROVIDER_MS}`,
        `server.jobs.max_running=${SLOTS}`,
      ],
    });
  // The first replica creates the tables.
  const first = await start();
  const others = await Promise.all(Array.from({ length: count - 1 }, start));
  await send(first, 'PATCH', '/v1/queue', { paused: true });
  const jobs = count * SLOTS * TURNS;
  for (let job = 0; job < jobs; job += 1) {
    await send(first, 'POST', '/v1/jobs', {
      prompt: `a fox ${job}`,
      parameters: { size: '64x64' },
    });
  }
  const startMs = performance.now();
  await send(first, 'PATCH', '/v1/queue', { paused: false });
  while ((await countSucceeded(first)) < jobs) await delay(LOOK_EVERY_MS);
  const ms = performance.now() - startMs;
  await Promise.all([first, ...others].map((replica) => replica.stop()));
  return ms;
}

function toRow(count: number, ms: number): Row {
  const perSecond = (count * SLOTS * TURNS * 1000) / ms;
  const ideal = (count * SLOTS * 1000) / PROVIDER_MS;
  return {
    what: `jobs of ${count} replicas with ${SLOTS} slots, on PostgreSQL`,
    ours: `${perSecond.toFixed(1)}/s`,
    against: 'a provider of 1 s and nothing else',
    theirs: `${ideal.toFixed(1)}/s`,
    ratio: (perSecond / ideal).toFixed(2),
    budget: 'doubles',
  };
}

async function send({ port }: ServerProcess, method: string, path: string, body?: object) {
  const reply = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    ...(body && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  });
  if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
  return reply.json();
}

/** Resolves with 0 if a busy machine rejects the request. */
async function countSucceeded(server: ServerProcess): Promise<number> {
  const reply = await send(server, 'GET', '/v1/diagnostics').catch(() => undefined);
  // The shape of the diagnostics (docs/contract.md, section 12).
  const report = reply as { jobs: { by_status: { succeeded: number } } } | undefined;
  return report?.jobs.by_status.succeeded ?? 0;
}
