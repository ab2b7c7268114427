import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NO_COST, toWireCost, UNKNOWN_COST } from '../../../lib/contract/reply/cost.ts';
import { type Caller, unnamedCaller } from '../../../lib/contract/request/caller.ts';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import type {
  LedgerStore,
  ProviderCounts,
} from '../../../lib/generation/ledger/ledger-store-port.ts';
import { createTraceLog } from '../../../lib/log/trace-log.ts';
import { createIds } from '../../../lib/platform/ids.ts';
import type { NamedTokens } from '../../../lib/tokens/token.ts';
import { createUsage, type Usage } from '../../../lib/usage/usage.ts';
import { createManualClock, type ManualClock } from '../../support/manual-clock.ts';
import { openTestStores, type TestStores } from '../../support/stores.ts';

const HOUR_MS = 3_600_000;
const ALICE = { ...unnamedCaller('s'), id: 'alice', imagesPerDay: 10 };
const FREE = { ...unnamedCaller('s'), id: 'free' };
/** The request of a job for three images. */
const THREE = { routing: { provider: null }, parameters: { n: 3 } };
const CALL = { call: 0, provider: 'sandbox', indices: [0, 1, 2] };
const MADE: ProviderCounts = {
  provider: 'sandbox',
  model: 'sandbox-image',
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
/** The tokens of the tokens file by id. */
let tokens: Map<string, NonNullable<ReturnType<NamedTokens['accountOf']>>>;
/** The number of the next closings that the store refuses. */
let refusals: number;
/** True if the store always refuses the first account that is closed. */
let refusesFirst: boolean;

beforeEach(async () => {
  clock = createManualClock();
  lines = [];
  refusals = 0;
  refusesFirst = false;
  const ids = createIds(clock.nowMs);
  stores = await openTestStores({ clock, ids });
  const log = createTraceLog((line) => lines.push(line));
  const ledger = refusing(stores.ledger);
  tokens = new Map();
  const accounts = { accountOf: (id: string) => tokens.get(id) };
  usage = createUsage({ store: stores.usage, ledger, tokens: accounts, clock, ids, log });
});
afterEach(() => stores.close());

function refusing(store: LedgerStore): LedgerStore {
  let first: string | undefined;
  return {
    ...store,
    async close(...given) {
      first ??= given[0];
      refusals -= 1;
      if (refusesFirst && given[0] === first) throw new BridgeError('internal', 'a bad figure');
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
  return (await usage.report({ ...caller, imagesPerDay: 10 }, { days: 1, tokens: 'own' })).caller
    .allowance?.used;
}

const itemsOf = async (caller: Caller = ALICE, days = 1) =>
  (await usage.report(caller, { days, tokens: 'own' })).items;

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

    expect(await usage.report(ALICE, { days: 2, tokens: 'own' })).toMatchObject({
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

    const report = await usage.report(FREE, { days: 30, tokens: 'own' });

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
      {
        ...{ day: '2025-01-01', ...counts, by_provider: { sandbox: counts } },
        by_model: [{ provider: 'sandbox', model: 'sandbox-image', ...counts }],
      },
    ]);
  });

  it('reserves the planned amount of a caller with a budget, and reports the budget', async () => {
    const payer = { ...FREE, budgetPerDay: 50n, budgetPerMonth: 80n };
    const account = usage.accountFor(payer);

    await account.reserve(1, () => ({ amount: 30n, isUnknown: false }));

    expect((await usage.report(payer, { days: 1, tokens: 'own' })).caller.budget).toEqual({
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
    expect((await usage.report(payer, { days: 1, tokens: 'own' })).caller.budget?.used_today).toBe(
      '0.000000004',
    );
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

  it('reports the images without a recorded model beside the models of their provider', async () => {
    await request(ALICE, [
      { ...MADE, model: undefined, tokens: undefined, cost: { amount: 7n, basis: 'priced' } },
      { ...MADE, cost: UNKNOWN_COST, unpriced: 2 },
      { ...MADE, model: 'another', cost: { amount: 5n, basis: 'reported' } },
    ]);

    const [item] = await itemsOf();

    expect(item?.by_model).toMatchObject([
      { model: 'another', images: 2, cost: { amount: '0.0000000005', basis: 'reported' } },
      { model: 'sandbox-image', images: 2, tokens: 50, cost: { basis: 'unknown' } },
      {
        provider: 'sandbox',
        ...{ images: 2, lost: 1, failed: 1, unknown_images: 0 },
        cost: { amount: '0.0000000007', basis: 'priced' },
      },
    ]);
    expect(item?.by_model[2]).not.toHaveProperty('model');
    expect(item?.by_model[2]).not.toHaveProperty('tokens');
  });

  it('names the 30 models with the most images in the report, and adds up the others', async () => {
    const nths = Array.from({ length: 32 }, (_, nth) => nth + 1);
    for (const nth of nths) {
      await request(FREE, [{ ...MADE, model: `model-${nth}`, images: nth, tokens: undefined }]);
    }

    const [item] = await itemsOf(FREE);

    const models = item?.by_model.map(({ model }) => model);
    expect(models).toHaveLength(31);
    expect(models).not.toContain('model-1');
    expect(models).not.toContain('model-2');
    expect(item?.by_model.at(-1)).toMatchObject({ others: 2, images: 3, lost: 2 });
    expect(item?.by_model.at(-1)).not.toHaveProperty('provider');
  });

  describe('of all tokens', () => {
    const ADMIN = { ...ALICE, name: 'Alice', budgetPerDay: 50n };
    const all = async (caller: Caller = ADMIN, days = 2) =>
      usage.report(caller, { days, tokens: 'all' });

    beforeEach(() => {
      tokens.set('alice', { id: 'alice', name: 'Alice', budgetPerDay: 50n });
    });

    it('is rejected for a token without the permission admin', async () => {
      await request();
      const permissions = ADMIN.permissions.filter((permission) => permission !== 'admin');

      await expect(all({ ...ADMIN, permissions })).rejects.toMatchObject({
        code: 'permission_denied',
        details: { permission: 'admin' },
      });
    });

    it('adds up the days and models of all tokens', async () => {
      await request();
      await request({ ...ALICE, id: 'bob' }, [{ ...MADE, model: 'another' }]);

      const { items } = await all();

      expect(items).toMatchObject([
        {
          images: 4,
          tokens: 100,
          by_provider: { sandbox: { images: 4 } },
          by_model: [
            { model: 'another', images: 2 },
            { model: 'sandbox-image', images: 2 },
          ],
        },
      ]);
    });

    it('lists the tokens by name, the most images first, with what is left of their limits', async () => {
      tokens.set('id-of-bob', { id: 'id-of-bob', name: 'bob', imagesPerDay: 9 });
      await request();
      await clock.advance(24 * HOUR_MS);
      await request({ ...ALICE, id: 'id-of-bob' }, [{ ...MADE, images: 5 }]);
      await usage
        .accountFor({ ...FREE, id: 'alice', budgetPerDay: 50n })
        .reserve(1, () => ({ amount: 30n, isUnknown: false }));

      const { by_token: rows } = await all();

      expect(rows).toMatchObject([
        {
          ...{ kind: 'named', name: 'bob', images: 5, today: { images: 5 } },
          allowance: { images_per_day: 9, used: 5 },
        },
        {
          ...{ kind: 'named', name: 'Alice', own: true, images: 2, today: { images: 0 } },
          budget: { per_day: '0.000000005', used_today: '0.000000003' },
        },
      ]);
      expect(rows?.[0]).not.toHaveProperty('own');
      expect(rows?.[0]).not.toHaveProperty('budget');
      expect(rows?.[1]).not.toHaveProperty('allowance');
    });

    it('names removed tokens, and adds up the tokens that the file no longer lists without their ids', async () => {
      tokens.set('old', { id: 'old', name: 'carol', imagesPerDay: 9, removedSecs: 1 });
      for (const id of ['old', 'secret-1', 'secret-2', '']) await request({ ...FREE, id });

      const { by_token: rows } = await all();

      expect(rows).toMatchObject([
        { kind: 'unnamed', images: 2 },
        { kind: 'removed', name: 'carol', images: 2 },
        { kind: 'unlisted', images: 4, today: { images: 4 } },
      ]);
      expect(rows?.[1]).not.toHaveProperty('allowance');
      expect(JSON.stringify(rows)).not.toContain('secret');
    });

    it('adds up the tokens beyond the 100 with the most images', async () => {
      for (let nth = 0; nth < 103; nth += 1) {
        const id = `token-${nth}`;
        tokens.set(id, { id, name: id });
        await request({ ...FREE, id }, [{ ...MADE, images: nth + 1 }]);
      }

      const { by_token: rows } = await all();

      expect(rows).toHaveLength(101);
      expect(rows?.[0]).toMatchObject({ name: 'token-102', images: 103 });
      expect(rows?.[100]).toMatchObject({ kind: 'others', images: 6, today: { images: 6 } });
    });

    it('is absent from the report of one token', async () => {
      await request();

      const report = await usage.report(ADMIN, { days: 1, tokens: 'own' });

      expect(report).not.toHaveProperty('by_token');
    });
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

  it('counts the other requests if the store always refuses one of them', async () => {
    refusesFirst = true;
    refusals = 2;
    await request();
    await request();
    expect(await usedToday()).toBe(6);

    for (let turn = 0; turn < 4; turn += 1) await clock.advance(10_000);

    expect(await usedToday()).toBe(5);
  });

  it('retries refused closings once more when it is closed', async () => {
    refusals = 1;
    await request();
    await usage.report(ALICE, { days: 1, tokens: 'own' });

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
    const account = usage.accountOfJob({ id: 'job-1', token: 'alice', request: THREE });

    await account.reserve(3);
    await account.open(CALL);
    account.close({ renewals: 0, counts: [MADE] });

    // The end of the account is stored with the end of the job.
    expect(await usedToday()).toBe(3);
    expect(await itemsOf()).toEqual([]);
  });

  it.each([
    ['the price has risen', { amount: 9n, isUnknown: false }, 9n],
    ['the price has fallen', { amount: 1n, isUnknown: false }, 6n],
    ['the price is not known any more', { amount: 0n, isUnknown: true }, 6n],
  ])('keeps or raises its reservation before a call if %s', async (_name, planned, spent) => {
    const payer = { ...FREE, name: 'free', budgetPerDay: 10n };
    tokens.set('free', payer);
    const reserved = usage.reservationOf(payer, 3, () => ({ amount: 6n, isUnknown: false }));
    await stores.ledger.reserve({ id: 'job-1', ...reserved });
    const account = usage.accountOfJob({ id: 'job-1', token: 'free', request: THREE });

    await account.open(CALL, () => planned);

    expect((await stores.usage.spent(reserved)).day).toBe(spent);
  });

  it('reserves the accepted amount for each image whose cost has become unknown', async () => {
    const payer = { ...FREE, name: 'free', budgetPerDay: 100n, unknownCost: 7n };
    tokens.set('free', payer);
    const reserved = usage.reservationOf(payer, 3, () => ({ amount: 6n, isUnknown: false }));
    await stores.ledger.reserve({ id: 'job-1', ...reserved });
    const account = usage.accountOfJob({ id: 'job-1', token: 'free', request: THREE });

    await account.open(CALL, () => ({ amount: 0n, isUnknown: true }));

    expect((await stores.usage.spent(reserved)).day).toBe(21n);
  });
});

describe('createUsage, a request', () => {
  it('makes no call that has become too expensive for the budget since its reservation', async () => {
    const payer = { ...FREE, budgetPerDay: 10n };
    const account = usage.accountFor(payer);
    await account.reserve(3, () => ({ amount: 6n, isUnknown: false }));

    const opening = account.open(CALL, () => ({ amount: 11n, isUnknown: false }));

    await expect(opening).rejects.toMatchObject({ details: { reason: 'budget' } });
  });
});
