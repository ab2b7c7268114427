import { createHash, randomInt } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import type { Postgres } from '../../../lib/storage/postgres/connection.ts';
import { query, startPostgres } from '../../support/engines/postgres-server.ts';
import { startStandby } from '../../support/engines/postgres-standby.ts';
import {
  createImagesUpstream,
  type ImagesUpstream,
} from '../../support/images-upstream/images-upstream.ts';
import { HAS_POSTGRES } from '../../support/postgres.ts';
import { findMiscounts } from '../../support/postgres-counts.ts';
import { startPostgresProxy } from '../../support/postgres-proxy.ts';
import {
  cleanUp,
  freshFolder,
  runProgram,
  type StartedBridge,
  startBridge,
} from '../../support/start-bridge.ts';
import { providerSettings } from '../providers/openai-images-rig.ts';
import { startReceiver, webhookSettings } from './webhook-receiver.ts';

// For a long run, set REPLICA_KILLS=100 REPLICA_JOBS=20000 REPLICA_COUNT=4, and let vitest print the progress at once with
// --disableConsoleIntercept=true.
const KILLS = Number(process.env['REPLICA_KILLS'] ?? 3);
const JOBS = Number(process.env['REPLICA_JOBS'] ?? 120);
const REPLICAS = Number(process.env['REPLICA_COUNT'] ?? 3);
const TIMEOUT_MS = 180_000 + KILLS * 20_000 + JOBS * 100;
const LEASE_MS = 5000;
const SENDERS = 4;
// Fewer than the replicas can use, so that they compete.
const SLOTS = 8;
const MAX_CALLS = REPLICAS * 6;
const CALL_MS = 20;
// The provider draws such an image in a few milliseconds, so that it is not the slowest part.
const IMAGE_EDGE = 64;
const IMAGE_BYTES = 5000;
const PRINT_EVERY = 1000;
const FAILOVER_AFTER = Math.floor(KILLS / 2);

afterAll(cleanUp);

interface Order {
  readonly prompt: string;
  readonly n: number;
  readonly key: string;
  /** The id of the job. Undefined until a reply arrives, and if the job is refused. */
  id?: string;
  isRefused?: boolean;
}

interface Client {
  readonly name: string;
  readonly token: string;
  readonly orders: Order[];
}

// biome-ignore lint/suspicious/noExplicitAny: each use knows the shape of the reply that it reads.
type Json = any;

/** Keeps replicas of one state running, and kills them. */
function createReplicas(start: () => Promise<StartedBridge>) {
  const running: StartedBridge[] = [];
  let turn = 0;
  const add = async () => void running.push(await start());
  return {
    /** Returns the address of one replica after the other, as a load balancer does. */
    next(): string {
      turn += 1;
      return running[turn % running.length]?.address ?? '';
    },
    add,
    async killOne(): Promise<void> {
      const [killed] = running.splice(randomInt(running.length), 1);
      await killed?.end('SIGKILL');
      await add();
    },
    endAll: () => Promise.all(running.splice(0).map((bridge) => bridge.end())),
  };
}

type Replicas = ReturnType<typeof createReplicas>;

/** Resolves with a reply of any replica. Repeats a request whose replica was killed or has lost the database. */
async function ask(
  replicas: Replicas,
  { token }: Client,
  target: string,
  request: { readonly body?: object; readonly key?: string } = {},
): Promise<{ readonly status: number; readonly json: Json; readonly sha256: string }> {
  for (;;) {
    try {
      const response = await fetch(replicas.next() + target, {
        ...(request.body ? { method: 'POST', body: JSON.stringify(request.body) } : {}),
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          ...(request.key ? { 'idempotency-key': request.key } : {}),
        },
      });
      const bytes = Buffer.from(await response.arrayBuffer());
      const isJson = response.headers.get('content-type')?.includes('json') ?? false;
      const json: Json = isJson ? JSON.parse(bytes.toString()) : undefined;
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      if (response.status !== 503) return { status: response.status, json, sha256 };
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
    await delay(50);
  }
}

async function sendOrders(replicas: Replicas, client: Client, url: string, count: number) {
  for (let nth = 0; nth < count; nth += 1) {
    const number = client.orders.length;
    const prompt = `order-${number}-of-${client.name}.`;
    const order: Order = { prompt, n: randomInt(1, 3), key: `key ${number}` };
    client.orders.push(order);
    const body = { prompt, parameters: { n: order.n }, webhook: { url } };
    const { status, json } = await ask(replicas, client, '/v1/jobs', { body, key: order.key });
    if (status === 202) order.id = json.id;
    else {
      expect([status, json.error?.code]).toEqual([429, 'rate_limit_exceeded']);
      order.isRefused = true;
    }
  }
}

async function endOf(replicas: Replicas, client: Client, id: string): Promise<Json> {
  for (;;) {
    const { status, json } = await ask(replicas, client, `/v1/jobs/${id}?wait_ms=5000`);
    expect([id, status]).toEqual([id, 200]);
    if (json.completed !== undefined) return json;
  }
}

interface Watch {
  readonly ordering: Promise<unknown>;
  kills(): number;
  readonly signal: AbortSignal;
}

/** Prints the number of ended jobs at each thousand. Resolves when all orders have been sent and no job is open. */
async function watchEnds({ url }: { readonly url: string }, { ordering, kills, signal }: Watch) {
  const COUNT = `
    SELECT queued + running AS open, succeeded + failed + cancelled + interrupted AS ended
    FROM image_bridge.job_total`;
  const startMs = performance.now();
  let isOrdered = false;
  let printed = 0;
  const watch = async () => {
    for (;;) {
      const wasOrdered = isOrdered;
      const [counts] = await query<Record<'open' | 'ended', string>>(url, COUNT).catch(() => []);
      const ended = Number(counts?.ended ?? 0);
      if (ended >= printed + PRINT_EVERY) {
        printed = ended - (ended % PRINT_EVERY);
        const seconds = Math.round((performance.now() - startMs) / 1000);
        console.info(`${ended} of ${JOBS} jobs ended, ${kills()} kills, ${seconds} s`);
      }
      if (wasOrdered && counts?.open === '0') return;
      await delay(500, undefined, { signal });
    }
  };
  const untilOrdered = async () => {
    await ordering;
    isOrdered = true;
  };
  await Promise.all([untilOrdered(), watch()]);
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, number) => all + number, 0);

/** Checks the end of an order and its images against the log of the provider. Resolves with undefined if the order was refused. */
async function checkOrder(
  replicas: Replicas,
  client: Client,
  { order: { id, prompt, n, isRefused }, drawn }: { order: Order; drawn: number },
): Promise<Json> {
  if (id === undefined) {
    expect([prompt, isRefused, drawn]).toEqual([prompt, true, 0]);
    return undefined;
  }
  const job = await endOf(replicas, client, id);
  // A job that ran twice would draw more images than it ordered.
  expect([prompt, drawn <= n]).toEqual([prompt, true]);
  const images = (job.result ?? job.partial_result ?? { data: [] }).data;
  if (job.status === 'succeeded') expect([prompt, images.length]).toEqual([prompt, n]);
  for (const image of images) {
    const { status, sha256 } = await ask(replicas, client, `/v1/artifacts/${image.id}`);
    expect([prompt, image.id, status, sha256]).toEqual([prompt, image.id, 200, image.sha256]);
  }
  return job;
}

/** Checks every order of a client, and the counts of the client. */
async function checkClient(replicas: Replicas, client: Client, upstream: ImagesUpstream) {
  const ends: Json[] = [];
  const left = [...client.orders];
  const check = async () => {
    for (let order = left.pop(); order; order = left.pop()) {
      const drawn = upstream.drawnFor(order.prompt);
      const job = await checkOrder(replicas, client, { order, drawn });
      if (job !== undefined) ends.push(job);
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, check));
  const { json: usage } = await ask(replicas, client, '/v1/usage?days=3');
  const total = (field: string) => sum(usage.items.map((item: Json) => item[field]));
  const [images, unknown] = [total('images'), total('unknown')];
  const sold = sum(client.orders.map(({ prompt }) => upstream.drawnFor(prompt)));
  expect(images).toBeLessThanOrEqual(sold);
  expect(sold).toBeLessThanOrEqual(images + unknown);
  // The charge of earlier days is not shown, so a run over midnight cannot check it.
  if (usage.items.length <= 1) expect(usage.caller.allowance.used).toBe(images + unknown);
  expect(usage.caller.allowance.used).toBeLessThanOrEqual(usage.caller.allowance.images_per_day);
  return { ends, images, unknown, sold, refused: client.orders.length - ends.length };
}

describe.runIf(HAS_POSTGRES)(
  'replicas that are killed while a standby replaces their database',
  () => {
    it(`lose no job, run no job twice and report each end, with ${KILLS} kills`, {
      timeout: TIMEOUT_MS,
    }, async () => {
      const cwd = await freshFolder();
      const primary = await startPostgres();
      const standby = await startStandby(primary);
      const database = await startPostgresProxy(primary.url);
      const receiver = await startReceiver();
      const upstream = await createImagesUpstream({
        ...{ dialect: 'generic', key: 'sk-made-up', keepsBodies: false },
        ...{ imageBytes: IMAGE_BYTES, edge: IMAGE_EDGE },
      });
      upstream.setDefaultBehaviour({ behaviour: 'succeed', delayMs: CALL_MS });
      const hook = webhookSettings(receiver.host);
      const settings = {
        command: 'serve' as const,
        cwd,
        env: { OWN_KEY: upstream.key() ?? '', DATABASE_URL: database.url, ...hook.env },
        set: [
          'server.tokens_file=tokens.toml',
          'state.driver=postgres',
          'state.postgres.max_connections=5',
          `replica.lease_ms=${LEASE_MS}`,
          'artifacts.shared_folder=true',
          `artifacts.root=${join(cwd, 'artifacts')}`,
          'default_provider=remote',
          ...providerSettings('remote', upstream, { max_parallel_outputs: MAX_CALLS }),
          'runtime.circuit_breaker.enabled=false',
          `server.jobs.max_running=${SLOTS}`,
          `server.jobs.max_pending=${JOBS * 2}`,
          `server.jobs.max_retained=${JOBS * 2}`,
          ...hook.set,
        ],
      };
      const addToken = async (name: string, imagesPerDay: number): Promise<Client> => {
        const words = ['tokens', 'add', name, '--images-per-day', String(imagesPerDay)];
        const set = ['--set', 'server.tokens_file=tokens.toml'];
        const { code, stdout, stderr } = await runProgram([...words, ...set], cwd);
        if (code !== 0) throw new Error(stderr);
        return { name, token: stdout.trim(), orders: [] };
      };
      // One of the tokens orders more than its allowance.
      const clients = [await addToken('alice', 1_000_000), await addToken('bob', JOBS / 2)];
      const replicas = createReplicas(() => startBridge(settings));
      await Promise.all(Array.from({ length: REPLICAS }, replicas.add));

      const startMs = performance.now();
      let kills = 0;
      const over = new AbortController();
      const ordering = Promise.all(
        clients.flatMap((client) =>
          Array.from({ length: SENDERS }, () =>
            sendOrders(replicas, client, receiver.url, Math.ceil(JOBS / 2 / SENDERS)),
          ),
        ),
      );
      const killing = async () => {
        for (; kills < KILLS; kills += 1) {
          await delay(randomInt(500, 3000), undefined, over);
          await replicas.killOne();
          if (kills !== FAILOVER_AFTER) continue;
          await primary.crash();
          await standby.promote();
          database.moveTo(standby.url);
        }
      };
      const watching = watchEnds(database, { ordering, kills: () => kills, signal: over.signal });
      await Promise.all([killing(), watching]).finally(() => over.abort());
      const runMs = performance.now() - startMs;

      const figures = [];
      const ends: Json[] = [];
      for (const client of clients) {
        const { ends: own, ...counts } = await checkClient(replicas, client, upstream);
        ends.push(...own);
        figures.push(counts);
      }
      const told = () => new Set(receiver.received.map(({ id }) => id));
      const untold = () => {
        const ids = told();
        return ends.filter(({ id }) => !ids.has(id)).length;
      };
      await expect.poll(untold, { timeout: 60_000, interval: 500 }).toBe(0);
      expect(receiver.refused).toEqual([]);
      const rows = <Row>(sql: string) => query<Row>(database.url, sql);
      const read: Postgres['read'] = (work) => work({ rows });
      expect(await findMiscounts({ schema: 'image_bridge', read })).toEqual([]);
      const lives = ends.map(({ status, error }) =>
        [status, error?.details?.reason ?? error?.code].filter(Boolean).join(' '),
      );
      const counts = Object.fromEntries(
        [...new Set(lives)].map((life) => [life, lives.filter((it) => it === life).length]),
      );
      const repeated = receiver.received.length - told().size;
      console.info(
        `${ends.length} jobs, ${kills} kills, ${Math.round(runMs / 1000)} s, ${repeated} repeated webhooks:`,
        JSON.stringify([counts, ...figures]),
      );
      const exits = await replicas.endAll();
      expect(exits.map(({ code }) => code)).toEqual(exits.map(() => 0));
      await receiver.kill();
      await upstream.close();
      await database.close();
      await Promise.all([primary.stop(), standby.stop()]);
    });
  },
);
