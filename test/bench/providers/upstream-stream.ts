import { type ChildProcess, fork } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Bench, Row, Tools } from '../measure/bench.ts';
import { inMegabytes } from '../measure/image.ts';
import { ask, type ServerProcess } from '../measure/server-process.ts';
import { inMs, median, withRange } from '../measure/statistics.ts';
import type { Backend, BackendOptions } from '../programs/backend.ts';
import type { ReaderResult, ReaderTask } from '../programs/stream-meter.ts';
import type { ReaderOptions } from '../programs/stream-reader.ts';

const DIST = fileURLToPath(new URL('../../../', import.meta.url));
const IMAGE_BYTES = 3_000_000;
const AT_ONCE = 64;
const IMAGES = 128;
const ONE_BY_ONE: ReaderTask = { images: 30, atOnce: 1 };
const LOAD_MS = 1500;
const CLIENTS = 16;
const RESIDENT_IMAGES = 300;
// Time for the process to become idle and to collect the garbage of the images.
const IDLE_MS = 5000;
const BODY = JSON.stringify({ prompt: 'a lighthouse', parameters: { size: '1024x1024' } });

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
      const program = () =>
        tools.startProgram({
          command: 'serve',
          folder: tools.folder,
          settings: [
            `providers.agent_responses.endpoint=${backend.url}`,
            `providers.agent_responses.token_endpoint=${backend.tokenUrl}`,
            `providers.agent_responses.home=${home}`,
          ],
        });
      return [
        ...(await manyStreams(tools, await reader('provider'), await reader('decode'))),
        ...(await oneImage(tools, await program(), {
          drop: await reader('drop'),
          decode: await reader('decode'),
        })),
        ...(await residentRows(tools, await program())),
      ];
    } finally {
      for (const child of children) child.kill('SIGKILL');
    }
  },
};

type Reader = (task: ReaderTask) => Promise<ReaderResult>;

async function read(child: ChildProcess, task: ReaderTask): Promise<ReaderResult> {
  const reply = await ask<ReaderResult | { readonly failed: string }>(child, task);
  if ('failed' in reply) throw new Error(reply.failed);
  return reply;
}

function firstMessage<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(message as T));
    child.once('exit', (code) => reject(new Error(`a process of the bench ended with ${code}`)));
  });
}

/** Throughput, event loop delay and memory, against reading and decoding alone. */
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
      budget: '≥ 0.85, p99 < 15 ms',
      loop: `${delayOf(ours)}, against ${delayOf(theirs)}`,
    },
    {
      what: `${what}: most memory of the process`,
      ours: `${peak(ours).toFixed(0)} MB`,
      against: `the images in flight; the loop alone has ${peak(theirs).toFixed(0)} MB`,
      theirs: `${inFlightMb.toFixed(0)} MB`,
      ratio: (peak(ours) / inFlightMb).toFixed(2),
      budget: '< 3',
    },
  ];
}

function delayOf(results: readonly ReaderResult[]): string {
  const p99 = median(results.map(({ loopP99Ms }) => loopP99Ms));
  const worst = Math.max(...results.map(({ loopMaxMs }) => loopMaxMs));
  return `${p99.toFixed(1)} / ${worst.toFixed(0)} ms`;
}

/**
 * One image through the program as a user starts it, against the necessary steps: reading and decoding the stream, then those of
 * a server that has the image. After that, the cost that the program adds to a call of the backend that only reads the reply.
 */
async function oneImage(
  tools: Tools,
  program: ServerProcess,
  direct: { readonly drop: Reader; readonly decode: Reader },
): Promise<Row[]> {
  const { rounds, folder, load } = tools;
  const { port } = program;
  const bodyFile = join(folder, 'request.json');
  await writeFile(bodyFile, BODY);
  const file = join(folder, 'image.png');
  await writeFile(file, await imageOf(port));
  const floor = await tools.start('floor', { kind: 'image', file });
  const requests = [{ method: 'POST', path: '/v1/images', bodyFile } as const];
  const meanOf = async (of: number) => {
    const result = await load({ port: of, requests, connections: 1, forMs: LOAD_MS });
    return result.elapsedMs / result.completed;
  };
  const times = { ours: [] as number[], steps: [] as number[], read: [] as number[] };
  for (let round = 0; round <= rounds; round += 1) {
    const ours = await meanOf(port);
    const read = await eachMs(direct.drop);
    const decoded = await eachMs(direct.decode);
    const served = await meanOf(floor.port);
    // The first round is a warm-up.
    if (round === 0) continue;
    times.ours.push(ours);
    times.read.push(read);
    times.steps.push(served + decoded);
  }
  await floor.stop();
  const what = `\`POST /v1/images\` through agent-responses, ${inMegabytes(IMAGE_BYTES)}`;
  const lessRead = (each: readonly number[]) =>
    each.map((ms, round) => ms - (times.read[round] ?? Number.NaN));
  return [
    timesRow(times.ours, times.steps, {
      what: `${what}, 1 client`,
      against: 'read the stream, base64; parse, decode and hash, base64, write',
      budget: '≤ 1.4',
    }),
    timesRow(lessRead(times.ours), lessRead(times.steps), {
      what: `${what}: added to a call of the backend`,
      against: 'base64 of what was read; parse, decode and hash, base64, write',
      budget: '≤ 1.3',
    }),
  ];
}

function timesRow(
  ours: readonly number[],
  theirs: readonly number[],
  words: Pick<Row, 'what' | 'against' | 'budget'>,
): Row {
  return {
    ...words,
    ours: inMs(median(ours)),
    theirs: inMs(median(theirs)),
    ratio: withRange(ours.map((ms, round) => ms / (theirs[round] ?? Number.NaN))),
  };
}

/** Resident memory after many concurrent images in a fresh program: at once, and after it was idle. */
async function residentRows({ load, folder }: Tools, program: ServerProcess): Promise<Row[]> {
  const bodyFile = join(folder, 'request.json');
  const requests = [{ method: 'POST', path: '/v1/images', bodyFile } as const];
  const task = { port: program.port, requests, connections: CLIENTS, forMs: LOAD_MS };
  let images = 0;
  while (images < RESIDENT_IMAGES) images += (await load(task)).completed;
  const { residentMb: atOnce } = await program.end();
  await delay(IDLE_MS);
  const { residentMb: idle } = await program.end();
  const what = `resident after ${RESIDENT_IMAGES} images of ${inMegabytes(IMAGE_BYTES)} through agent-responses, ${CLIENTS} clients`;
  return [
    { what, ours: `${atOnce.toFixed(0)} MB`, budget: '< 220 MB' },
    {
      what: `${what}, ${IDLE_MS / 1000} s later`,
      ours: `${idle.toFixed(0)} MB`,
      budget: '< 220 MB',
    },
  ];
}

async function eachMs(reader: Reader): Promise<number> {
  const { elapsedMs } = await reader(ONE_BY_ONE);
  return elapsedMs / ONE_BY_ONE.images;
}

async function imageOf(port: number): Promise<Buffer> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/images`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: BODY,
  });
  const reply = (await response.json()) as { data: { b64_json: string }[] };
  return Buffer.from(reply.data[0]?.b64_json ?? '', 'base64');
}
