import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DEFAULT_PERMISSIONS } from '../../lib/contract/request/caller.ts';
import { NO_COUNTS } from '../../lib/generation/ledger/ledger-store-port.ts';
import { createAccess } from '../../lib/http/access.ts';
import { systemClock as clock } from '../../lib/platform/clock.ts';
import { createIds } from '../../lib/platform/ids.ts';
import { openStateDatabase } from '../../lib/storage/sqlite/database.ts';
import { createJobStore } from '../../lib/storage/sqlite/jobs/job-store.ts';
import { createLedgerStore } from '../../lib/storage/sqlite/ledger-store.ts';
import { createUsageStore } from '../../lib/storage/sqlite/usage-store.ts';
import { NO_TOKENS, type Token } from '../../lib/tokens/token.ts';
import { openTokenFile } from '../../lib/tokens/token-file.ts';
import { toTokensText } from '../../lib/tokens/tokens-text.ts';
import { createUsage } from '../../lib/usage/usage.ts';
import { newJob, WIDE } from '../support/jobs.ts';
import type { Bench, Row } from './measure/bench.ts';
import { median } from './measure/statistics.ts';

const TOKENS = 500;
const CALLERS = 64;
const REQUESTS_A_ROUND = CALLERS * 100;
const CHECKS_A_ROUND = 50_000;
// An allowance that a bench never uses up.
const ALLOWANCE = 1e9;
// The token file must not be new: the bridge reads a new file again for each request, to notice a change within the time
// stamp's resolution.
const SETTLED_MS = 200;

/** The cost of a request in microseconds, in elapsed time and in CPU time. */
interface Cost {
  readonly us: number;
  readonly cpuUs: number;
}

const MADE = { ...NO_COUNTS, provider: 'sandbox', images: 1 };

const log = {
  failure: (error: unknown) => {
    throw error;
  },
};

/**
 * The cost that named tokens and allowances add to a request: the check of the caller, and the reservations and counts of the
 * store.
 */
export const allowance: Bench = {
  name: 'allowance',
  async run({ rounds, folder }) {
    const ids = createIds(clock.nowMs);
    const database = openStateDatabase({ file: join(folder, 'bridge.sqlite'), ids });
    const ledger = createLedgerStore(database);
    const deps = { clock, ids, log, tokens: NO_TOKENS };
    const usage = createUsage({ store: createUsageStore(database), ledger, ...deps });
    const { submit } = createJobStore(database);

    const request = (imagesPerDay?: number) =>
      ofRequests(async (nth) => {
        const account = usage.accountFor({ id: nameOf(nth), imagesPerDay });
        await account.reserve(1);
        await account.open({ call: 0, provider: 'sandbox', indices: [0] });
        account.close({ renewals: 0, counts: [MADE] });
      });
    const job = (imagesPerDay?: number) =>
      ofRequests((nth) => {
        const reservation = usage.reservationOf({ id: nameOf(nth), imagesPerDay }, 1);
        return submit(newJob(), { ...WIDE, reservation });
      });
    const against = 'without an allowance';
    const rows = [
      await row(
        {
          what: `who calls, of ${TOKENS} named tokens, and whether it may`,
          against: 'no token is required',
        },
        rounds,
        await openChecks(folder),
      ),
      await row({ what: `an image and its allowance, ${CALLERS} callers`, against }, rounds, {
        ours: request(ALLOWANCE),
        theirs: request(),
      }),
      await row({ what: `a job and its allowance, ${CALLERS} callers`, against }, rounds, {
        ours: job(ALLOWANCE),
        theirs: job(),
      }),
    ];
    await usage.close();
    await database.close();
    return rows;
  },
};

const nameOf = (nth: number) => `token-${nth % TOKENS}`;

/** Creates two checks that the nth caller may generate images: with a token of the file, and without tokens. */
async function openChecks(folder: string) {
  const tokens = Array.from({ length: TOKENS }, (_, nth): Token => {
    const name = nameOf(nth);
    const sha256 = createHash('sha256').update(`ib_${name}`).digest('hex');
    const permissions = DEFAULT_PERMISSIONS;
    const named = { id: name, name, sha256, scope: name };
    return { ...named, permissions, imagesPerDay: ALLOWANCE, disabled: false };
  });
  const path = join(folder, 'tokens.toml');
  await writeFile(path, toTokensText(tokens), { mode: 0o600 });
  await delay(SETTLED_MS);
  const file = openTokenFile({ path, clock, log });
  const named = createAccess({ bearer: undefined, named: file, hosts: [] });
  const open = createAccess({ bearer: undefined, hosts: [] });
  const mayMake = ({ authenticate }: typeof named) =>
    ofChecks((nth) => {
      const caller = authenticate(`Bearer ib_${nameOf(nth)}`);
      if (!caller?.permissions.includes('images')) throw new Error('it may not make images');
    });
  return { ours: mayMake(named), theirs: mayMake(open) };
}

type Measure = () => Promise<Cost>;

async function row(
  names: Pick<Row, 'what' | 'against'>,
  rounds: number,
  sides: { readonly ours: Measure; readonly theirs: Measure },
): Promise<Row> {
  const costs = { ours: [] as Cost[], theirs: [] as Cost[] };
  for (let round = -1; round < rounds; round += 1) {
    for (const side of ['ours', 'theirs'] as const) {
      const cost = await sides[side]();
      // The first round is a warm-up.
      if (round >= 0) costs[side].push(cost);
    }
  }
  return {
    ...names,
    ours: inUs(costs.ours),
    theirs: inUs(costs.theirs),
    budget: '< 20 µs of CPU time more',
  };
}

/** Returns the time of each of many checks, one after the other. */
const ofChecks = (check: (nth: number) => void): Measure => {
  return () =>
    costOf(CHECKS_A_ROUND, async () => {
      for (let nth = 0; nth < CHECKS_A_ROUND; nth += 1) check(nth);
    });
};

/** Returns the time of each of many requests. Each caller sends the next request after the reply to the previous one. */
const ofRequests = (request: (nth: number) => Promise<unknown>): Measure => {
  return () =>
    costOf(REQUESTS_A_ROUND, async () => {
      let next = 0;
      const caller = async () => {
        while (next < REQUESTS_A_ROUND) {
          next += 1;
          await request(next);
        }
      };
      await Promise.all(Array.from({ length: CALLERS }, caller));
    });
};

async function costOf(times: number, work: () => Promise<unknown>): Promise<Cost> {
  const startMs = performance.now();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  const us = ((performance.now() - startMs) * 1000) / times;
  return { us, cpuUs: (user + system) / times };
}

function inUs(costs: readonly Cost[]): string {
  const us = median(costs.map((cost) => cost.us));
  const cpuUs = median(costs.map((cost) => cost.cpuUs));
  return `${us.toFixed(1)} µs, ${cpuUs.toFixed(1)} µs of CPU time`;
}
