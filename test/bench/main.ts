import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { admission } from './admission.ts';
import { allowance } from './allowance.ts';
import { compareBuilds } from './builds/compare-builds.ts';
import { buildCommit, findCommit, runBench, THIS_BUILD } from './builds/other-build.ts';
import { eventStream } from './event-stream.ts';
import { gateway } from './gateway.ts';
import { composite } from './images/composite.ts';
import { createImage } from './images/create-image.ts';
import { editImage } from './images/edit-image.ts';
import { embedMetadata } from './images/embed-metadata.ts';
import { getArtifact } from './images/get-artifact.ts';
import { getThumbnail } from './images/get-thumbnail.ts';
import { matte } from './images/matte.ts';
import { parseEdit } from './images/parse-edit.ts';
import { provenance } from './images/provenance.ts';
import { jobClaims } from './jobs/job-claims.ts';
import { jobCreates } from './jobs/job-creates.ts';
import { jobEvents } from './jobs/job-events.ts';
import { jobHistory } from './jobs/job-history.ts';
import { jobLists } from './jobs/job-lists.ts';
import { jobPosts } from './jobs/job-posts.ts';
import { jobSearch } from './jobs/job-search.ts';
import { jobService } from './jobs/job-service.ts';
import { postgresJobs } from './jobs/postgres-jobs.ts';
import { postgresMillion } from './jobs/postgres-million.ts';
import { postgresReplicas } from './jobs/postgres-replicas.ts';
import { replicas } from './jobs/replicas.ts';
import { slowDisk } from './jobs/slow-disk.ts';
import { stateMove } from './jobs/state-move.ts';
import { webhookOutbox } from './jobs/webhook-outbox.ts';
import type { Bench, Row, Tools } from './measure/bench.ts';
import { startLoad } from './measure/load.ts';
import { writePerformancePage } from './measure/performance-page.ts';
import { asServer, spawnProgram } from './measure/program.ts';
import { type ServerProcess, startServer } from './measure/server-process.ts';
import { plan } from './plan.ts';
import { agentTurns } from './providers/agent-turns.ts';
import { catalogue } from './providers/catalogue.ts';
import { imageCost } from './providers/image-cost.ts';
import { openaiImages } from './providers/openai-images.ts';
import { tasks } from './providers/tasks.ts';
import { upstreamStream } from './providers/upstream-stream.ts';
import { readForm } from './read-form.ts';
import { scrape } from './scrape.ts';
import { smallGets } from './small-gets.ts';
import { startUp } from './start-up.ts';

/**
 * `npm run bench -- [--only NAME]... [--rounds N] [--write | --compare COMMIT]`: prints one Markdown table, and with
 * `--write` writes it to the performance page. With `--compare` the table compares this build with that of a commit. It asserts
 * nothing, because the reader decides the meaning of a number.
 */
const BENCHES: readonly Bench[] = [
  smallGets,
  scrape,
  createImage,
  editImage,
  parseEdit,
  readForm,
  plan,
  admission,
  allowance,
  imageCost,
  upstreamStream,
  openaiImages,
  tasks,
  catalogue,
  agentTurns,
  eventStream,
  getArtifact,
  getThumbnail,
  jobCreates,
  jobPosts,
  slowDisk,
  jobEvents,
  jobService,
  jobHistory,
  jobLists,
  jobClaims,
  postgresJobs,
  postgresMillion,
  postgresReplicas,
  replicas,
  jobSearch,
  stateMove,
  webhookOutbox,
  matte,
  composite,
  embedMetadata,
  provenance,
  gateway,
  startUp,
];

const LONGEST_RUN_MS = 40 * 60 * 1000;
const COLUMNS: readonly (readonly [heading: string, member: keyof Row])[] = [
  ['what', 'what'],
  ['ours', 'ours'],
  ['measured against', 'against'],
  ['gives', 'theirs'],
  ['ratio', 'ratio'],
  ['ratio of CPU time', 'cpuRatio'],
  ['budget', 'budget'],
  ['event-loop delay, p99 / worst', 'loop'],
];

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    rounds: { type: 'string' },
    write: { type: 'boolean', default: false },
    compare: { type: 'string' },
  },
});
const rounds = Math.max(1, Number(values.rounds ?? 5));
const unknown = values.only?.filter((name) => !BENCHES.some((bench) => bench.name === name)) ?? [];
const chosen = BENCHES.filter(({ name }) => values.only?.includes(name) ?? true);
const lines: string[] = [];
if (unknown.length > 0) {
  const names = BENCHES.map(({ name }) => name).join(', ');
  refuse(`--only ${unknown.join(', ')}: unknown bench; use one of ${names}`);
} else if (values.compare === undefined) {
  setTimeout(() => process.exit(), LONGEST_RUN_MS).unref();
  await runAll(chosen);
  if (values.write) writePerformancePage(lines);
} else if (values.write) {
  refuse('--write: a comparison does not go to the performance page');
} else {
  await compareWith(values.compare);
}

function refuse(message: string): void {
  process.stderr.write(`bench: ${message}\n`);
  process.exitCode = 2;
}

async function compareWith(name: string): Promise<void> {
  const commit = await findCommit(name);
  if (commit === undefined) {
    refuse(`--compare ${name}: this checkout has no such commit`);
    return;
  }
  const folder = await mkdtemp(join(tmpdir(), 'image-bridge-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  process.once('SIGINT', () => process.exit(130));
  process.once('SIGTERM', () => process.exit(143));
  const theirs = await buildCommit(commit, folder);
  const benches = chosen.map(({ name }) => name);
  await compareBuilds({ ours: THIS_BUILD, theirs, benches, rounds, runBench, print: writeLine });
  writeMachine();
}

async function runAll(benches: readonly Bench[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'image-bridge-bench-'));
  const { load, stop } = startLoad();
  const started: ServerProcess[] = [];
  const start: Tools['start'] = async (program, options) => {
    const server = await startServer(program, options);
    started.push(server);
    return server;
  };
  const startProgram: Tools['startProgram'] = async (options) => {
    const server = asServer(await spawnProgram(options));
    started.push(server);
    return server;
  };
  print(COLUMNS.map(([heading]) => heading));
  print(COLUMNS.map(() => '---'));
  for (const bench of benches) {
    try {
      const own = await mkdtemp(join(folder, `${bench.name}-`));
      const rows = await bench.run({ rounds, folder: own, load, start, startProgram });
      for (const row of rows) print(COLUMNS.map(([, member]) => row[member] ?? '–'));
    } catch (error) {
      print([bench.name, `failed: ${error}`, ...COLUMNS.slice(2).map(() => '–')]);
    }
    await Promise.all(started.splice(0).map((server) => server.stop()));
  }
  stop();
  await rm(folder, { recursive: true, force: true });
  writeLine('');
  writeMachine();
}

function writeMachine(): void {
  const model = cpus()[0]?.model ?? 'unknown processor';
  writeLine(`Node ${process.version}, ${cpus().length} × ${model}, ${rounds} rounds.`);
}

function print(cells: readonly string[]): void {
  writeLine(`| ${cells.join(' | ')} |`);
}

function writeLine(line: string): void {
  lines.push(line);
  process.stdout.write(`${line}\n`);
}
