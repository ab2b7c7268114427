// npm run bench:field -- [--cuts N] [--peer-cuts N] [--requests N] [--only MEASUREMENT]... [--peer PEER]... [--add]: sends the
// same work through the bridge and its peers, and writes `results.json`, `docs/field.md` and the short table of README. `--only`
// and `--peer` make a part of the measurements and keep the other results. With `--add`, cuts are added to those of earlier runs.
// Installs the peers in the folder for temporary files, or in FIELD_FOLDER.
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
import { PEERS, type Peer, type PeerId } from './peers.ts';
import {
  addCuts,
  changeResults,
  type LoadResults,
  type PeerResults,
  readResults,
} from './results.ts';
import { toPage, toShortTable } from './table.ts';

const { values } = parseArgs({
  options: {
    cuts: { type: 'string', default: '200' },
    'peer-cuts': { type: 'string' },
    requests: { type: 'string', default: '256' },
    only: { type: 'string', multiple: true },
    peer: { type: 'string', multiple: true },
    add: { type: 'boolean', default: false },
  },
});

const CLIENTS = [1, 16, 64] as const;
const IMAGE_BYTES = 300_000;
const PAGE = 'docs/field.md';
const README = 'README.md';
const SECTION = /(<!-- field -->\n).*(<!-- \/field -->)/s;

const isChosen = (measurement: string) => values.only?.includes(measurement) ?? true;
const requests = Number(values.requests);
const upstream = await createImagesUpstream({
  imageBytes: IMAGE_BYTES,
  imageVariants: 1,
  keepsBodies: false,
});

const day = () => new Date().toISOString().slice(0, 10);

/** The measurements of one peer, which do not depend on the other work of the machine. */
const MEASUREMENTS: Readonly<
  Record<string, (peer: Peer, cuts: number) => Promise<Partial<PeerResults>>>
> = {
  'upstream-cuts': async (peer, cuts) => ({
    upstreamCuts: await upstreamCuts(upstream, peer, cuts),
  }),
  'client-cuts': async (peer, cuts) => ({ clientCuts: await clientCuts(upstream, peer, cuts) }),
  replies: async (peer) => ({
    replies: {
      wrong: await wrongBytes(upstream, peer),
      mask: await mask(peer),
      hasTransparency: await transparency(peer),
    },
  }),
};

/** Makes the chosen measurements of a peer, and stores each result at once. */
async function measure(id: PeerId, peer: Peer): Promise<void> {
  const { name, version, command } = peer;
  // The bridge must never pay twice, so it may get more cuts than its peers, which may pay twice nearly always.
  const cuts = Number((id === 'bridge' ? undefined : values['peer-cuts']) ?? values.cuts);
  for (const [measurement, run] of Object.entries(MEASUREMENTS)) {
    if (!isChosen(measurement)) continue;
    const found = await run(peer, cuts);
    console.log(`${name} ${version} ${JSON.stringify(found)}`);
    changeResults((results) => {
      const earlier = results.peers[id];
      const sum = values.add ? addCuts(earlier, found) : found;
      const own = { ...earlier, name, version, command, ...sum };
      return { ...results, peers: { ...results.peers, [id]: own } };
    });
  }
}

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

/** Measures the latencies of all peers, one after the other. */
async function measureLatencies(peers: ReadonlyMap<PeerId, Peer>): Promise<void> {
  const before = loadOf();
  const direct = await latencies({
    baseUrl: upstream.baseUrl,
    headers: { authorization: `Bearer ${upstream.key()}` },
  });
  const loads: Partial<Record<PeerId, LoadResults>> = {};
  for (const [id, peer] of peers) {
    loads[id] = { latencies: await latencies(peer), memoryMb: memoryMb(peer.pid) };
  }
  const [processor] = cpus();
  const measured = {
    day: day(),
    machine: `${cpus().length} cores (${processor?.model.trim() || 'unknown'}), Node ${process.version}`,
    loads: [before, loadOf()] as const,
    clients: CLIENTS,
    direct,
    peers: loads,
  };
  changeResults((results) => ({ ...results, latency: measured }));
}

const peers = new Map<PeerId, Peer>();
try {
  for (const [id, start] of PEERS) {
    if (!(values.peer?.includes(id) ?? true)) continue;
    const peer = await start(upstream);
    peers.set(id, peer);
    await measure(id, peer);
  }
  // The latencies of a part of the peers could not be compared with those of the others.
  if (isChosen('latency') && peers.size === PEERS.size) await measureLatencies(peers);
  const results = readResults();
  await writeFile(PAGE, toPage(results));
  const readme = await readFile(README, 'utf8');
  await writeFile(README, readme.replace(SECTION, `$1${toShortTable(results)}\n$2`));
} finally {
  for (const peer of peers.values()) await peer.stop();
  await upstream.close();
  await cleanUp();
}
