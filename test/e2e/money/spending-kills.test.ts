import { randomInt } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { parseAmount, type WireCost } from '../../../lib/contract/reply/cost.ts';
import { createSeeded } from '../../support/seeded.ts';
import { cleanUp, freshFolder, runProgram, startBridge } from '../../support/start-bridge.ts';
import {
  CHARGED_IMAGE,
  DEAREST_IMAGE,
  type PaidServices,
  SERVICES,
  startPaidServices,
} from './paid-services.ts';

// MONEY_KILLS=50 MONEY_CLIENTS=64 is a long run with kills, and MONEY_CALLS=1000 is a long run without kills. MONEY_SEED repeats the
// failures of the services.
const KILLS = Number(process.env['MONEY_KILLS'] ?? 2);
const CLIENTS = Number(process.env['MONEY_CLIENTS'] ?? 6);
const CALLS = Number(process.env['MONEY_CALLS'] ?? 40);
const SEED = Number(process.env['MONEY_SEED'] ?? randomInt(2 ** 31));
const TIMEOUT_MS = 120_000 + KILLS * 30_000 + CALLS * 1000;
const LONGEST_LIFE_MS = 3000;
const MAX_IMAGES = 4;
/** The difference of a priced cost from the charge is at most the charge divided by this number. */
const CLOSENESS = 20n;

/** The options of the tokens. The first is never refused, and the others spend their budgets. */
const TOKENS = [
  ['alice', '--budget-per-day', '100000'],
  ['bob', '--budget-per-day', (0.2 * CLIENTS).toFixed(2), '--unknown-cost', '0.10'],
  ['carol', '--budget-per-month', (0.3 * CLIENTS).toFixed(2)],
] as const;

afterAll(cleanUp);

interface Spender {
  readonly name: string;
  readonly token: string;
  readonly prompts: string[];
  /** The costs in the results of requests and jobs. */
  readonly results: { readonly prompt: string; readonly cost: WireCost }[];
  replies: number;
  refusals: number;
}

// biome-ignore lint/suspicious/noExplicitAny: each use knows the shape of the reply that it reads.
type Json = any;

/** Creates the tokens, the prices file and the settings of a bridge before the four services. */
async function openRig({ losesIds }: { readonly losesIds: boolean }) {
  console.info(`seed: ${SEED}`);
  const seeded = createSeeded(SEED);
  const services = await startPaidServices(seeded, { losesIds });
  const cwd = await freshFolder();
  await writeFile(join(cwd, 'prices.toml'), services.prices);
  const spenders: Spender[] = [];
  for (const words of TOKENS) {
    const token = await addToken(cwd, words);
    spenders.push({ name: words[0], token, prompts: [], results: [], replies: 0, refusals: 0 });
  }
  const operator = await addToken(cwd, ['operator', '--permissions', 'admin,read']);
  const settings = {
    command: 'serve' as const,
    cwd,
    env: services.env,
    set: [
      'server.tokens_file=tokens.toml',
      'runtime.prices_file=prices.toml',
      'default_provider=fal',
      'runtime.circuit_breaker.enabled=false',
      'server.jobs.max_pending=100000',
      'server.jobs.max_retained=100000',
      ...services.settings,
    ],
  };
  return { seeded, losesIds, services, spenders, operator, settings };
}

async function addToken(cwd: string, words: readonly string[]): Promise<string> {
  const tokens = ['--set', 'server.tokens_file=tokens.toml'];
  const { code, stdout, stderr } = await runProgram(['tokens', 'add', ...words, ...tokens], cwd);
  if (code !== 0) throw new Error(stderr);
  return stdout.trim();
}

function newOrder({ name, prompts }: Spender, { seeded, losesIds }: Rig) {
  const prompt = `order ${prompts.length} of ${name}`;
  prompts.push(prompt);
  const [provider, ...others] = SERVICES.map((service) => ({ service, rank: seeded.next(1000) }))
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ service }) => service);
  const isJob = seeded.next(2) === 0;
  const body = {
    prompt,
    parameters: {
      n: 1 + seeded.next(MAX_IMAGES),
      // `fail_fast` aborts the other calls of a request, whose ids then may not arrive.
      failure_policy: losesIds ? seeded.pick(['fail_fast', 'best_effort']) : 'best_effort',
    },
    output: { response_format: isJob ? 'artifact' : 'b64_json' },
    routing: {
      provider,
      fallbacks: others.map((fallback) => ({ provider: fallback })),
      fallback_policy: 'on_error',
    },
  };
  return { path: isJob ? '/v1/jobs' : '/v1/images', body };
}

/** Sends orders until `isEnough`, until the budget is spent, or until the connection is lost. */
async function keepSpending(
  address: string,
  spender: Spender,
  rig: Rig,
  isEnough: () => boolean,
): Promise<void> {
  while (!isEnough()) {
    const { path, body } = newOrder(spender, rig);
    try {
      const response = await fetch(address + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${spender.token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const reply: Json = await response.json();
      spender.replies += 1;
      if (reply.cost) spender.results.push({ prompt: body.prompt, cost: reply.cost });
      expect(reply.error?.code).not.toBe('internal');
      if (reply.error?.bridge_ext?.details?.reason === 'budget') {
        expect(response.status).toBe(429);
        spender.refusals += 1;
        return;
      }
    } catch (error) {
      if (error instanceof TypeError || error instanceof SyntaxError) return;
      throw error;
    }
  }
}

/** Starts all clients, which share the tokens equally. */
function startClients(address: string, rig: Rig, isEnough: () => boolean) {
  const { spenders } = rig;
  return Promise.all(
    Array.from({ length: CLIENTS }, (_, client) => {
      const spender = spenders[client % spenders.length] as Spender;
      return keepSpending(address, spender, rig, isEnough);
    }),
  );
}

type Rig = Awaited<ReturnType<typeof openRig>>;

async function get(address: string, { token }: Spender, path: string): Promise<Json> {
  const response = await fetch(address + path, { headers: { authorization: `Bearer ${token}` } });
  expect(response.status).toBe(200);
  return response.json();
}

async function untilJobsEnd(address: string, spender: Spender): Promise<void> {
  let cursor = '';
  do {
    const page = await get(address, spender, `/v1/jobs?limit=100${cursor}`);
    for (const { id, prompt } of page.items) {
      let job: Json = {};
      while (job.completed === undefined) {
        job = await get(address, spender, `/v1/jobs/${id}?wait_ms=30000`);
      }
      if (job.result?.cost) spender.results.push({ prompt, cost: job.result.cost });
    }
    cursor = page.next_cursor ? `&cursor=${encodeURIComponent(page.next_cursor)}` : '';
  } while (cursor !== '');
}

const amountOf = (text: string | undefined): bigint => parseAmount(text ?? '0') ?? 0n;
const sum = (amounts: readonly bigint[]) => amounts.reduce((all, one) => all + one, 0n);
const dollars = (amount: bigint) => (Number(amount) / 1e10).toFixed(4);

/** Returns the use of a token: its budget, and by service the known costs, the images of unknown cost and the charges. */
async function usageOf(address: string, spender: Spender, services: PaidServices) {
  const { caller, items } = await get(address, spender, '/v1/usage?days=31');
  const days: Json[] = items;
  const rows = SERVICES.map((service) => {
    const own: Json[] = days.flatMap(({ by_provider: by }) => by[service] ?? []);
    const known = sum(own.map(({ cost }) => amountOf(cost.amount ?? cost.known_amount)));
    const unknown = own.reduce((all, { unknown_images: images }) => all + BigInt(images), 0n);
    return { service, known, unknown, charged: services.chargedBy(service, spender.prompts) };
  });
  const { budget } = caller;
  const used = amountOf(budget.used_this_month);
  return { rows, used, limit: amountOf(budget.per_day ?? budget.per_month) };
}

/** Compares the costs of a token with the ledgers of the services. Returns the charges. */
async function checkSpender(address: string, spender: Spender, services: PaidServices) {
  const { rows, used, limit } = await usageOf(address, spender, services);
  const known = sum(rows.map((row) => row.known));
  const charged = sum(rows.map((row) => row.charged));
  const unknown = sum(rows.map((row) => row.unknown));
  const { name, prompts, replies, refusals } = spender;
  const facts = [
    `${name}: ${prompts.length} orders, ${replies} replies, ${refusals} over the budget`,
    `known ${dollars(known)} <= charged ${dollars(charged)} <= used ${dollars(used)} <= ${dollars(limit)}`,
    ...rows.map(
      (row) =>
        `${row.service} ${dollars(row.known)} + ${row.unknown} unknown, charged ${dollars(row.charged)}`,
    ),
  ].join('; ');
  console.info(facts);

  expect(known, facts).toBeLessThanOrEqual(charged);
  expect(charged, facts).toBeLessThanOrEqual(used);
  expect(used, facts).toBeLessThanOrEqual(limit);
  // Every request names all four services, so that the most expensive of them determines the share of an image.
  expect(used - known, facts).toBe(unknown * DEAREST_IMAGE);
  for (const row of rows) {
    // Everything else that a service charges is known exactly.
    expect(row.known, facts).toBeLessThanOrEqual(row.charged);
    expect(row.charged - row.known, facts).toBeLessThanOrEqual(
      row.unknown * CHARGED_IMAGE[row.service],
    );
  }
  return charged;
}

/**
 * Compares the cost of each result with the charges for its request: a reported cost is the charge, and a priced cost differs
 * by at most 5 percent. Returns the number of priced results.
 */
function checkResults({ results }: Spender, services: PaidServices): number {
  for (const { prompt, cost } of results) {
    const known = amountOf(cost.amount ?? cost.known_amount);
    const charged = sum(SERVICES.map((service) => services.chargedBy(service, [prompt])));
    const facts = `${prompt}: ${JSON.stringify(cost)}, charged ${dollars(charged)}`;
    if (cost.basis === 'reported') expect(known, facts).toBe(charged);
    if (cost.basis === 'unknown') expect(known, facts).toBeLessThanOrEqual(charged);
    if (cost.basis !== 'priced') continue;
    const difference = known > charged ? known - charged : charged - known;
    expect(difference, facts).toBeLessThanOrEqual(charged / CLOSENESS);
  }
  return results.filter(({ cost }) => cost.basis === 'priced').length;
}

/** Compares all costs with the ledgers of the services. Returns the number of priced results. */
async function checkAll(address: string, { spenders, services }: Rig): Promise<number> {
  for (const spender of spenders) await untilJobsEnd(address, spender);
  await services.settled();
  let charged = 0n;
  for (const spender of spenders) charged += await checkSpender(address, spender, services);
  expect(charged).toBeGreaterThan(0n);
  expect(services.violations()).toEqual([]);
  const counts = spenders.map((spender) => checkResults(spender, services));
  const priced = counts.reduce((all, one) => all + one, 0);
  const results = spenders.reduce((all, spender) => all + spender.results.length, 0);
  console.info(`${results} results with a cost, ${priced} of them priced`);
  return priced;
}

/** Corrects the costs of the services that say what they have charged, and compares the costs with the ledgers again. */
async function checkReconciled(address: string, rig: Rig): Promise<void> {
  const { spenders, services, operator, settings } = rig;
  for (const service of ['fal', 'openrouter'] as const) {
    const words = ['reconcile', service, '--days', '3', '--json', '--url', address];
    const variables = { IMAGE_BRIDGE_TOKEN: operator };
    const { stdout, stderr } = await runProgram(words, settings.cwd, variables);
    console.info(stdout);
    expect(stderr).toBe('');
    for (const spender of spenders) {
      const { rows, used, limit } = await usageOf(address, spender, services);
      const row = rows.find((one) => one.service === service);
      expect([service, spender.name, row?.known]).toEqual([service, spender.name, row?.charged]);
      expect(used).toBeLessThanOrEqual(limit);
    }
  }
}

describe('a bridge before four services that charge and fail', () => {
  it(`exceeds no budget and accounts for each charge if it is killed, ${KILLS} times`, {
    timeout: TIMEOUT_MS,
  }, async () => {
    const rig = await openRig({ losesIds: true });

    for (let life = 0; life < KILLS; life += 1) {
      const bridge = await startBridge(rig.settings);
      const spending = startClients(bridge.address, rig, () => false);
      await delay(randomInt(LONGEST_LIFE_MS));
      await bridge.end('SIGKILL');
      await spending;
      rig.services.replaceClient();
    }
    const bridge = await startBridge(rig.settings);
    const [, ...limited] = rig.spenders;
    const areSpent = () => limited.every(({ refusals }) => refusals > 0);
    await startClients(bridge.address, rig, areSpent);
    await checkAll(bridge.address, rig);
    expect((await bridge.end()).code).toBe(0);

    console.info(`${KILLS} kills, ${CLIENTS} clients, ${rig.services.calls()} calls`);
    await rig.services.close();
  });

  it(`accounts for each charge of ${CALLS} calls of which a fifth fail, and reconciles them`, {
    timeout: TIMEOUT_MS,
  }, async () => {
    const rig = await openRig({ losesIds: false });
    const bridge = await startBridge(rig.settings);

    await startClients(bridge.address, rig, () => rig.services.calls() >= CALLS);
    expect(await checkAll(bridge.address, rig)).toBeGreaterThan(0);
    await checkReconciled(bridge.address, rig);

    expect(rig.services.calls()).toBeGreaterThanOrEqual(CALLS);
    expect((await bridge.end()).code).toBe(0);
    await rig.services.close();
  });
});
