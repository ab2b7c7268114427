import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StoredCall } from '../../../lib/billing/billing-store-port.ts';
import { createReconciliations } from '../../../lib/billing/reconciliation.ts';
import { UNKNOWN_COST } from '../../../lib/contract/reply/cost.ts';
import { createSealedCursors } from '../../../lib/cursors/sealed-cursor.ts';
import { NO_COUNTS } from '../../../lib/generation/ledger/ledger-store-port.ts';
import { DAY_MS } from '../../../lib/platform/days.ts';
import type { Provider } from '../../../lib/providers/provider-port.ts';
import { openTestStores, type TestStores } from '../../support/stores.ts';

const TODAY = 20_000;
const clock = { nowMs: () => TODAY * DAY_MS + 5 };
const { signal } = new AbortController();
const WEEK = { days: 7, dry_run: false, cursor: undefined };

let stores: TestStores;
let charges: Map<string, bigint>;
let asked: (readonly string[])[];

beforeEach(async () => {
  stores = await openTestStores();
  charges = new Map();
  asked = [];
});
afterEach(() => stores.close());

/** Opens the reconciliations of a provider with charges and of one without. */
function open() {
  const billing: Provider['billing'] = {
    async chargesOf(ids) {
      asked.push(ids);
      return new Map([...charges].filter(([id]) => ids.includes(id)));
    },
  };
  // Only these members are used.
  const found = new Map([
    ['fal', { name: 'fal', billing } as Provider],
    ['free', { name: 'free' } as Provider],
  ]);
  const registry = { find: (name: string) => found.get(name) };
  const cursors = createSealedCursors(stores.secret);
  return createReconciliations({ registry, store: stores.billing, cursors, clock });
}

async function record(provider: string, ...calls: readonly Omit<StoredCall, 'day'>[]) {
  const entry = { token: 'alice', day: TODAY, id: `of-${provider}`, images: calls.length };
  const counts = calls.map(({ cost, unpriced }) => {
    return { ...NO_COUNTS, provider, images: 1, cost, unpriced };
  });
  const named = calls.map((call) => ({ provider, ...call }));
  const limits = { allowance: undefined, retryAfterMs: 1 };
  await stores.ledger.record({ ...entry, ...limits }, { renewals: 0, counts, calls: named });
}

const priced = (id: string, amount: bigint) => {
  return { id, cost: { amount, basis: 'priced' as const }, unpriced: 0 };
};

describe('createReconciliations', () => {
  it('records the charges of calls, and says how many were equal, corrected and not billed yet', async () => {
    const unknown = { id: 'b', cost: UNKNOWN_COST, unpriced: 1 };
    await record('fal', priced('a', 5n), unknown, priced('c', 9n), priced('d', 1n));
    charges = new Map(Object.entries({ a: 5n, b: 20n, c: 2n }));

    const report = await open().run('fal', WEEK, signal);

    expect(report).toEqual({
      provider: 'fal',
      reports_charges: true,
      ...{ equal: 1, settled: 2, pending: 1 },
      correction: '0.0000000013',
      days: [
        {
          day: '2024-10-04',
          cost: { amount: '0.0000000028', currency: 'USD', basis: 'priced' },
          unknown_images: 0,
        },
      ],
    });
    expect(await open().run('fal', WEEK, signal)).toMatchObject({
      ...{ equal: 3, settled: 0, pending: 1 },
      correction: '0',
    });
  });

  it('changes nothing in a dry run', async () => {
    await record('fal', priced('a', 5n));
    charges = new Map([['a', 1n]]);

    const dry = await open().run('fal', { ...WEEK, dry_run: true }, signal);

    expect(dry).toMatchObject({ settled: 1, correction: '-0.0000000004' });
    expect(dry.days).toMatchObject([{ cost: { amount: '0.0000000005' } }]);
  });

  it('compares 50 calls at a time', async () => {
    const ids = Array.from({ length: 60 }, (_, nth) => `call-${100 + nth}`);
    await record('fal', ...ids.map((id) => priced(id, 1n)));
    charges = new Map(ids.map((id) => [id, 1n]));

    const first = await open().run('fal', WEEK, signal);
    const second = await open().run('fal', { ...WEEK, cursor: first.next_cursor }, signal);

    expect([first.equal, second.equal]).toEqual([50, 10]);
    expect(second.next_cursor).toBeUndefined();
    expect(asked.flat()).toEqual(ids);
    await expect(
      open().run('fal', { ...WEEK, days: 8, cursor: first.next_cursor }, signal),
    ).rejects.toMatchObject({ param: 'cursor' });
  });

  it('only lists the days of a provider that reports no charges', async () => {
    await record('free', priced('a', 5n));

    const report = await open().run('free', WEEK, signal);

    expect(report).toMatchObject({
      reports_charges: false,
      ...{ equal: 0, settled: 0, pending: 0 },
      days: [{ cost: { amount: '0.0000000005' } }],
    });
  });

  it('rejects an unknown provider', async () => {
    await expect(open().run('none', WEEK, signal)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('removes calls after 90 days', async () => {
    await record('fal', priced('a', 5n));
    const { store, later } = { store: stores.billing, later: (TODAY + 91) * DAY_MS };
    const cursors = createSealedCursors(stores.secret);
    const registry = { find: () => undefined };
    const deps = { registry, store, cursors, clock: { nowMs: () => later } };

    await createReconciliations(deps).retention.run();

    const since = { provider: 'fal', day: 0 };
    expect(await store.list(since, { limit: 9 })).toEqual([]);
  });
});
