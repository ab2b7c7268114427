import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { type MoneyCase, moneyCases } from './money-case.ts';
import { disagreements } from './money-model.ts';
import { type MoneyWorld, openMoneyWorld } from './money-world.ts';
import { newRun, type Run, runCase } from './run-case.ts';

// Set LEDGER_CASES=20000 for a long run. To repeat a failure, set LEDGER_SEED=… and LEDGER_PATH=….
const CASES = Number(process.env['LEDGER_CASES'] ?? 200);
const SEED = Number(process.env['LEDGER_SEED'] ?? 24);
const PATH = process.env['LEDGER_PATH'];
/** Keeps the first counterexample without shrinking, which is faster. */
const IS_QUICK = process.env['LEDGER_SHRINK'] === 'no';
/** The number of cases after which a new database is used, because a growing database makes each case slower. */
const CASES_A_WORLD = 1000;
const LONGEST_MS = 60_000 + CASES * 500;
/** The time to wait for a delayed write or for a file that is still being removed. */
const SETTLES_WITHIN_MS = 3000;

let world: MoneyWorld | undefined;
let tokens = 0;
const seen = {
  sold: 0,
  synchronous: 0,
  job: 0,
  interrupted: 0,
  fallbacks: 0,
  refused: 0,
  partial: 0,
};

afterAll(() => world?.close());

/** Rejects with the disagreements between the bridge and the providers, and with all events before. */
async function expectAgreement(plan: MoneyCase): Promise<void> {
  if (tokens % CASES_A_WORLD === 0) {
    await world?.close();
    world = undefined;
  }
  world ??= await openMoneyWorld();
  tokens += 1;
  const token = `token-${tokens}`;
  const run = newRun(token, plan);
  try {
    await runCase(world, run);
    const endsMs = performance.now() + SETTLES_WITHIN_MS;
    await world.sweep();
    for (;;) {
      const found = await disagreements(world, run);
      if (found.length === 0) break;
      if (performance.now() > endsMs) throw new Error(found.join('\n'));
      await world.tick();
    }
    note(run);
    world.removeToken(token);
  } catch (error) {
    // The remains of the case must not reach the next case.
    const broken = world;
    world = undefined;
    await broken.close().catch(() => {});
    const text = error instanceof Error ? error.message : String(error);
    throw new Error([text, ...story(run)].join('\n'), { cause: error });
  }
}

function story(run: Run): readonly string[] {
  const sales = run.observed.flatMap((one) => [
    `${one.name}: ${JSON.stringify(one.reply?.status)} ${JSON.stringify(one.job?.status)} ${JSON.stringify(
      one.job?.error ?? one.reply?.json?.error ?? null,
    )}`,
    ...one.sales.map((sale) => `  ${JSON.stringify(sale)}`),
  ]);
  return ['--- what was sold', ...sales, '--- what happened', ...run.trace];
}

function note({ observed, faults }: Run): void {
  for (const { plan, sales, reply, job } of observed) {
    seen[plan.kind] += 1;
    seen.sold += sales.reduce((all, { sold }) => all + sold, 0);
    if (new Set(sales.map(({ route }) => route)).size > 1) seen.fallbacks += 1;
    if (reply?.status === 429) seen.refused += 1;
    if (job?.partial_result) seen.partial += 1;
  }
  if (faults.has('lost') || faults.has('unheard') || faults.has('stop')) seen.interrupted += 1;
}

describe('the ledger', () => {
  it(
    `agrees with the records of the providers after any faults, ${CASES} times`,
    async () => {
      const startedMs = performance.now();
      await fc.assert(fc.asyncProperty(moneyCases, expectAgreement), {
        numRuns: CASES,
        seed: SEED,
        endOnFailure: IS_QUICK,
        // Stops before the test itself times out, so that a counterexample is still reported.
        interruptAfterTimeLimit: LONGEST_MS,
        markInterruptAsFailure: true,
        ...(PATH === undefined ? {} : { path: PATH }),
      });
      const tookMs = Math.round(performance.now() - startedMs);
      if (CASES > 200) console.info({ cases: CASES, seed: SEED, tookMs, ...seen });
      // A property test that never generates one of these cases proves nothing about it.
      if (PATH === undefined) expect(Math.min(...Object.values(seen))).toBeGreaterThan(0);
    },
    LONGEST_MS + 60_000,
  );
});
