import { type ChildProcess, fork, spawn } from 'node:child_process';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Bench, Row, Tools } from './bench.ts';
import { inMegabytes } from './image.ts';
import type { Backend, BackendOptions } from './programs/backend.ts';
import type { ReaderResult, ReaderTask } from './programs/stream-meter.ts';
import type { ReaderOptions } from './programs/stream-reader.ts';
import { ask } from './server-process.ts';
import { inMs, median, withRange } from './statistics.ts';

const DIST = fileURLToPath(new URL('../../', import.meta.url));
const IMAGE_BYTES = 3_000_000;
const AT_ONCE = 64;
const IMAGES = 128;
const ONE_BY_ONE: ReaderTask = { images: 30, atOnce: 1 };
const LOAD_MS = 1500;

/** Images from the backend, whose emulator runs in a process of its own. */
export const upstreamStream: Bench = {
  name: 'upstream-stream',
  async run(tools) {
    const children: ChildProcess[] = [];
    const start = async <T>(program: string, options: object): Promise<[ChildProcess, T]> => {
      const file = join(DIST, `test/bench/programs/${program}.js`);
      const child = fork(file, [JSON.stringify(options)]);
      children.push(child);
      return [child, await firstMessage<T>(child)];
    };
    try {
      const home = await mkdtemp(join(tools.folder, 'login-'));
      const wanted: BackendOptions = { home, imageBytes: IMAGE_BYTES };
      const [, backend] = await start<Backend>('backend', wanted);
      const reader = async (kind: ReaderOptions['kind']): Promise<Reader> => {
        const options: ReaderOptions = { ...backend, home, kind };
        const [child] = await start<object>('stream-reader', options);
        return (task) => read(child, task);
      };
      return [
        ...(await manyStreams(tools, await reader('provider'), await reader('decode'))),
        await addedLatency(
          tools,
          { drop: await reader('drop'), decode: await reader('decode') },
          { ...backend, home },
          children,
        ),
      ];
    } finally {
      for (const child of children) child.kill('SIGKILL');
    }
  },
};

type Reader = (task: ReaderTask) => Promise<ReaderResult>;

async function read(child: ChildProcess, task: ReaderTask): Promise<ReaderResult> {
  const answer = await ask<ReaderResult | { readonly failed: string }>(child, task);
  if ('failed' in answer) throw new Error(answer.failed);
  return answer;
}

function firstMessage<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(message as T));
    child.once('exit', (code) => reject(new Error(`a process of the bench ended with ${code}`)));
  });
}

/** Throughput, the event loop's delay and memory, against reading and decoding alone. */
async function manyStreams({ rounds }: Tools, our: Reader, their: Reader): Promise<Row[]> {
  const task = { images: IMAGES, atOnce: AT_ONCE };
  const ours: ReaderResult[] = [];
  const theirs: ReaderResult[] = [];
  await our({ images: AT_ONCE, atOnce: AT_ONCE });
  await their({ images: AT_ONCE, atOnce: AT_ONCE });
  for (let round = 0; round < rounds; round += 1) {
    ours.push(await our(task));
    theirs.push(await their(task));
  }
  const rate = ({ elapsedMs }: ReaderResult) => (IMAGES * 1000) / elapsedMs;
  const ratioOf = (of: (result: ReaderResult) => number) =>
    ours.map((result, round) => of(result) / of(theirs[round] ?? result));
  const what = `${AT_ONCE} streams of a ${inMegabytes(IMAGE_BYTES)} image at once`;
  const inFlightMb = (AT_ONCE * IMAGE_BYTES) / 2 ** 20;
  const peak = (results: readonly ReaderResult[]) => Math.max(...results.map((it) => it.peakMb));
  return [
    {
      what,
      ours: `${median(ours.map(rate)).toFixed(1)}/s`,
      against: 'reading the same bytes and decoding them',
      theirs: `${median(theirs.map(rate)).toFixed(1)}/s`,
      ratio: withRange(ratioOf(rate)),
      cpuRatio: withRange(ratioOf(({ cpuMs }) => 1 / cpuMs)),
      budget: '≥ 0.8, p99 < 20 ms',
      loop: `${delayOf(ours)}, against ${delayOf(theirs)}`,
    },
    {
      what: `${what}: most memory of the process`,
      ours: `${peak(ours).toFixed(0)} MB`,
      against: `the images in flight; the loop alone has ${peak(theirs).toFixed(0)} MB`,
      theirs: `${inFlightMb.toFixed(0)} MB`,
      ratio: (peak(ours) / inFlightMb).toFixed(2),
      ...{ cpuRatio: '–', budget: '< 3', loop: '–' },
    },
  ];
}

function delayOf(results: readonly ReaderResult[]): string {
  const p99 = median(results.map(({ loopP99Ms }) => loopP99Ms));
  const worst = Math.max(...results.map(({ loopMaxMs }) => loopMaxMs));
  return `${p99.toFixed(1)} / ${worst.toFixed(0)} ms`;
}

/**
 * What the bridge adds to a call of the backend that only reads the answer, against the steps that nobody can leave out:
 * those of a server that has the image, and decoding what was read.
 */
async function addedLatency(
  tools: Tools,
  direct: { readonly drop: Reader; readonly decode: Reader },
  login: Backend & { readonly home: string },
  children: ChildProcess[],
): Promise<Row> {
  const { rounds, folder, load } = tools;
  const port = await startProgram(folder, login, children);
  const bodyFile = join(folder, 'request.json');
  const body = JSON.stringify({ prompt: 'a lighthouse', parameters: { size: '1024x1024' } });
  await writeFile(bodyFile, body);
  const file = join(folder, 'image.png');
  await writeFile(file, await imageOf(port, body));
  const floor = await tools.start('floor', { kind: 'image', file });
  const requests = [{ method: 'POST', path: '/v1/images', bodyFile } as const];
  const meanOf = async (of: number) => {
    const result = await load({ port: of, requests, connections: 1, forMs: LOAD_MS });
    return result.elapsedMs / result.completed;
  };
  const added: number[] = [];
  const steps: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const ours = await meanOf(port);
    const read = await eachMs(direct.drop);
    const decoded = await eachMs(direct.decode);
    const answered = await meanOf(floor.port);
    // The first round warms everything up.
    if (round === 0) continue;
    added.push(ours - read);
    steps.push(answered + decoded - read);
  }
  return {
    what: `\`POST /v1/images\` through agent-responses, ${inMegabytes(IMAGE_BYTES)}: added to a call of the backend`,
    ours: inMs(median(added)),
    against: 'base64 of what was read; parse, decode and hash, base64, write',
    theirs: inMs(median(steps)),
    ratio: withRange(added.map((ms, round) => ms / (steps[round] ?? Number.NaN))),
    ...{ cpuRatio: '–', budget: '≤ 1.3', loop: '–' },
  };
}

async function eachMs(reader: Reader): Promise<number> {
  const { elapsedMs } = await reader(ONE_BY_ONE);
  return elapsedMs / ONE_BY_ONE.images;
}

async function imageOf(port: number, body: string): Promise<Buffer> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/images`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  const answer = (await response.json()) as { data: { b64_json: string }[] };
  return Buffer.from(answer.data[0]?.b64_json ?? '', 'base64');
}

/** The program as a user starts it. Resolves with its port. */
async function startProgram(
  folder: string,
  { url, tokenUrl, home }: Backend & { readonly home: string },
  children: ChildProcess[],
): Promise<number> {
  const cwd = join(folder, 'bridge');
  await mkdir(cwd);
  const settings = [
    'server.bind=127.0.0.1:0',
    `providers.agent_responses.endpoint=${url}`,
    `providers.agent_responses.token_endpoint=${tokenUrl}`,
    `providers.agent_responses.home=${home}`,
  ];
  const argv = ['serve', ...settings.flatMap((setting) => ['--set', setting])];
  const child = spawn(process.execPath, [join(DIST, 'bundle/main.js'), ...argv], {
    cwd,
    env: { PATH: process.env['PATH'] ?? '' },
    // Its trace goes nowhere: where it would go is not what is measured.
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  children.push(child);
  let output = '';
  for await (const chunk of child.stdout) {
    output += chunk;
    const found = /listens on http:\/\/\S+:(\d+)/.exec(output)?.[1];
    if (found !== undefined) return Number(found);
  }
  throw new Error('the bridge ended before it listened');
}
