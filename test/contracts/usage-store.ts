import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { NO_COST, UNKNOWN_COST } from '../../lib/contract/reply/cost.ts';
import {
  type LedgerEntry,
  type LedgerStore,
  NO_COUNTS,
  type ProviderCounts,
} from '../../lib/generation/ledger/ledger-store-port.ts';
import type { UsageStore } from '../../lib/usage/usage-store-port.ts';

interface Stores {
  readonly ledger: LedgerStore;
  readonly store: UsageStore;
}

interface Opened extends Stores {
  /** Other stores on the same state, after the first process has ended. */
  reopen(): Promise<Stores>;
  close(): Promise<void>;
}

const TODAY = { token: 'alice', day: 20_000 };
const counts = (more: Partial<ProviderCounts>): ProviderCounts => {
  return { ...NO_COUNTS, provider: 'sandbox', ...more };
};
const ended = (...all: readonly ProviderCounts[]) => ({ renewals: 0, counts: all });
const call = (indices: readonly number[], nth = 0, provider = 'sandbox') => {
  return { call: nth, provider, indices };
};

const unpriced = (images: number) => ({ cost: UNKNOWN_COST, unpriced: images });

let entries = 0;

function entry(images: number, allowance?: number): LedgerEntry {
  entries += 1;
  return { ...TODAY, id: `entry-${entries}`, images, allowance, retryAfterMs: 5000 };
}

/** The contract of every ledger store, and of the usage store beside it. */
export function describeUsageStore(label: string, open: () => Promise<Opened>): void {
  let opened: Opened;
  let ledger: LedgerStore;
  let store: UsageStore;

  beforeEach(async () => {
    opened = await open();
    ({ ledger, store } = opened);
  });
  afterEach(() => opened.close());

  describe(`LedgerStore, the budget: ${label}`, () => {
    /** An entry of one image that reserves an amount, with the budgets of a day and of a month. */
    const paying = (held: bigint, perDay?: bigint, perMonth?: bigint, more: object = {}) => {
      return { ...entry(1), ...more, budget: { held, perDay, perMonth } };
    };
    const reported = (amount: bigint) => ({ cost: { amount, basis: 'reported' } as const });

    test('a budget is used up to its last unit, and not beyond', async () => {
      await ledger.reserve(paying(7n, 10n));
      await ledger.reserve(paying(3n, 10n));

      await expect(ledger.reserve(paying(1n, 10n))).rejects.toMatchObject({
        code: 'rate_limited',
        details: { reason: 'budget', period: 'day', remaining: '0', retry_after_ms: 5000 },
      });
      expect(await store.spent(TODAY)).toEqual({ day: 10n, month: 10n });
      expect(await store.charged(TODAY)).toBe(2);
    });

    test('the spending of all days of a month counts against the budget of the month', async () => {
      // The day 20,000 is 2024-10-04.
      await ledger.reserve(paying(7n, undefined, 10n, { day: TODAY.day - 3 }));
      await ledger.reserve(paying(100n, undefined, undefined, { day: TODAY.day - 4 }));

      await expect(ledger.reserve(paying(4n, 9n, 10n))).rejects.toMatchObject({
        details: {
          reason: 'budget',
          period: 'month',
          remaining: '0.0000000003',
          retry_after_ms: 27 * 86_400_000 + 5000,
        },
      });
      await ledger.reserve(paying(3n, 9n, 10n));
      expect(await store.spent(TODAY)).toEqual({ day: 3n, month: 10n });
    });

    test('a budget of 0 rejects everything that costs, and nothing else', async () => {
      await expect(ledger.reserve(paying(1n, 0n))).rejects.toMatchObject({
        details: { reason: 'budget' },
      });
      await ledger.reserve(paying(0n, 0n));
    });

    test('a hundred reservations at once never exceed the budget', async () => {
      const tries = Array.from({ length: 100 }, () => ledger.reserve(paying(3n, 100n, 90n)));

      const ended = await Promise.allSettled(tries);

      expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(30);
      expect(await store.spent(TODAY)).toEqual({ day: 90n, month: 90n });
    });

    test('an ended request is charged its known cost, and the shares of images of unknown cost', async () => {
      const costing = { ...entry(3), budget: { held: 10n, perDay: 100n } };
      await ledger.reserve(costing);
      await ledger.addCall(costing.id, call([0, 1, 2]));

      const known = counts({ images: 2, ...reported(5n) });
      const unknown = counts({ provider: 'another', unknown: 1, ...unpriced(1) });
      await ledger.close(costing.id, ended(known, unknown));

      // A third of the reservation is rounded up.
      expect(await store.spent(TODAY)).toEqual({ day: 9n, month: 9n });
      expect(await store.list(TODAY)).toMatchObject([
        { provider: 'another', cost: { amount: 0n, basis: 'unknown' }, unpriced: 1 },
        { provider: 'sandbox', cost: { amount: 5n, basis: 'reported' }, unpriced: 0 },
      ]);
    });

    test('a call that needs more than was reserved is opened only if the budget allows the difference', async () => {
      const [first, second] = [paying(3n, 10n), paying(3n, 10n)];
      await ledger.reserve(first);
      await ledger.reserve(second);

      await ledger.addCall(first.id, call([0]), 7n);
      // A repeated call, or a call that needs less, changes nothing.
      await ledger.addCall(first.id, call([0]), 7n);
      await ledger.addCall(first.id, call([0], 1), 2n);
      expect(await store.spent(TODAY)).toEqual({ day: 10n, month: 10n });
      await expect(ledger.addCall(second.id, call([0]), 4n)).rejects.toMatchObject({
        code: 'rate_limited',
        details: { reason: 'budget', period: 'day', remaining: '0', needed: '0.0000000001' },
      });

      // The call of the second account is not open, so nothing of it is charged.
      const next = await opened.reopen();
      await next.ledger.recover();
      expect(await next.store.list(TODAY)).toMatchObject([
        { provider: '', failed: 1, unknown: 0 },
        { provider: 'sandbox', failed: 0, unknown: 2 },
      ]);
    });

    test('a call of an account without a budget may need any amount', async () => {
      const unlimited = entry(1, 10);
      await ledger.reserve(unlimited);

      await ledger.addCall(unlimited.id, call([0]), 1_000_000n);

      expect(await store.spent(TODAY)).toEqual({ day: 0n, month: 0n });
    });

    test('an ended request releases an amount that was raised', async () => {
      const raised = paying(3n, 10n);
      await ledger.reserve(raised);
      await ledger.addCall(raised.id, call([0]), 7n);

      await ledger.close(raised.id, ended(counts({ images: 1, ...reported(6n) })));

      expect(await store.spent(TODAY)).toEqual({ day: 6n, month: 6n });
    });

    test('the next route reserves the amount again, beside the cost of the first route', async () => {
      const first = paying(4n, 10n);
      await ledger.reserve(first);

      await ledger.renew(first.id, ended(counts({ images: 1, lost: 1, ...reported(6n) })), 1);
      expect(await store.spent(TODAY)).toEqual({ day: 10n, month: 10n });

      const more = { renewals: 1, counts: [counts({ images: 1, lost: 1, ...reported(1n) })] };
      await expect(ledger.renew(first.id, more, 1)).rejects.toMatchObject({
        details: { reason: 'budget' },
      });
      expect(await store.spent(TODAY)).toEqual({ day: 10n, month: 10n });
      await ledger.close(first.id, { renewals: 1, counts: [] });
      expect(await store.spent(TODAY)).toEqual({ day: 6n, month: 6n });
    });

    test('recovery keeps the amounts of possibly sent outputs and releases the rest', async () => {
      const [sent, unsent] = [
        { ...entry(4), budget: { held: 20n, perDay: 100n } },
        paying(7n, 100n),
      ];
      await ledger.reserve(sent);
      await ledger.reserve(unsent);
      await ledger.addCall(sent.id, call([0]));
      const next = await opened.reopen();

      await next.ledger.recover();

      expect(await next.store.spent(TODAY)).toEqual({ day: 5n, month: 5n });
    });

    test('the weakest basis and the sum of all costs of a day are kept', async () => {
      const priced = { cost: { amount: 3n, basis: 'priced' } as const };
      await ledger.record(entry(1), ended(counts({ images: 1, ...priced })));
      await ledger.record(entry(1), ended(counts({ images: 1, ...reported(2n) })));

      expect(await store.list(TODAY)).toMatchObject([{ cost: { amount: 5n, basis: 'priced' } }]);
      expect(await store.spent(TODAY)).toEqual({ day: 5n, month: 5n });
    });

    test('spending of old days and months is pruned with the usage', async () => {
      await ledger.record(entry(1), ended(counts({ images: 1, ...reported(2n) })));

      await store.prune(TODAY.day + 40);

      expect(await store.spent(TODAY)).toEqual({ day: 0n, month: 0n });
    });
  });

  describe(`LedgerStore, the allowance: ${label}`, () => {
    test('an allowance is used up to its last image, and not beyond', async () => {
      await ledger.reserve(entry(7, 10));
      await ledger.reserve(entry(3, 10));

      await expect(ledger.reserve(entry(1, 10))).rejects.toMatchObject({
        code: 'rate_limited',
        details: { reason: 'allowance', images_per_day: 10, remaining: 0, retry_after_ms: 5000 },
      });
      expect(await store.charged(TODAY)).toBe(10);
    });

    test('a refused reservation uses nothing of the allowance', async () => {
      await expect(ledger.reserve(entry(11, 10))).rejects.toThrow();

      await ledger.reserve(entry(10, 10));
    });

    test('a hundred reservations at once never exceed the allowance', async () => {
      const tries = Array.from({ length: 100 }, () => ledger.reserve(entry(3, 100)));

      const ended = await Promise.allSettled(tries);

      expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(33);
      expect(await store.charged(TODAY)).toBe(99);
    });

    test('a reservation that is repeated under its id is charged once', async () => {
      const repeated = entry(3, 5);
      await ledger.reserve(repeated);

      await ledger.reserve(repeated);

      expect(await store.charged(TODAY)).toBe(3);
    });

    test('a refused reservation begins no account', async () => {
      const refused = entry(4, 3);
      await expect(ledger.reserve(refused)).rejects.toThrow();

      await ledger.reserve({ ...refused, images: 2 });

      expect(await store.charged(TODAY)).toBe(2);
    });

    test('a released image can be reserved again', async () => {
      const first = entry(3, 3);
      await ledger.reserve(first);
      await ledger.addCall(first.id, call([0, 1, 2]));
      await ledger.close(first.id, ended(counts({ images: 1, unknown: 1, failed: 1 })));

      await ledger.reserve(entry(1, 3));

      expect(await store.charged(TODAY)).toBe(3);
      await expect(ledger.reserve(entry(1, 3))).rejects.toThrow();
    });

    test('each token and each day has its own allowance', async () => {
      await ledger.reserve(entry(3, 3));

      await ledger.reserve({ ...entry(3, 3), token: 'bob' });
      await ledger.reserve({ ...entry(3, 3), day: TODAY.day + 1 });

      expect(await store.charged(TODAY)).toBe(3);
    });
  });

  describe(`LedgerStore, accounts: ${label}`, () => {
    test('images without a reservation are charged when they are counted', async () => {
      const free = entry(2);
      await ledger.begin(free, call([0, 1]));
      expect(await store.charged(TODAY)).toBe(0);

      await ledger.close(free.id, ended(counts({ images: 1, unknown: 1 })));

      expect(await store.charged(TODAY)).toBe(2);
    });

    test('several calls of a request share one account', async () => {
      const free = entry(2);

      await Promise.all([ledger.begin(free, call([0])), ledger.begin(free, call([1], 1))]);
      await ledger.addCall(free.id, call([1], 2));
      await ledger.close(free.id, ended(counts({ images: 3 })));

      expect(await store.charged(TODAY)).toBe(3);
    });

    test('a call that is opened again is one call', async () => {
      const [free, reserved] = [entry(2), entry(2, 10)];
      await ledger.begin(free, call([0, 1]));
      await ledger.reserve(reserved);
      await ledger.addCall(reserved.id, call([0, 1]));

      await ledger.begin(free, call([0, 1]));
      await ledger.addCall(reserved.id, call([0, 1]));

      const next = await opened.reopen();
      await next.ledger.recover();
      expect(await next.store.list(TODAY)).toMatchObject([{ unknown: 4, failed: 0 }]);
    });

    test('an account is closed only once', async () => {
      const reserved = entry(2, 10);
      await ledger.reserve(reserved);
      await ledger.addCall(reserved.id, call([0, 1]));

      await ledger.close(reserved.id, ended(counts({ images: 2 })));
      await ledger.close(reserved.id, ended(counts({ images: 2 })));

      expect(await store.charged(TODAY)).toBe(2);
      expect(await store.list(TODAY)).toMatchObject([{ images: 2 }]);
    });

    test('images beyond the requested number are charged', async () => {
      const reserved = entry(1, 10);
      await ledger.reserve(reserved);
      await ledger.addCall(reserved.id, call([0]));

      await ledger.close(reserved.id, ended(counts({ images: 3, lost: 3 })));

      expect(await store.charged(TODAY)).toBe(3);
    });

    test('a request without an account is counted too', async () => {
      await ledger.record(entry(0), ended(counts({ failed: 2 })));

      expect(await store.list(TODAY)).toMatchObject([{ images: 0, failed: 2 }]);
      expect(await store.charged(TODAY)).toBe(0);
    });

    test('a renewed account keeps what its first route has cost, and reserves the outputs again', async () => {
      const reserved = entry(3, 10);
      await ledger.reserve(reserved);
      await ledger.addCall(reserved.id, call([0, 1, 2]));

      await ledger.renew(reserved.id, ended(counts({ images: 2, lost: 2 })), 3);
      expect(await store.charged(TODAY)).toBe(5);
      await ledger.addCall(reserved.id, call([0, 1, 2], 1, 'another'));
      await ledger.close(reserved.id, {
        renewals: 1,
        counts: [counts({ provider: 'another', images: 3 })],
      });

      expect(await store.charged(TODAY)).toBe(5);
      expect(await store.list(TODAY)).toMatchObject([
        { provider: 'another', images: 3 },
        { provider: 'sandbox', images: 2, lost: 2 },
      ]);
    });

    test('an account is not renewed beyond the allowance', async () => {
      const reserved = entry(3, 4);
      await ledger.reserve(reserved);
      await ledger.addCall(reserved.id, call([0, 1, 2]));

      const renewed = ledger.renew(reserved.id, ended(counts({ images: 2 })), 3);

      await expect(renewed).rejects.toMatchObject({ code: 'rate_limited' });
      expect(await store.charged(TODAY)).toBe(3);
      expect(await store.list(TODAY)).toEqual([]);
      await ledger.close(reserved.id, ended(counts({ images: 2 })));
      expect(await store.charged(TODAY)).toBe(2);
    });

    test('an account without costs is renewed although the allowance is used up', async () => {
      const reserved = entry(3, 3);
      await ledger.reserve(reserved);
      await ledger.addCall(reserved.id, call([0, 1, 2]));

      await ledger.renew(reserved.id, ended(), 3);

      expect(await store.charged(TODAY)).toBe(3);
    });

    test('an account without a reservation is renewed without one', async () => {
      const free = entry(1);
      await ledger.begin(free, call([0]));

      await ledger.renew(free.id, ended(counts({ images: 1, lost: 1 })), 1);
      expect(await store.charged(TODAY)).toBe(1);
      await ledger.close(free.id, { renewals: 1, counts: [] });

      expect(await store.charged(TODAY)).toBe(1);
    });

    test('calls that a renewal has counted are not counted again if the renewal was reported as failed', async () => {
      const reserved = entry(2, 10);
      await ledger.reserve(reserved);
      await ledger.addCall(reserved.id, call([0, 1]));
      const cost = ended(counts({ images: 2, lost: 2 }));
      await ledger.renew(reserved.id, cost, 2);

      await ledger.renew(reserved.id, cost, 2);
      await ledger.close(reserved.id, ended(counts({ images: 2, lost: 2, failed: 1 })));

      expect(await store.charged(TODAY)).toBe(2);
      expect(await store.list(TODAY)).toMatchObject([{ images: 2, lost: 2, failed: 1 }]);
    });

    test('a request closes an account whose beginning was stored but reported as failed', async () => {
      const reserved = entry(2, 10);
      await ledger.reserve(reserved);

      await ledger.record(reserved, ended(counts({ failed: 2 })));

      expect(await store.charged(TODAY)).toBe(0);
      expect(await store.list(TODAY)).toMatchObject([{ images: 0, failed: 2 }]);
    });
  });

  describe(`LedgerStore, recovery: ${label}`, () => {
    test('recovery counts possibly sent outputs of an ended process as unknown and releases the rest', async () => {
      const [reserved, free, unsent] = [entry(4, 10), entry(3), entry(2, 10)];
      await ledger.reserve(reserved);
      await ledger.addCall(reserved.id, call([0, 1]));
      await ledger.begin(free, call([0], 0, 'another'));
      await ledger.reserve(unsent);
      const next = await opened.reopen();

      await next.ledger.recover();

      expect(await next.store.charged(TODAY)).toBe(3);
      expect(await next.store.list(TODAY)).toEqual([
        { ...counts({ provider: '', failed: 6 }), day: TODAY.day },
        { ...counts({ provider: 'another', unknown: 1, ...unpriced(1) }), day: TODAY.day },
        { ...counts({ unknown: 2, ...unpriced(2) }), day: TODAY.day },
      ]);
    });

    test('recovery keeps the counted costs of a first route', async () => {
      const reserved = entry(2, 10);
      await ledger.reserve(reserved);
      await ledger.addCall(reserved.id, call([0, 1]));
      await ledger.renew(reserved.id, ended(counts({ images: 2, lost: 2 })), 2);
      await ledger.addCall(reserved.id, call([0], 1));
      const next = await opened.reopen();

      await next.ledger.recover();

      expect(await next.store.charged(TODAY)).toBe(3);
    });

    test('recovery ends all accounts of an ended process, however many there are', async () => {
      await Promise.all(Array.from({ length: 250 }, () => ledger.reserve(entry(1))));
      const next = await opened.reopen();

      await next.ledger.recover();

      expect(await next.store.charged(TODAY)).toBe(0);
    });

    test('a process that was taken for ended cannot open a call, and the refusal is no internal error', async () => {
      const reserved = entry(2, 10);
      await ledger.reserve(reserved);
      await ledger.close(reserved.id, { renewals: 0, counts: [] });

      const late = ledger.addCall(reserved.id, call([0]));

      await expect(late).rejects.toMatchObject({ code: 'overloaded' });
    });

    test('recovery keeps accounts of its own process open', async () => {
      const reserved = entry(2, 10);
      await ledger.reserve(reserved);
      await ledger.addCall(reserved.id, call([0, 1]));

      await ledger.recover();

      expect(await store.list(TODAY)).toEqual([]);
      await ledger.close(reserved.id, ended(counts({ images: 2 })));
      expect(await store.charged(TODAY)).toBe(2);
    });

    test('recovery of an account is done once', async () => {
      await ledger.begin(entry(1), call([0]));
      const next = await opened.reopen();

      await next.ledger.recover();
      await next.ledger.recover();

      expect(await next.store.charged(TODAY)).toBe(1);
    });
  });

  describe(`UsageStore: ${label}`, () => {
    test('usage is summed by day and provider, latest day first', async () => {
      const made = counts({ images: 2, lost: 1, failed: 1, unknown: 1, tokens: 30 });
      await ledger.record(entry(0), ended(made));
      await ledger.record(
        entry(0),
        ended({ ...made, tokens: undefined, cost: NO_COST, unpriced: 0 }),
      );
      await ledger.record(entry(0), ended(counts({ provider: 'another', images: 2 })));
      await ledger.record({ ...entry(0), day: TODAY.day + 1 }, ended(made));
      await ledger.record({ ...entry(0), token: 'bob' }, ended(made));

      expect(await store.list(TODAY)).toEqual([
        { ...made, day: TODAY.day + 1 },
        { ...counts({ provider: 'another', images: 2 }), day: TODAY.day },
        {
          ...counts({ images: 4, lost: 2, failed: 2, unknown: 2, tokens: 30 }),
          day: TODAY.day,
        },
      ]);
      expect(await store.list({ ...TODAY, day: TODAY.day + 2 })).toEqual([]);
    });

    test('usage of all tokens is summed by day and provider', async () => {
      const made = counts({ images: 2, lost: 1, tokens: 30 });
      await ledger.record(entry(0), ended(made, counts({ provider: 'another', failed: 1 })));
      await ledger.record(
        { ...entry(0), token: 'bob' },
        ended({ ...made, tokens: undefined, cost: { amount: 5n, basis: 'priced' } }),
      );
      await ledger.record({ ...entry(0), day: TODAY.day - 1 }, ended(made));

      expect(await store.list({ day: TODAY.day })).toEqual([
        { ...counts({ provider: 'another', failed: 1 }), day: TODAY.day },
        {
          ...counts({ images: 4, lost: 2, tokens: 30, cost: { amount: 5n, basis: 'priced' } }),
          day: TODAY.day,
        },
      ]);
    });

    test('usage of models is a part of the usage of their provider', async () => {
      const large = counts({ model: 'large', images: 2, lost: 1, tokens: 30 });
      const priced = { cost: { amount: 4n, basis: 'priced' } as const };
      await ledger.record(entry(0), ended(large, counts({ model: 'small', images: 1, ...priced })));
      await ledger.record(entry(0), ended(large, counts({ images: 3 })));
      await ledger.record({ ...entry(0), token: 'bob' }, ended(large));

      expect(await store.list(TODAY)).toMatchObject([{ images: 8, tokens: 60, ...priced }]);
      expect(await store.listModels(TODAY)).toEqual([
        { ...counts({ model: 'large', images: 4, lost: 2, tokens: 60 }), day: TODAY.day },
        { ...counts({ model: 'small', images: 1, ...priced }), day: TODAY.day },
      ]);
      expect(await store.listModels({ day: TODAY.day })).toMatchObject([
        { model: 'large', images: 6, tokens: 90 },
        { model: 'small', images: 1 },
      ]);
      expect(await store.listModels({ day: TODAY.day + 1 })).toEqual([]);
    });

    test('a day on which only failures are counted has a row for its model', async () => {
      await ledger.record(entry(0), ended(counts({ model: 'large', failed: 2 })));

      expect(await store.listModels(TODAY)).toMatchObject([
        { model: 'large', images: 0, failed: 2 },
      ]);
    });

    test('recovery counts possibly sent outputs for the model of their call', async () => {
      const sent = entry(3, 10);
      await ledger.reserve(sent);
      await ledger.addCall(sent.id, { ...call([0, 1]), model: 'large' });
      await ledger.addCall(sent.id, call([2], 1));
      const next = await opened.reopen();

      await next.ledger.recover();

      expect(await next.store.list(TODAY)).toMatchObject([{ unknown: 3 }]);
      expect(await next.store.listModels(TODAY)).toEqual([
        { ...counts({ model: 'large', unknown: 2, ...unpriced(2) }), day: TODAY.day },
      ]);
    });

    test('the tokens are listed with the sums of their days and providers', async () => {
      await ledger.record(
        { ...entry(0), token: 'bob' },
        ended(counts({ images: 1 }), counts({ provider: 'another', images: 4, tokens: 7 })),
      );
      await ledger.record(entry(0), ended(counts({ images: 2 })));
      await ledger.record({ ...entry(0), day: TODAY.day + 1 }, ended(counts({ failed: 3 })));
      await ledger.record({ ...entry(0), day: TODAY.day - 1 }, ended(counts({ images: 9 })));

      const { provider: _, ...none } = counts({});
      expect(await store.listTokens(TODAY.day)).toEqual([
        { ...none, token: 'alice', images: 2, failed: 3 },
        { ...none, token: 'bob', images: 5, tokens: 7 },
      ]);
    });

    test('the balances of several tokens are those of each token', async () => {
      const budget = { held: 7n, perDay: 10n };
      await ledger.reserve({ ...entry(2, 10), budget });
      await ledger.record(
        { ...entry(0), token: 'bob', day: TODAY.day - 1 },
        ended(counts({ images: 3, cost: { amount: 5n, basis: 'reported' } })),
      );

      expect(await store.balances(['bob', 'alice', 'carol'], TODAY.day)).toEqual([
        { token: 'bob', charged: 0, spent: { day: 0n, month: 5n } },
        { token: 'alice', charged: 2, spent: { day: 7n, month: 7n } },
        { token: 'carol', charged: 0, spent: { day: 0n, month: 0n } },
      ]);
      expect(await store.balances([], TODAY.day)).toEqual([]);
    });

    test('usage from before the given day is removed', async () => {
      const made = ended(counts({ model: 'large', images: 2 }));
      await ledger.record(entry(0), made);
      await ledger.record({ ...entry(0), day: TODAY.day + 1 }, made);

      await store.prune(TODAY.day + 1);

      expect(await store.list(TODAY)).toHaveLength(1);
      expect(await store.listModels(TODAY)).toHaveLength(1);
      expect(await store.charged(TODAY)).toBe(0);
    });

    test('usage is kept after the process has ended', async () => {
      await ledger.record(entry(0), ended(counts({ images: 2 })));

      const next = await opened.reopen();

      expect(await next.store.charged(TODAY)).toBe(2);
      expect(await next.store.list(TODAY)).toHaveLength(1);
    });
  });
}
