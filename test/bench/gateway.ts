import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { startWithArtifacts } from './images/stored-artifacts.ts';
import type { Bench, Row } from './measure/bench.ts';
import { type Comparison, compare, rateRow } from './measure/compare.ts';
import { inMegabytes, writeImage } from './measure/image.ts';
import { asServer, spawnGateway } from './measure/program.ts';
import type { ServerProcess } from './measure/server-process.ts';
import { inMs, median } from './measure/statistics.ts';

const HELD = 1000;
const SMALL = { method: 'GET', path: '/v1/providers' } as const;

/** A bridge behind the gateway, against the same bridge without it, and the cost of held requests. */
export const gateway: Bench = {
  name: 'gateway',
  async run(tools) {
    const file = join(tools.folder, 'artifact.png');
    const image = await writeImage(file, { width: 1024, height: 1024, noise: 88 });
    const { server: bridge, requests } = await startWithArtifacts(tools, {
      ...{ imageFile: file, name: 'slot', count: 4 },
    });
    const coordination = join(tools.folder, 'target');
    await writeFile(coordination, 'blue');
    const started = await spawnGateway({ folder: tools.folder, coordination, port: bridge.port });
    const before = asServer(started);
    const relay = await tools.start('floor', { kind: 'relay', port: bridge.port });
    const both = (task: object, other = bridge) => {
      const whole = { connections: 1, forMs: 1000, requests: [SMALL], ...task };
      return compare(tools, { server: before, task: whole }, { server: other, task: whole });
    };
    const rows: Row[] = [delayRow(await both({}))];
    for (const connections of [1, 4]) {
      const task = { connections, requests: requests.slice(0, connections) };
      const what = `artifact of ${inMegabytes(image.length)} through the gateway, ${connections} connections`;
      rows.push(
        rateRow(await both(task, relay), {
          ...{ what, against: 'a relay in Node that only copies bytes', budget: 'reported' },
        }),
        rateRow(await both(task), { what, against: 'the bridge directly', budget: 'reported' }),
      );
    }
    await writeFile(coordination, 'hold');
    rows.push(await heldRow(before));
    await Promise.all([before.stop(), relay.stop(), bridge.stop()]);
    return rows;
  },
};

/** Measures the time that the gateway adds to a small request. */
function delayRow({ ours, theirs }: Comparison): Row {
  const [our, their] = [ours, theirs].map((side) => median(side.map(({ p50Ms }) => p50Ms)));
  return {
    what: `\`GET ${SMALL.path}\` through the gateway, 1 connection`,
    ours: `p50 ${inMs(our ?? Number.NaN)}`,
    against: 'the bridge directly',
    theirs: `p50 ${inMs(their ?? Number.NaN)}`,
    ratio: `+ ${inMs((our ?? Number.NaN) - (their ?? Number.NaN))}`,
    budget: '+ < 1 ms',
  };
}

/** Measures the memory of one small held request. */
async function heldRow(server: ServerProcess): Promise<Row> {
  await untilHeld(server, 0);
  const { residentMb: beforeMb } = await server.end();
  const body = JSON.stringify({ prompt: 'a lighthouse at dusk' });
  const head = `POST /v1/images HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`;
  const sockets: Socket[] = [];
  for (let index = 0; index < HELD; index += 1) {
    const socket = connect(server.port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(`${head}\r\n\r\n${body}`);
    sockets.push(socket);
  }
  await untilHeld(server, HELD);
  const { residentMb: afterMb } = await server.end();
  for (const socket of sockets) socket.destroy();
  return {
    what: `${HELD} requests held by the gateway`,
    ours: `${(((afterMb - beforeMb) * 1024) / HELD).toFixed(0)} KiB each`,
    budget: '< 60 KB',
  };
}

async function untilHeld({ port }: ServerProcess, count: number): Promise<void> {
  for (;;) {
    const reply = await fetch(`http://127.0.0.1:${port}/health/gateway`);
    const { target, held } = (await reply.json()) as { target: string; held: number };
    if (target === 'hold' && held === count) return;
  }
}
