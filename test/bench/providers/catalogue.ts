import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { falModel, falPage } from '../../support/catalogue-replies.ts';
import type { Bench, Tools } from '../measure/bench.ts';
import { inMs, median, withRange } from '../measure/statistics.ts';

const PAGES = 40;
const MODELS = 1500;
// Makes each model about 18 kB long, so that the whole list has 27 MB. The length of real lists is not known.
const PADDING = 'x'.repeat(16_000);
// After this time, the thread that has parsed the list has ended.
const SETTLE_MS = 25_000;

const nameOf = (nth: number) => `fal-ai/model-${nth}`;
const LAST = nameOf(MODELS - 1);

/** The list of a service with 1,500 models: the memory and the pauses of the program that reads the list. */
export const catalogue: Bench = {
  name: 'catalogue',
  async run(tools) {
    const list = await openList();
    const [without, withList] = [[], []] as [Reading[], Reading[]];
    for (let round = 0; round < tools.rounds; round += 1) {
      const reading = await readingOf(tools, list.url);
      withList.push(reading);
      without.push(await readingOf(tools, list.url, reading.requests));
    }
    list.close();
    const added = withList.map(({ mb }, at) => mb - (without[at]?.mb ?? Number.NaN));
    const slowest = (readings: readonly Reading[]) =>
      inMs(median(readings.map((it) => it.slowestMs)));
    return [
      {
        what: `memory that a list of ${MODELS} models adds, ${SETTLE_MS / 1000} s later, MB`,
        ours: withRange(added),
        budget: '< 30',
      },
      {
        what: `slowest \`GET /health/live\` while a list of ${MODELS} models is read`,
        ours: slowest(withList),
        against: 'the same time without a list',
        theirs: slowest(without),
        budget: '–',
      },
    ];
  },
};

interface Reading {
  /** Resident memory of the program some time after the list was read. */
  readonly mb: number;
  readonly slowestMs: number;
  /** Number of requests until the list was read. */
  readonly requests: number;
}

/** Reads the list, or sends the same number of requests to a program that reads no list. */
async function readingOf(
  { startProgram, folder }: Tools,
  url: string,
  requests?: number,
): Promise<Reading> {
  const program = await startProgram({
    command: 'serve',
    folder,
    env: { FAL_KEY: 'a-made-up-key' },
    settings: [
      'providers.task.fal.service=fal',
      `providers.task.fal.base_url=${url}`,
      'providers.task.fal.api_key_env=FAL_KEY',
      `providers.task.fal.models=["${LAST}"]`,
      `providers.task.fal.image_model=${LAST}`,
      `providers.task.fal.catalogue=${requests === undefined ? 'all' : 'off'}`,
      'default_provider=fal',
    ],
  });
  const address = `http://127.0.0.1:${program.port}`;
  const endMs = performance.now() + 60_000;
  let slowestMs = 0;
  let nth = 0;
  for (; ; nth += 1) {
    const startMs = performance.now();
    await (await fetch(`${address}/health/live`)).arrayBuffer();
    // The first requests of a program are slow for other reasons.
    if (nth >= 20) slowestMs = Math.max(slowestMs, performance.now() - startMs);
    const isListed = await hasList(address);
    if (requests === undefined ? isListed : nth === requests) break;
    if (performance.now() > endMs) throw new Error('the list was not read');
  }
  await sleep(SETTLE_MS);
  const { residentMb: mb } = await program.end();
  await program.stop();
  return { mb, slowestMs, requests: nth };
}

/** Resolves with true if the program has described the last model of the list. */
async function hasList(address: string): Promise<boolean> {
  const response = await fetch(`${address}/v1/providers/fal/capabilities`);
  const { sizes } = (await response.json()) as { readonly sizes: { readonly arbitrary: boolean } };
  return sizes.arbitrary;
}

/** Opens a server with fal's list of models that generate. The list of models that edit is empty. */
async function openList() {
  const server = createServer(({ url = '' }, response) => {
    const { searchParams } = new URL(url, 'http://localhost');
    const page = Number(searchParams.get('cursor') ?? 0);
    const isOfEdits = searchParams.get('category') === 'image-to-image';
    const [from, to] = [page, page + 1].map((nth) => Math.round((MODELS * nth) / PAGES));
    const models = Array.from({ length: (to ?? 0) - (from ?? 0) }, (_, at) =>
      falModel(nameOf((from ?? 0) + at), false, PADDING),
    );
    const next = page + 1 < PAGES ? String(page + 1) : null;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(isOfEdits ? falPage([]) : falPage(models, next)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on a TCP port has an address of this form.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
