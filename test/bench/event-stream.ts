import { join } from 'node:path';
import type { Bench, Row, Tools } from './measure/bench.ts';
import { inMegabytes, writeImage } from './measure/image.ts';
import { type OpenStream, openStream } from './measure/open-stream.ts';
import { settling } from './measure/process-use.ts';
import type { ServerProcess } from './measure/server-process.ts';
import { p50AndP99 } from './measure/statistics.ts';

const IDLE_STREAMS = 500;
const WARM_UP_STREAMS = 50;
const NEVER_MS = 3_600_000;
const STREAMS_A_ROUND = 10;

/** `POST /v1/images/stream`: the time to its first byte, the delay of an unfinished image, and the cost of a silent stream. */
export const eventStream: Bench = {
  name: 'event-stream',
  async run(tools) {
    const imageFile = join(tools.folder, 'image.png');
    await writeImage(imageFile, { width: 256, height: 256, noise: 56 });
    const partialFile = join(tools.folder, 'partial.png');
    const partial = await writeImage(partialFile, { width: 620, height: 620, noise: 56 });
    const busy = { folder: tools.folder, imageFile, partialFile, latencyMs: 400 };
    const bridge = await tools.start('bridge', busy);
    const rows = await timeRows(tools, bridge, partial.length);
    await bridge.stop();
    const silent = { folder: join(tools.folder, 'silent'), imageFile, latencyMs: NEVER_MS };
    rows.push(await memoryRow(await tools.start('bridge', silent)));
    return rows;
  },
};

async function timeRows({ rounds }: Tools, { port }: ServerProcess, bytes: number): Promise<Row[]> {
  await watchPartial(port);
  const firsts: number[] = [];
  const ways: number[] = [];
  for (let turn = 0; turn < rounds * STREAMS_A_ROUND; turn += 1) {
    const { firstMs, wayMs } = await watchPartial(port);
    firsts.push(firstMs);
    ways.push(wayMs);
  }
  return [
    {
      what: 'first byte of a stream, the provider takes 400 ms',
      ours: p50AndP99(firsts),
      budget: '< 10 ms',
    },
    {
      what: `an unfinished image of ${inMegabytes(bytes)}, from its arrival to its last byte`,
      ours: p50AndP99(ways),
      budget: '< 30 ms',
    },
  ];
}

async function memoryRow(bridge: ServerProcess): Promise<Row> {
  await openStreams(bridge.port, WARM_UP_STREAMS);
  await settling();
  const { residentMb: before } = await bridge.end();
  await openStreams(bridge.port, IDLE_STREAMS);
  await settling();
  const { residentMb: after } = await bridge.end();
  return {
    what: `resident memory of each of ${IDLE_STREAMS} silent streams`,
    ours: `${(((after - before) * 1024) / IDLE_STREAMS).toFixed(0)} KB`,
    budget: '< 100 KB',
  };
}

/** Opens streams one after the other, as clients do. Each stays open until the bench ends. */
async function openStreams(port: number, count: number): Promise<void> {
  for (let opened = 0; opened < count; opened += 1) {
    const stream = await openImageStream(port, 0);
    await stream.until('"stage":"preparing"');
    stream.socket.unref();
  }
}

async function watchPartial(port: number): Promise<{ firstMs: number; wayMs: number }> {
  const stream = await openImageStream(port, 1);
  const firstMs = (await stream.until('\r\n\r\n')) - stream.sentMs;
  const arrivedMs = await stream.until('"stage":"generating"');
  await stream.until('event: partial_image');
  // The base64 contains no quote and no line break.
  const wayMs = (await stream.until('"}\n\n')) - arrivedMs;
  await stream.until('event: completed');
  stream.socket.destroy();
  return { firstMs, wayMs };
}

function openImageStream(port: number, partials: number): Promise<OpenStream> {
  const body = JSON.stringify({ prompt: 'a lighthouse', parameters: { partial_images: partials } });
  const head = ['POST /v1/images/stream HTTP/1.1', `host: 127.0.0.1:${port}`];
  const rest = ['content-type: application/json', `content-length: ${body.length}`, '', body];
  return openStream(port, [...head, ...rest]);
}
