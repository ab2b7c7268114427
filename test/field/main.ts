// npm run bench:field -- [--cuts N] [--requests N]: sends the same work through the bridge and its peers, and writes `docs/field.md` and
// the short table of README. Installs the peers in the folder for temporary files, or in FIELD_FOLDER.
import { readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
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
import { PEERS } from './peers.ts';
import { type Field, type Result, toPage, toShortTable } from './table.ts';

const { values } = parseArgs({
  options: {
    cuts: { type: 'string', default: '200' },
    requests: { type: 'string', default: '256' },
  },
});

const CLIENTS = [1, 16, 64] as const;
const IMAGE_BYTES = 300_000;
const PAGE = 'docs/field.md';
const README = 'README.md';
const SECTION = /(<!-- field -->\n).*(<!-- \/field -->)/s;

const cuts = Number(values.cuts);
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

const direct = await latencies(target);
const results: Result[] = [];
for (const start of PEERS) {
  const peer = await start(upstream);
  console.log(`${peer.name} ${peer.version}`);
  const result: Result = {
    peer,
    latencies: await latencies(peer),
    memoryMb: memoryMb(peer.pid),
    upstreamCuts: await upstreamCuts(upstream, peer, cuts),
    clientCuts: await clientCuts(upstream, peer, cuts),
    wrong: await wrongBytes(upstream, peer),
    mask: await mask(peer),
    hasTransparency: await transparency(peer),
  };
  console.log(JSON.stringify({ ...result, peer: undefined }));
  results.push(result);
  await peer.stop();
}
const [processor] = cpus();
const field: Field = {
  clients: CLIENTS,
  direct,
  cuts,
  results,
  machine: `${cpus().length} cores (${processor?.model.trim() || 'unknown'}), Node ${process.version}`,
  day: new Date().toISOString().slice(0, 10),
};
await writeFile(PAGE, toPage(field));
const readme = await readFile(README, 'utf8');
await writeFile(README, readme.replace(SECTION, `$1${toShortTable(field)}\n$2`));
await upstream.close();
await cleanUp();
