import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createIds } from '../../../lib/platform/ids.ts';
import { toRequestBody } from '../../../lib/providers/agent-responses/request-body.ts';
import { createJsonBodies } from '../../../lib/providers/http/json-body.ts';
import { slices } from '../../support/slices.ts';
import type { Bench, Row } from '../measure/bench.ts';
import { type Comparison, compare } from '../measure/compare.ts';
import { inMegabytes } from '../measure/image.ts';
import { inMs, median, perSecond, withRange } from '../measure/statistics.ts';
import type { Backend, BackendOptions } from '../programs/backend.ts';
import type { FloorOptions } from '../programs/floor.ts';
import { IMAGE_REQUEST } from '../programs/image-request.ts';

const IMAGE_BYTES = 2_900_000;
const BODY = { prompt: 'a lighthouse at dusk', parameters: { size: '1024x1024' } };
const CLIENTS = [1, 4, 16];
const FOR_MS = 3000;
const IDLE_MS = 5000;

/**
 * An image through everything: the CPU time that the program uses for one image of a backend that replies at once, against the
 * CPU time of a plain Node server that takes only the irreducible steps with the same reply of the same backend.
 */
export const imageCost: Bench = {
  name: 'image-cost',
  async run(tools) {
    const { folder } = tools;
    const wanted: BackendOptions = { home: folder, imageBytes: IMAGE_BYTES };
    const program = fileURLToPath(new URL('../programs/backend.js', import.meta.url));
    const child: ChildProcess = fork(program, [JSON.stringify(wanted)]);
    try {
      const [backend]: Backend[] = await once(child, 'message');
      if (!backend) throw new Error('the emulator of the backend did not start');
      const bodyFile = join(folder, 'request.json');
      await writeFile(bodyFile, JSON.stringify(BODY));
      const bridge = await tools.startProgram({
        command: 'serve',
        folder,
        settings: [
          `providers.agent_responses.endpoint=${backend.url}`,
          `providers.agent_responses.token_endpoint=${backend.tokenUrl}`,
          `providers.agent_responses.home=${folder}`,
        ],
      });
      const floor = await tools.start('floor', await stepsFor(backend, folder));
      const rows: Row[] = [];
      const requests = [{ method: 'POST', path: '/v1/images', bodyFile } as const];
      for (const connections of CLIENTS) {
        const task = { requests, connections, forMs: FOR_MS };
        const comparison = await compare(tools, { server: bridge, task }, { server: floor, task });
        rows.push(...costRows(comparison, connections));
      }
      const { residentMb: loaded } = await bridge.end();
      await delay(IDLE_MS);
      const { residentMb: idle } = await bridge.end();
      const what = 'resident after these images';
      rows.push(
        { what, ours: `${loaded.toFixed(0)} MB`, budget: '< 260 MB' },
        {
          what: `${what}, ${IDLE_MS / 1000} s later`,
          ours: `${idle.toFixed(0)} MB`,
          budget: '< 200 MB',
        },
      );
      return rows;
    } finally {
      child.kill('SIGKILL');
    }
  },
};

/** Returns the options of the server that sends the request of the provider and takes only the irreducible steps. */
async function stepsFor({ url }: Backend, home: string): Promise<FloorOptions> {
  const { tokens } = JSON.parse(await readFile(join(home, 'auth.json'), 'utf8'));
  const toJsonBody = createJsonBodies({ ids: createIds(Date.now), slices });
  const sent = toRequestBody(IMAGE_REQUEST, 'gpt-5.5', toJsonBody);
  return {
    kind: 'fetched-image',
    url,
    headers: {
      authorization: `Bearer ${tokens.access_token}`,
      'chatgpt-account-id': tokens.account_id,
      originator: 'image-bridge',
      accept: 'text/event-stream',
    },
    body: (await buffer(sent.chunks(new AbortController().signal))).toString(),
    member: 'result',
  };
}

function costRows({ ours, theirs }: Comparison, connections: number): readonly Row[] {
  const ratioOf = (of: (round: (typeof ours)[number]) => number) =>
    withRange(
      ours.flatMap((round, at) => {
        const other = theirs[at];
        return other ? [of(round) / of(other)] : [];
      }),
    );
  const cpu = (rounds: typeof ours) => inMs(median(rounds.map(({ cpuEachMs }) => cpuEachMs)));
  const rate = (rounds: typeof ours) => perSecond(median(rounds.map((it) => it.perSecond)));
  const clients = connections === 1 ? '1 client' : `${connections} clients`;
  const image = `an image of ${inMegabytes(IMAGE_BYTES)} through everything, ${clients}`;
  const against = 'send, read, base64; decode and hash, base64, write';
  return [
    {
      what: `${image}, CPU of the process`,
      ours: cpu(ours),
      against,
      theirs: cpu(theirs),
      ratio: ratioOf(({ cpuEachMs }) => cpuEachMs),
      budget: '≤ 1.35',
    },
    {
      what: image,
      ours: rate(ours),
      against,
      theirs: rate(theirs),
      ratio: ratioOf((it) => it.perSecond),
      budget: connections === 16 ? '≥ 0.65' : 'reported',
    },
  ];
}
