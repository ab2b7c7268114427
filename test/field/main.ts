// npm run bench:field -- [--cuts N] [--peer-cuts N] [--requests N]: sends the same work through the bridge and its peers, and writes
// `docs/field.md` and the short table of README. Installs the peers in the folder for temporary files, or in FIELD_FOLDER.
import { readFile, writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { createImagesUpstream } from '../support/images-upstream/images-upstream.ts';
import { cleanUp } from '../support/start-bridge.ts';
import {
  clientCuts,
  latency,
  mask,
  memoryMb,
  type Target,
  transparency,
  upstreamCuts,
  wrongBytes,
} from './measures.ts';
import { PEERS, type Peer } from './peers.ts';
import { type Field, type Result, toPage, toShortTable } from './table.ts';

const { values } = parseArgs({
  options: {
    cuts: { type: 'string', default: '200' },
    'peer-cuts': { type: 'string' },
    requests: { type: 'string', default: '256' },
  },
});

const CLIENTS = [1, 16, 64] as const;
const IMAGE_BYTES = 300_000;
const PAGE = 'docs/field.md';
const README = 'README.md';
const SECTION = /(<!-- field -->\n).*(<!-- \/field -->)/s;

/** The bridge must never pay twice, so it may get more cuts than its peers, which may pay twice nearly always. */
const cutsOf = (nth: number) =>
  Number((nth === 0 ? undefined : values['peer-cuts']) ?? values.cuts);
const requests = Number(values.requests);
const upstream = await createImagesUpstream({
  imageBytes: IMAGE_BYTES,
  imageVariants: 1,
  keepsBodies: false,
});
const target = {
  baseUrl: upstream.baseUrl,
  headers: { authorization: `Bearer ${upstream.key()}` },
};

/** Measures the latency for each number of clients, after a warm-up that also draws the images. */
async function latencies(of: Target) {
  await latency(of, 4, 64);
  const all = [];
  for (const clients of CLIENTS) {
    all.push(await latency(of, clients, clients === 1 ? requests / 4 : requests));
  }
  return all;
}

/** Returns the load average of the last minute. */
function loadOf(): number {
  const [lastMinute = Number.NaN] = loadavg();
  return lastMinute;
}

/** Measures everything that does not depend on the other work of the machine. Latencies do, and are measured together. */
async function measureCuts(peer: Peer, cuts: number) {
  console.log(`${peer.name} ${peer.version}`);
  const measured = {
    upstreamCuts: await upstreamCuts(upstream, peer, cuts),
    clientCuts: await clientCuts(upstream, peer, cuts),
    wrong: await wrongBytes(upstream, peer),
    mask: await mask(peer),
    hasTransparency: await transparency(peer),
  };
  console.log(JSON.stringify(measured));
  return { peer, ...measured };
}

const peers: Peer[] = [];
for (const start of PEERS) peers.push(await start(upstream));
const measured = [];
for (const [nth, peer] of peers.entries()) measured.push(await measureCuts(peer, cutsOf(nth)));
const loadBefore = loadOf();
const direct = await latencies(target);
const results: Result[] = [];
for (const found of measured) {
  const { peer } = found;
  results.push({ ...found, latencies: await latencies(peer), memoryMb: memoryMb(peer.pid) });
}
for (const peer of peers) await peer.stop();
const [processor] = cpus();
const field: Field = {
  clients: CLIENTS,
  direct,
  results,
  machine: `${cpus().length} cores (${processor?.model.trim() || 'unknown'}), Node ${process.version}`,
  loads: [loadBefore, loadOf()],
  day: new Date().toISOString().slice(0, 10),
};
await writeFile(PAGE, toPage(field));
const readme = await readFile(README, 'utf8');
await writeFile(README, readme.replace(SECTION, `$1${toShortTable(field)}\n$2`));
await upstream.close();
await cleanUp();
