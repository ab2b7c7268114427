import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NO_COST, toWireCost } from '../../../lib/contract/reply/cost.ts';
import { type Caller, unnamedCaller } from '../../../lib/contract/request/caller.ts';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import type {
  LedgerStore,
  ProviderCounts,
} from '../../../lib/generation/ledger/ledger-store-port.ts';
import { createTraceLog } from '../../../lib/log/trace-log.ts';
import { createIds } from '../../../lib/platform/ids.ts';
import { createUsage, type Usage } from '../../../lib/usage/usage.ts';
import { createManualClock, type ManualClock } from '../../support/manual-clock.ts';
import { openTestStores, type TestStores } from '../../support/stores.ts';

const HOUR_MS = 3_600_000;
const ALICE = { ...unnamedCaller('s'), id: 'alice', imagesPerDay: 10 };
const FREE = { ...unnamedCaller('s'), id: 'free' };
const CALL = { call: 0, provider: 'sandbox', indices: [0, 1, 2] };
const MADE: ProviderCounts = {
  provider: 'sandbox',
  images: 2,
  lost: 1,
  unknown: 0,
  failed: 1,
  tokens: 50,
  cost: NO_COST,
  unpriced: 0,
};

let stores: TestStores;
let clock: ManualClock;
let usage: Usage;
let lines: string[];
/** The number of the next closings that the store refuses. */
let refusals: number;

beforeEach(async () => {
  clock = createManualClock();
  lines = [];
  refusals = 0;
  const ids = createIds(clock.nowMs);
  stores = await openTestStores({ clock, ids });
  const log = createTraceLog((line) => lines.push(line));
  const ledger = refusing(stores.ledger);
  usage = createUsage({ store: stores.usage, ledger, clock, ids, log });
});
afterEach(() => stores.close());

function refusing(store: LedgerStore): LedgerStore {
  return {
    ...store,
    async close(...given) {
      refusals -= 1;
      if (refusals >= 0) throw new BridgeError('overloaded', 'the state database is full');
      await store.close(...given);
    },
  };
}

/** Runs one request for three images that was sent, with this end. */
async function request(caller: Caller = ALICE, ended: readonly ProviderCounts[] = [MADE]) {
  const account = usage.accountFor(caller);
  await account.reserve(3);
  await account.open(CALL);
  account.close({ renewals: 0, counts: ended });
}

async function usedToday(caller: Caller = ALICE): Promise<number | undefined> {
  return (await usage.report({ ...caller, imagesPerDay: 10 }, 1)).caller.allowance?.used;
}

const itemsOf = async (caller: Caller = ALICE, days = 1) =>
  (await usage.report(caller, days)).items;

describe('createUsage', () => {
  it('releases the images that were certainly not made', async () => {
    const account = usage.accountFor(ALICE);

    await account.reserve(3);
    await account.open(CALL);
    expect(await usedToday()).toBe(3);
    account.close({ renewals: 0, counts: [MADE] });

    expect(await usedToday()).toBe(2);
  });

  it('charges images that were made and images that may have been made', async () => {
    await request(ALICE, [{ ...MADE, images: 1, lost: 0, unknown: 2, failed: 0 }]);

    expect(await usedToday()).toBe(3);
    expect(await itemsOf()).toMatchObject([{ images: 1, unknown: 2 }]);
  });

  it('charges a token without an allowance in the same way', async () => {
    await request(FREE);

    expect(await usedToday(FREE)).toBe(2);
  });

  it('refuses a request that exceeds the allowance until the next UTC day', async () => {
    await clock.advance(22 * HOUR_MS);
    await usage.accountFor(ALICE).reserve(10);

    const refusal = usage.accountFor(ALICE).reserve(1);

    await expect(refusal).rejects.toMatchObject({ details: { retry_after_ms: 2 * HOUR_MS } });
    await clock.advance(2 * HOUR_MS);
    await usage.accountFor(ALICE).reserve(10);
  });

  it('counts images on the day on which the request was accepted', async () => {
    const account = usage.accountFor(ALICE);
    await account.reserve(3);
    await clock.advance(24 * HOUR_MS);

    await account.open(CALL);
    account.close({ renewals: 0, counts: [MADE] });

    expect(await usage.report(ALICE, 2)).toMatchObject({
      caller: { allowance: { used: 0 } },
      items: [{ day: '2025-01-01', images: 2 }],
    });
  });

  it('counts nothing for a refused request', async () => {
    const account = usage.accountFor(ALICE);
    await expect(account.reserve(11)).rejects.toThrow();

    account.close({ renewals: 0, counts: [{ ...MADE, images: 0, lost: 0, failed: 11 }] });

    expect(await usedToday()).toBe(0);
    expect(await itemsOf()).toEqual([]);
  });

  it('counts the outputs of a request that was never sent as failed', async () => {
    const account = usage.accountFor(FREE);
    await account.reserve(3);

    account.close({
      renewals: 0,
      counts: [{ ...MADE, images: 0, lost: 0, failed: 3, tokens: undefined }],
    });

    expect(await usedToday(FREE)).toBe(0);
    expect(await itemsOf(FREE)).toMatchObject([{ images: 0, failed: 3 }]);
  });

  it('reports all counts of a day and of each provider', async () => {
    await request(FREE);

    const report = await usage.report(FREE, 30);

    const counts = {
      images: 2,
      failed: 1,
      unknown: 0,
      lost: 1,
      tokens: 50,
      cost: toWireCost(NO_COST),
      unknown_images: 0,
    };
    expect(report.caller).toEqual({ permissions: FREE.permissions });
    expect(report.items).toEqual([
      { day: '2025-01-01', ...counts, by_provider: { sandbox: counts } },
    ]);
  });

  it('reserves the planned amount of a caller with a budget, and reports the budget', async () => {
    const payer = { ...FREE, budgetPerDay: 50n, budgetPerMonth: 80n };
    const account = usage.accountFor(payer);

    await account.reserve(1, () => ({ amount: 30n, isUnknown: false }));

    expect((await usage.report(payer, 1)).caller.budget).toEqual({
      currency: 'USD',
      per_day: '0.000000005',
      per_month: '0.000000008',
      used_today: '0.000000003',
      used_this_month: '0.000000003',
      unknown_cost: 'refuse',
    });
    await expect(
      usage.accountFor(payer).reserve(1, () => ({ amount: 21n, isUnknown: false })),
    ).rejects.toMatchObject({ code: 'rate_limited', details: { reason: 'budget' } });
  });

  it('rejects work of unknown cost, or reserves the amount that the token accepts for each image', async () => {
    const spend = () => ({ amount: 30n, isUnknown: true });
    const payer = { ...FREE, budgetPerDay: 50n };

    await expect(usage.accountFor(payer).reserve(2, spend)).rejects.toMatchObject({
      code: 'unsupported_capability',
      details: { reason: 'unknown_cost' },
    });
    await usage.accountFor({ ...payer, unknownCost: 20n }).reserve(2, spend);
    expect((await usage.report(payer, 1)).caller.budget?.used_today).toBe('0.000000004');
  });

  it('adds the counts of all providers of a day, and omits the provider of images that were requested from none', async () => {
    for (const provider of ['sandbox', 'another', '']) {
      await request(ALICE, [{ ...MADE, provider, tokens: undefined }]);
    }

    const items = await itemsOf();

    expect(items).toMatchObject([{ images: 6, failed: 3 }]);
    expect(Object.keys(items[0]?.by_provider ?? {})).toEqual(['another', 'sandbox']);
    expect(items[0]).not.toHaveProperty('tokens');
  });

  it('reports no usage of another token', async () => {
    await request();

    expect(await itemsOf({ ...ALICE, id: 'bob' }, 366)).toEqual([]);
  });

  it('forgets usage after 366 days', async () => {
    await request();
    await usage.close();
    await clock.advance(366 * 24 * HOUR_MS);
    await usage.retention.run();
    expect((await stores.usage.list({ token: 'alice', day: 0 })).length).toBe(1);

    await clock.advance(24 * HOUR_MS);
    await usage.retention.run();

    expect(await stores.usage.list({ token: 'alice', day: 0 })).toEqual([]);
  });
});

describe('createUsage, while the store refuses to write', () => {
  it('counts ended requests once the store accepts them, and logs only the first refusal', async () => {
    refusals = 3;
    await request();
    await request();
    expect(await usedToday()).toBe(6);

    while ((await usedToday()) !== 4) await clock.advance(10_000);

    expect(await itemsOf()).toMatchObject([{ images: 4, failed: 2 }]);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ task: 'usage' }]);
  });

  it('retries refused closings once more when it is closed', async () => {
    refusals = 1;
    await request();
    await usage.report(ALICE, 1);

    await usage.close();

    expect(await usedToday()).toBe(2);
  });

  it('leaves accounts that it could not close open in the store, where the next start counts them as unknown', async () => {
    refusals = 100;
    await request();
    await usage.close();
    refusals = 0;
    await stores.state.giveAccountsAway();

    await usage.recover();

    expect(await usedToday()).toBe(3);
    expect(await itemsOf()).toMatchObject([{ images: 0, unknown: 3, failed: 0 }]);
  });
});

describe('createUsage, a job', () => {
  it('opens its calls in the account that was made when the job was accepted', async () => {
    const reservation = usage.reservationOf(ALICE, 3);
    await stores.ledger.reserve({ id: 'job-1', ...reservation });
    const account = usage.accountOfJob({ id: 'job-1', request: { routing: { provider: null } } });

    await account.reserve(3);
    await account.open(CALL);
    account.close({ renewals: 0, counts: [MADE] });

    // The end of the account is stored with the end of the job.
    expect(await usedToday()).toBe(3);
    expect(await itemsOf()).toEqual([]);
  });
});
