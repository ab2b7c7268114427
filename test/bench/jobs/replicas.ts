import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  DURABLE,
  type PostgresServer,
  startPostgres,
} from '../../support/engines/postgres-server.ts';
import type { Bench, Row, Tools } from '../measure/bench.ts';
import { cpuMsOfTree } from '../measure/process-use.ts';
import type { ServerProcess } from '../measure/server-process.ts';

const COUNTS = [1, 2, 4, 8];
// The slow provider needs a quarter of the jobs, and of the CPU, in the same time.
const PROVIDERS = [
  { providerMs: 1000, turns: 8 },
  { providerMs: 4000, turns: 2 },
];
// Jobs of one replica that run at the same time.
const SLOTS = 4;
const LOOK_EVERY_MS = 100;

interface Setup {
  readonly count: number;
  readonly providerMs: number;
  /** Jobs that each slot runs one after the other. */
  readonly turns: number;
}

interface Measured {
  /** The time from the first claim to the last end. */
  readonly ms: number;
  /** The CPU time of all replicas and of PostgreSQL. */
  readonly cpuMs: number;
  /** The share of the time in which the cores of the machine worked, for any process. */
  readonly busyShare: number;
}

/** Jobs in a provider that takes one or four seconds, run by 1 to 8 replicas on one PostgreSQL server. */
export const replicas: Bench = {
  name: 'replicas',
  async run(tools) {
    const postgres = await startPostgres(DURABLE);
    try {
      const rows: Row[] = [];
      for (const provider of PROVIDERS) {
        for (const count of COUNTS) {
          const setup = { ...provider, count };
          rows.push(toRow(setup, await measure(tools, setup, postgres)));
        }
      }
      return rows;
    } finally {
      await postgres.stop();
    }
  },
};

async function measure(
  { folder, startProgram }: Tools,
  { count, providerMs, turns }: Setup,
  postgres: PostgresServer,
): Promise<Measured> {
  const name = `replicas_${count}_${providerMs}`;
  const start = () =>
    startProgram({
      ...{ command: 'quickstart', folder, env: { DATABASE_URL: postgres.url } },
      settings: [
        'state.driver=postgres',
        `state.postgres.schema=${name}`,
        'state.postgres.max_connections=8',
        `artifacts.root=${join(folder, name)}`,
        'artifacts.shared_folder=true',
        `providers.sandbox.latency_ms=${providerMs}`,
        `server.jobs.max_running=${SLOTS}`,
      ],
    });
  // The first replica creates the tables.
  const first = await start();
  const all = [first, ...(await Promise.all(Array.from({ length: count - 1 }, start)))];
  await send(first, 'PATCH', '/v1/queue', { paused: true });
  const jobs = count * SLOTS * turns;
  for (let job = 0; job < jobs; job += 1) {
    await send(first, 'POST', '/v1/jobs', {
      prompt: `a fox ${job}`,
      parameters: { size: '64x64' },
    });
  }
  const use = await startUse(all, postgres);
  const startMs = performance.now();
  await send(first, 'PATCH', '/v1/queue', { paused: false });
  while ((await countSucceeded(first)) < jobs) await delay(LOOK_EVERY_MS);
  const ms = performance.now() - startMs;
  const used = await use.end();
  await Promise.all(all.map((replica) => replica.stop()));
  return { ms, ...used };
}

/** Begins to measure the CPU time of the replicas and of PostgreSQL, and the work of the whole machine. */
async function startUse(all: readonly ServerProcess[], { data }: PostgresServer) {
  const postmaster = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
  for (const replica of all) await replica.begin();
  const before = { database: cpuMsOfTree(postmaster), machine: machineTimes() };
  return {
    async end(): Promise<Omit<Measured, 'ms'>> {
      let cpuMs = cpuMsOfTree(postmaster) - before.database;
      for (const replica of all) cpuMs += (await replica.end()).cpuMs;
      const { idleMs, allMs } = machineTimes();
      const idleShare = (idleMs - before.machine.idleMs) / (allMs - before.machine.allMs);
      return { cpuMs, busyShare: 1 - idleShare };
    },
  };
}

/** Returns the times of all cores since the start of the machine. */
function machineTimes() {
  const times = cpus().map((core) => core.times);
  const sum = (of: (one: (typeof times)[number]) => number) =>
    times.reduce((total, one) => total + of(one), 0);
  const idleMs = sum(({ idle }) => idle);
  return { idleMs, allMs: idleMs + sum(({ user, nice, sys, irq }) => user + nice + sys + irq) };
}

function toRow({ count, providerMs, turns }: Setup, { ms, cpuMs, busyShare }: Measured): Row {
  const jobs = count * SLOTS * turns;
  const perSecond = (jobs * 1000) / ms;
  const ideal = (count * SLOTS * 1000) / providerMs;
  const cpu = `${(cpuMs / jobs).toFixed(0)} ms of CPU a job, cores ${(busyShare * 100).toFixed(0)} % busy`;
  return {
    what: `jobs of ${count} replicas with ${SLOTS} slots, on PostgreSQL`,
    ours: `${perSecond.toFixed(1)}/s (${cpu})`,
    against: `a provider of ${providerMs / 1000} s and nothing else`,
    theirs: `${ideal.toFixed(1)}/s`,
    ratio: (perSecond / ideal).toFixed(2),
    budget: 'doubles until the cores are busy',
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
