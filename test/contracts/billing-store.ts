import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { BillingStore } from '../../lib/billing/billing-store-port.ts';
import { UNKNOWN_COST } from '../../lib/contract/reply/cost.ts';
import {
  type BilledCall,
  type LedgerStore,
  NO_COUNTS,
} from '../../lib/generation/ledger/ledger-store-port.ts';
import type { UsageStore } from '../../lib/usage/usage-store-port.ts';

interface Opened {
  readonly billing: BillingStore;
  readonly ledger: LedgerStore;
  readonly usage: UsageStore;
  close(): Promise<void>;
}

const TODAY = { token: 'alice', day: 20_000 };
const SINCE = { provider: 'fal', day: 19_990 };
const BUDGET = { held: 90n, perDay: 1000n, perMonth: 1000n };

/** The contract of every billing store, with the ledger store that adds the calls. */
export function describeBillingStore(label: string, open: () => Promise<Opened>): void {
  let opened: Opened;
  let entries = 0;

  beforeEach(async () => {
    opened = await open();
  });
  afterEach(() => opened.close());

  /** Ends a request of three images whose calls have these costs. Each image has one call. */
  async function end(calls: readonly Omit<BilledCall, 'provider'>[], day = TODAY.day) {
    const { ledger } = opened;
    entries += 1;
    const id = `entry-${entries}`;
    const budgeted = { images: 3, allowance: undefined, retryAfterMs: 1, budget: BUDGET };
    await ledger.reserve({ ...TODAY, day, id, ...budgeted });
    for (const [call] of calls.entries()) {
      await ledger.addCall(id, { call, provider: 'fal', indices: [call] });
    }
    const counts = calls.map(({ model, cost, unpriced }) => {
      return { ...NO_COUNTS, provider: 'fal', model, images: 1, cost, unpriced };
    });
    const named = calls.map((call) => ({ provider: 'fal', ...call }));
    const settlement = { renewals: 0, counts, calls: named };
    await ledger.close(id, settlement);
    return { id, settlement };
  }

  const known = (id: string, amount: bigint) => {
    return { id, cost: { amount, basis: 'priced' as const }, unpriced: 0 };
  };
  const unknown = (id: string) => ({ id, cost: UNKNOWN_COST, unpriced: 1 });

  describe(`BillingStore: ${label}`, () => {
    test('calls are listed in pages, ordered by day and id', async () => {
      await end([known('b', 1n), known('a', 2n)]);
      await end([unknown('c')], TODAY.day - 1);
      await end([known('too-old', 1n)], SINCE.day - 1);

      const first = await opened.billing.list(SINCE, { limit: 2 });
      const [, after] = first;
      const second = await opened.billing.list(SINCE, { after, limit: 2 });

      expect(first).toEqual([
        { ...unknown('c'), day: TODAY.day - 1 },
        { ...known('a', 2n), day: TODAY.day },
      ]);
      expect(second).toEqual([{ ...known('b', 1n), day: TODAY.day }]);
      expect(await opened.billing.list({ ...SINCE, provider: 'other' }, { limit: 2 })).toEqual([]);
    });

    test('a charge replaces the recorded cost in the usage and in the spending', async () => {
      await end([known('a', 20n), unknown('b'), unknown('c')]);
      expect(await opened.usage.spent(TODAY)).toEqual({ day: 80n, month: 80n });

      await opened.billing.settle('fal', [
        { id: 'a', amount: 25n },
        { id: 'b', amount: 0n },
      ]);

      expect(await opened.usage.spent(TODAY)).toEqual({ day: 55n, month: 55n });
      expect(await opened.usage.list(TODAY)).toMatchObject([
        { images: 3, cost: { amount: 25n, basis: 'unknown' }, unpriced: 1 },
      ]);

      await opened.billing.settle('fal', [{ id: 'c', amount: 7n }]);

      expect(await opened.usage.spent(TODAY)).toEqual({ day: 32n, month: 32n });
      const cost = { amount: 32n, basis: 'priced' };
      expect(await opened.usage.list(TODAY)).toMatchObject([{ images: 3, cost, unpriced: 0 }]);
      expect(await opened.billing.days(SINCE)).toEqual([{ day: TODAY.day, cost, unpriced: 0 }]);
    });

    test('a charge replaces the recorded cost of the model of its call, and of no other model', async () => {
      const large = { model: 'large', ...unknown('a') };
      await end([large, { model: 'small', ...known('b', 3n) }, known('c', 4n)]);

      await opened.billing.settle('fal', [
        { id: 'a', amount: 9n },
        { id: 'c', amount: 6n },
      ]);

      expect(await opened.usage.list(TODAY)).toMatchObject([
        { cost: { amount: 18n, basis: 'priced' }, unpriced: 0 },
      ]);
      expect(await opened.usage.listModels(TODAY)).toMatchObject([
        { model: 'large', cost: { amount: 9n, basis: 'priced' }, unpriced: 0 },
        { model: 'small', cost: { amount: 3n, basis: 'priced' }, unpriced: 0 },
      ]);
    });

    test('a repeated settlement changes nothing, and an unknown call is ignored', async () => {
      await end([unknown('a')]);
      const charges = [
        { id: 'a', amount: 12n },
        { id: 'never-sent', amount: 99n },
      ];

      await opened.billing.settle('fal', charges);
      await opened.billing.settle('fal', charges);
      await opened.billing.settle('other', charges);

      expect(await opened.usage.spent(TODAY)).toEqual({ day: 12n, month: 12n });
      expect(await opened.usage.list(TODAY)).toMatchObject([
        { cost: { amount: 12n }, unpriced: 0 },
      ]);
    });

    test('an account that is closed twice adds its calls once', async () => {
      const { id, settlement } = await end([known('a', 5n)]);
      await opened.billing.settle('fal', [{ id: 'a', amount: 6n }]);

      await opened.ledger.close(id, settlement);

      expect(await opened.billing.list(SINCE, { limit: 9 })).toMatchObject([
        { id: 'a', cost: { amount: 6n, basis: 'reported' } },
      ]);
    });

    test('the days have the costs of all tokens', async () => {
      await end([known('a', 5n)]);
      const other = { ...TODAY, token: 'bob', id: 'of-bob', images: 1, retryAfterMs: 1 };
      const counts = [
        { ...NO_COUNTS, provider: 'fal', unknown: 1, cost: UNKNOWN_COST, unpriced: 1 },
      ];
      await opened.ledger.record({ ...other, allowance: undefined }, { renewals: 0, counts });

      expect(await opened.billing.days(SINCE)).toEqual([
        { day: TODAY.day, cost: { amount: 5n, basis: 'unknown' }, unpriced: 1 },
      ]);
    });

    test('old calls are removed, and their costs stay counted', async () => {
      await end([known('a', 5n)]);

      await opened.billing.prune(TODAY.day + 1);

      expect(await opened.billing.list(SINCE, { limit: 9 })).toEqual([]);
      expect(await opened.usage.list(TODAY)).toMatchObject([{ cost: { amount: 5n } }]);
    });
  });
}
