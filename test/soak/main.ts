// npm run soak -- [--minutes N] [--seed N] [--clients N] [--plot FILE]: mixed traffic of three tokens over all providers against the
// started program, while the emulators of the services fail at random. Exits with 1 if a promise was broken.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { PERMISSIONS } from '../../lib/contract/request/caller.ts';
import type { UsageReport } from '../../lib/contract/resources/usage.ts';
import { createSeeded } from '../support/seeded.ts';
import { cleanUp, freshFolder, runProgram, startBridge } from '../support/start-bridge.ts';
import { plot } from './plot.ts';
import { createSampler, type Sample } from './samples.ts';
import { type Services, startServices } from './services.ts';
import { createTraffic } from './traffic.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    seed: { type: 'string', default: '1' },
    clients: { type: 'string', default: '6' },
    plot: { type: 'string', default: 'test-results/soak.svg' },
  },
});

const SAMPLE_MS = 5000;
/** The share of requests that may find their idle connection closed. */
const MAX_CUTS = 0.001;
const DRAIN_MS = 300_000;
const TOKENS = 'server.tokens_file=tokens.toml';
const NAMES = ['alice', 'bob', 'carol'];
const LOOP_REPORT = fileURLToPath(new URL('loop-report.ts', import.meta.url));

type Client = Awaited<ReturnType<typeof createTraffic>>;

async function addToken(cwd: string, name: string): Promise<string> {
  const words = ['tokens', 'add', name, '--permissions', PERMISSIONS.join(), '--set', TOKENS];
  const { stdout, stderr, code } = await runProgram(words, cwd);
  if (code !== 0) throw new Error(stderr);
  return stdout.trim();
}

/** Waits until no job is queued or running and each ended job was reported. */
async function drain(clients: readonly Client[], services: Services): Promise<string[]> {
  const accepted = clients.reduce((sum, { traffic }) => sum + traffic.accepted, 0);
  for (const endMs = performance.now() + DRAIN_MS; performance.now() < endMs; await delay(500)) {
    const { json } = (await clients[0]?.client.get('/v1/queue')) ?? {};
    const reported = new Set(services.receiver.received.map(({ id }) => id)).size;
    if (json.queued + json.running === 0 && reported >= accepted) return [];
  }
  const reported = new Set(services.receiver.received.map(({ id }) => id)).size;
  return [`${reported} ends were reported, but ${accepted} jobs were accepted`];
}

/** Compares the counts of the bridge with those of the clients and of the services. */
async function compareCounts(clients: readonly Client[], services: Services): Promise<string[]> {
  const found: string[] = [];
  const counted: Record<string, { images: number; unknown: number }> = {};
  const byToken = new Map<Client['client'], number>();
  for (const { client } of clients) {
    const { json } = await client.get('/v1/usage');
    const { items } = json as UsageReport;
    byToken.set(
      client,
      items.reduce((sum, { images }) => sum + images, 0),
    );
    for (const [provider, count] of items.flatMap((day) => Object.entries(day.by_provider))) {
      const sum = counted[provider] ?? { images: 0, unknown: 0 };
      counted[provider] = {
        images: sum.images + count.images,
        unknown: sum.unknown + count.unknown,
      };
    }
  }
  const received = clients.reduce((sum, { traffic }) => sum + traffic.received, 0);
  const images = [...byToken.values()].reduce((sum, count) => sum + count, 0);
  if (received > images) found.push(`${received} images were received, but ${images} counted`);
  const sold = {
    own: services.images.bills.reduce((sum, bill) => sum + bill.images, 0),
    flux: services.tasks.ledger().filter(({ charge }) => charge > 0n).length,
  };
  for (const [provider, count] of Object.entries(sold)) {
    const { images: made, unknown } = counted[provider] ?? { images: 0, unknown: 0 };
    console.log(`${provider}: ${count} sold, ${made} counted as made, ${unknown} as unknown`);
    if (count > made + unknown) found.push(`${provider}: ${count} images sold, but not counted`);
  }
  console.log(`${images} images counted, ${received} received`);
  return [...found, ...services.receiver.refused.map((reason) => `a webhook: ${reason}`)];
}

const seeded = createSeeded(Number(values.seed));
const services = await startServices(seeded);
const cwd = await freshFolder();
const tokens: string[] = [];
for (const name of NAMES) tokens.push(await addToken(cwd, name));
const loopFile = join(await freshFolder(), 'loop');
await writeFile(loopFile, '0');
const bridge = await startBridge({
  cwd,
  set: [
    TOKENS,
    'server.mcp.enabled=true',
    'server.metrics.enabled=true',
    'server.jobs.retention_secs=120',
    'artifacts.retention.max_age_secs=120',
    'providers.sandbox.latency_ms=50',
    ...services.set,
  ],
  env: { ...services.env, NODE_OPTIONS: `--import=${LOOP_REPORT}`, LOOP_REPORT: loopFile },
});
const clients = await Promise.all(
  tokens.map((token) => createTraffic({ bridge, token, seeded, services })),
);
const takeLatencies = () => clients.flatMap(({ traffic }) => traffic.latenciesMs.splice(0));
const sample = createSampler(bridge, loopFile, takeLatencies);
const samples: Sample[] = [];
const stop = new AbortController();
const running = clients.flatMap((client) =>
  Array.from({ length: Number(values.clients) / clients.length }, () => client.run(stop.signal)),
);
const endMs = performance.now() + Number(values.minutes) * 60_000;
while (performance.now() < endMs && bridge.child.exitCode === null) {
  await delay(SAMPLE_MS);
  samples.push(sample());
}
stop.abort();
await Promise.all(running);
const cuts = clients.flatMap(({ traffic }) => traffic.cuts);
const violations = [
  ...clients.flatMap(({ traffic }) => traffic.violations),
  ...(await drain(clients, services)),
  ...(await compareCounts(clients, services)),
];
const replies = new Map<string, number>();
for (const [key, count] of clients.flatMap(({ traffic }) => [...traffic.counts])) {
  replies.set(key, (replies.get(key) ?? 0) + count);
}
for (const [key, count] of [...replies].toSorted()) console.log(`${count}\t${key}`);
const total = [...replies.values()].reduce((sum, count) => sum + count, 0);
if (cuts.length > total * MAX_CUTS) violations.push(`${cuts.length} connections broke: ${cuts[0]}`);
await mkdir(dirname(values.plot), { recursive: true });
await writeFile(
  values.plot,
  plot(
    `npm run soak -- --minutes ${values.minutes} --seed ${values.seed}: ${total} requests`,
    samples,
  ),
);
console.log(violations.slice(0, 20).join('\n'));
console.log(
  `${total} requests, ${cuts.length} broken connections, ${violations.length} violations; plot: ${values.plot}`,
);
const { code } = await bridge.end();
if (code !== 0) console.log(`the program ended with ${code}`);
await services.close();
await cleanUp();
process.exitCode = violations.length === 0 && code === 0 ? 0 : 1;
