import { join } from 'node:path';
import type { Bench, Row, Tools } from '../measure/bench.ts';
import { writeImage } from '../measure/image.ts';
import { type OpenStream, openStream } from '../measure/open-stream.ts';
import { settling } from '../measure/process-use.ts';
import type { ServerProcess } from '../measure/server-process.ts';
import { p50AndP99 } from '../measure/statistics.ts';

const STREAMS_A_TOKEN = 64;
const IDLE_STREAMS = 500;
const WARM_UP_STREAMS = 50;
const CHANGES_A_ROUND = 20;

/** `GET /v1/jobs/events`: the delay until its readers learn of a change, and the cost of a silent stream. */
export const jobEvents: Bench = {
  name: 'job-events',
  async run(tools) {
    const imageFile = join(tools.folder, 'image.png');
    await writeImage(imageFile, { width: 64, height: 64, noise: 8 });
    const bridge = await tools.start('bridge', {
      folder: tools.folder,
      imageFile,
      hasManyTokens: true,
    });
    return [...(await changeRows(tools, bridge)), await memoryRow(bridge)];
  },
};

async function changeRows({ rounds }: Tools, { port }: ServerProcess): Promise<Row[]> {
  const id = await createdJob(port);
  const rows: Row[] = [];
  for (const count of [1, STREAMS_A_TOKEN]) {
    const readers = await openFeeds(port, count, () => 'one');
    const [events, replies]: [number[], number[]] = [[], []];
    for (let change = 0; change < rounds * CHANGES_A_ROUND; change += 1) {
      const sentMs = performance.now();
      const replied = mark(port, id, change % 2 === 0).then(() => performance.now());
      const seen = await Promise.all(
        readers.map((reader) => reader.until(`"favorite":${change % 2 === 0}`)),
      );
      events.push(Math.max(...seen) - sentMs);
      replies.push((await replied) - sentMs);
    }
    for (const { socket } of readers) socket.destroy();
    rows.push({
      what: `a change of a job, from its request to its event at the last of ${count} readers`,
      ours: p50AndP99(events),
      against: 'the reply to that request',
      theirs: p50AndP99(replies),
      budget: '–',
    });
  }
  return rows;
}

async function memoryRow(bridge: ServerProcess): Promise<Row> {
  const ofToken = (nth: number) => `token-${Math.floor(nth / STREAMS_A_TOKEN)}`;
  await openFeeds(bridge.port, WARM_UP_STREAMS, () => 'warm-up');
  await settling();
  const { residentMb: before } = await bridge.end();
  await openFeeds(bridge.port, IDLE_STREAMS, ofToken);
  await settling();
  const { residentMb: after } = await bridge.end();
  return {
    what: `resident memory of each of ${IDLE_STREAMS} silent streams of all jobs`,
    ours: `${(((after - before) * 1024) / IDLE_STREAMS).toFixed(0)} KB`,
    budget: '< 100 KB',
  };
}

/** Opens streams one after the other, as clients do. Each stays open until the bench ends. */
async function openFeeds(port: number, count: number, tokenOf: (nth: number) => string) {
  const streams: OpenStream[] = [];
  for (let nth = 0; nth < count; nth += 1) {
    const head = ['GET /v1/jobs/events HTTP/1.1', `host: 127.0.0.1:${port}`];
    const stream = await openStream(port, [...head, `authorization: ${tokenOf(nth)}`, '', '']);
    await stream.until(': open');
    stream.socket.unref();
    streams.push(stream);
  }
  return streams;
}

async function createdJob(port: number): Promise<string> {
  const created = await send(port, 'POST', '/v1/jobs', { prompt: 'a lighthouse' });
  const { id } = (await created.json()) as { id: string };
  return id;
}

async function mark(port: number, id: string, favorite: boolean): Promise<void> {
  await (await send(port, 'PATCH', `/v1/jobs/${id}`, { favorite })).text();
}

function send(port: number, method: string, path: string, body?: object): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { authorization: 'one', ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
}
