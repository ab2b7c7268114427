import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { CHECKS } from '../../support/drivers.ts';
import {
  createImagesUpstream,
  type ImagesUpstream,
} from '../../support/images-upstream/images-upstream.ts';
import {
  cleanUp,
  freshFolder,
  runProgram,
  startBridge,
  stateOf,
} from '../../support/start-bridge.ts';
import { providerSettings } from '../providers/openai-images-rig.ts';

// Set LEDGER_KILLS=100 for a long run.
const KILLS = Number(process.env['LEDGER_KILLS'] ?? 4);
const TIMEOUT_MS = 120_000 + KILLS * 30_000;
/**
 * The greatest number of replies after which a life of the process ends. Counted, so that it does not depend on the speed of
 * the machine.
 */
const MAX_REPLIES = 30;
const LONGEST_MOMENT_MS = 200;
const LONGEST_LIFE_MS = 20_000;
/** Longer than the lease of a replica. */
const LEASE_MS = 90_000;
/** The number of concurrent senders for each token. */
const SENDERS = 3;
const SET = ['server.tokens_file=tokens.toml'];
/**
 * The behaviours of the emulator. Most succeed. No image is drawn for a rejected request. An image is drawn before the
 * connection is cut.
 */
const BEHAVIOURS = [
  ...Array.from({ length: 8 }, () => ''),
  '[[fail:status=429]]',
  '[[fail:status=500]]',
  '[[fail:status=400,moderation_blocked]]',
  '[[fail:cut=before-headers]]',
  '[[fail:cut=body]]',
] as const;

afterAll(cleanUp);

/** One request of one token, and the reply that its client received. */
interface Order {
  readonly prompt: string;
  readonly n: number;
  readonly kind: 'synchronous' | 'job';
  readonly isStored: boolean;
  /** Status of the reply. Undefined if no complete reply arrived. */
  status: number | undefined;
  images: number;
  isRetryable: boolean;
}

interface Client {
  readonly name: string;
  readonly token: string;
  readonly orders: Order[];
}

// biome-ignore lint/suspicious/noExplicitAny: each use knows the shape of the reply that it reads.
type Json = any;

async function get(address: string, { token }: Client, target: string): Promise<Json> {
  const response = await fetch(address + target, { headers: { authorization: `Bearer ${token}` } });
  expect(response.status).toBe(200);
  return response.json();
}

function newOrder({ name, orders }: Client): Order & { readonly body: object } {
  const nth = orders.length;
  const n = randomInt(1, 5);
  const behaviour = BEHAVIOURS[randomInt(BEHAVIOURS.length)] ?? '';
  // Each prompt has its own marker because a marker counts its uses.
  const prompt = `order-${nth}-of-${name} ${behaviour}`;
  const kind = randomInt(2) === 0 ? 'job' : 'synchronous';
  const isStored = kind === 'job' || randomInt(2) === 0;
  const providers = randomInt(2) === 0 ? ['wide', 'narrow'] : ['narrow', 'wide'];
  const body = {
    prompt,
    parameters: { n, failure_policy: randomInt(2) === 0 ? 'fail_fast' : 'best_effort' },
    output: { response_format: isStored ? 'artifact' : 'b64_json' },
    routing: {
      provider: providers[0],
      fallbacks: [{ provider: providers[1] }],
      fallback_policy: 'on_error',
    },
  };
  const unheard = { status: undefined, images: 0, isRetryable: false };
  return { prompt, n, kind, isStored, body, ...unheard };
}

/** Sends orders until the connection is lost. */
async function keepOrdering(address: string, client: Client): Promise<void> {
  for (;;) {
    const { body, ...order } = newOrder(client);
    client.orders.push(order);
    try {
      const path = order.kind === 'job' ? '/v1/jobs' : '/v1/images';
      const response = await fetch(address + path, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${client.token}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify(body),
      });
      const json: Json = await response.json();
      order.status = response.status;
      order.images = json.data?.length ?? 0;
      order.isRetryable = json.error?.bridge_ext.retryable ?? false;
      expect(response.headers.get('x-should-retry') ?? 'false').toBe(String(order.isRetryable));
    } catch (error) {
      if (error instanceof TypeError || error instanceof SyntaxError) return;
      throw error;
    }
  }
}

function repliesTo(clients: readonly Client[]): number {
  return sum(
    clients.map(({ orders }) => orders.filter(({ status }) => status !== undefined).length),
  );
}

async function allJobs(address: string, client: Client): Promise<Json[]> {
  const ids: string[] = [];
  let cursor = '';
  do {
    const page = await get(address, client, `/v1/jobs?limit=100${cursor}`);
    ids.push(...page.items.map(({ id }: { id: string }) => id));
    cursor = page.next_cursor ? `&cursor=${encodeURIComponent(page.next_cursor)}` : '';
  } while (cursor !== '');
  const jobs: Json[] = [];
  for (const id of ids) {
    let job: Json;
    do job = await get(address, client, `/v1/jobs/${id}?wait_ms=30000`);
    while (job.completed === undefined);
    jobs.push(job);
  }
  return jobs;
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, number) => all + number, 0);

function totalOf({ items }: Json, field: string): number {
  return sum(items.map((item: Json) => item[field]));
}

/**
 * Resolves with the usage when all requests of ended processes are counted. Another replica counts them only after the lease of
 * the ended process.
 */
async function settledUsage(address: string, client: Client): Promise<Json> {
  const read = () => get(address, client, '/v1/usage?days=3');
  const uncounted = ({ caller, items, ...usage }: Json) => {
    // The charge of earlier days is not shown, so a run over midnight cannot check it.
    if (items.length !== 1) return 0;
    const report = { items, ...usage };
    return caller.allowance.used - totalOf(report, 'images') - totalOf(report, 'unknown');
  };
  await expect.poll(async () => uncounted(await read()), { timeout: LEASE_MS }).toBe(0);
  return read();
}

/** Compares the counts of the bridge for a token with the images that the emulator drew for the token. */
async function checkClient(address: string, client: Client, upstream: ImagesUpstream) {
  const { orders } = client;
  const jobs = await allJobs(address, client);
  const usage = await settledUsage(address, client);
  const [images = 0, unknown = 0, lost = 0] = ['images', 'unknown', 'lost'].map((field) =>
    totalOf(usage, field),
  );
  const soldFor = ({ prompt }: Pick<Order, 'prompt'>) => upstream.drawnFor(prompt);
  const sold = sum(orders.map(soldFor));

  expect(images).toBeLessThanOrEqual(sold);
  expect(sold).toBeLessThanOrEqual(images + unknown);
  for (const order of orders) {
    if (order.isRetryable) expect([order.prompt, soldFor(order)]).toEqual([order.prompt, 0]);
  }
  for (const { request, status, error } of jobs) {
    const isSold = soldFor(request) > 0;
    if (isSold && status !== 'succeeded') expect(error).toMatchObject({ retryable: false });
  }
  const kept = jobs.map(
    ({ result, partial_result: partial }) => (result ?? partial ?? { data: [] }).data.length,
  );
  const replied = orders.map((order) => order.images);
  const delivered = sum([...kept, ...replied]);
  const unheard = orders.filter(
    ({ kind, status }) => kind === 'synchronous' && status === undefined,
  );
  // A program that is killed after a reply may not have recorded the end of the request.
  expect(images - lost + unknown).toBeGreaterThanOrEqual(delivered);
  expect(images - lost).toBeLessThanOrEqual(delivered + sum(unheard.map(soldFor)));
  return { orders: orders.length, sold, images, unknown, lost, delivered, jobs: jobs.length };
}

async function addToken(cwd: string, name: string, imagesPerDay: number): Promise<Client> {
  const words = ['tokens', 'add', name, '--images-per-day', String(imagesPerDay)];
  const { code, stdout, stderr } = await runProgram([...words, '--set', ...SET], cwd);
  if (code !== 0) throw new Error(stderr);
  return { name, token: stdout.trim(), orders: [] };
}

describe('a program that is killed while two tokens order images', () => {
  it(`counts each sold image or reports it as unknown, ${KILLS} times`, {
    timeout: TIMEOUT_MS,
  }, async () => {
    const cwd = await freshFolder();
    const upstream = await createImagesUpstream({ imageBytes: 20_000 });
    upstream.setDefaultBehaviour({ behaviour: 'succeed', delayMs: 30 });
    // One of the tokens orders more than its allowance.
    const clients = [
      await addToken(cwd, 'alice', 1_000_000),
      await addToken(cwd, 'bob', KILLS * 20),
    ];
    const settings = {
      command: 'serve' as const,
      cwd,
      env: { OWN_KEY: upstream.key() ?? '' },
      set: [
        ...SET,
        'default_provider=wide',
        ...providerSettings('wide', upstream, { native_count: 4 }),
        ...providerSettings('narrow', upstream, { native_count: 1 }),
        'runtime.circuit_breaker.enabled=false',
        `server.jobs.max_pending=${KILLS * 1000}`,
        `server.jobs.max_retained=${KILLS * 1000}`,
      ],
    };

    for (let round = 0; round < KILLS; round += 1) {
      const bridge = await startBridge(settings);
      const ordering = clients.flatMap((client) =>
        Array.from({ length: SENDERS }, () => keepOrdering(bridge.address, client)),
      );
      const before = repliesTo(clients);
      const wanted = before + randomInt(MAX_REPLIES);
      const endsMs = performance.now() + LONGEST_LIFE_MS;
      while (repliesTo(clients) < wanted && performance.now() < endsMs) await delay(5);
      await delay(randomInt(LONGEST_MOMENT_MS));
      await bridge.end('SIGKILL');
      await Promise.all(ordering);
    }
    const bridge = await startBridge(settings);
    const figures = [];
    for (const client of clients) {
      figures.push(await checkClient(bridge.address, client, upstream));
    }
    const [{ allowance }] = [(await get(bridge.address, clients[1] as Client, '/v1/usage')).caller];
    expect(allowance.used).toBeLessThanOrEqual(allowance.images_per_day);
    const { code } = await bridge.end();

    expect(code).toBe(0);
    const rows = await stateOf(cwd).query('SELECT name FROM artifact');
    const files = await stateOf(cwd).listArtifacts();
    expect(files.toSorted()).toEqual(rows.map(({ name }) => name).sort());
    for (const command of CHECKS) {
      expect(await runProgram(command, cwd)).toMatchObject({ code: 0 });
    }
    console.info(`kills: ${KILLS}`, ...figures);
    await upstream.close();
  });
});
