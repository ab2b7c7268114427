import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unnamedCaller } from '../../../lib/contract/request/caller.ts';
import { createTraceLog } from '../../../lib/log/trace-log.ts';
import { createIds } from '../../../lib/platform/ids.ts';
import { IN_MEMORY } from '../../../lib/storage/sqlite/connection.ts';
import { openStateDatabase, type StateDatabase } from '../../../lib/storage/sqlite/database.ts';
import { createUsageStore } from '../../../lib/storage/sqlite/usage-store.ts';
import { createUsage, type Usage } from '../../../lib/usage/usage.ts';
import { createManualClock, type ManualClock } from '../../support/manual-clock.ts';

const HOUR_MS = 3_600_000;
const ALICE = { ...unnamedCaller('s'), id: 'alice', imagesPerDay: 10 };
const MADE = { provider: 'sandbox', images: 2, failed: 1, perhapsMade: 2, tokens: 50 };

let database: StateDatabase;
let clock: ManualClock;
let usage: Usage;
let lines: string[];

beforeEach(() => {
  clock = createManualClock();
  lines = [];
  database = openStateDatabase({ file: IN_MEMORY, ids: createIds(clock.nowMs) });
  const log = createTraceLog((line) => lines.push(line));
  usage = createUsage({ store: createUsageStore(database), clock, log });
});
afterEach(() => database.close());

async function usedToday(): Promise<number | undefined> {
  return (await usage.report(ALICE, 1)).caller.allowance?.used;
}

describe('createUsage', () => {
  it('gives back the images that were certainly not made', async () => {
    const charge = usage.chargeFor(ALICE);

    await charge.reserve(3);
    expect(await usedToday()).toBe(3);
    await charge.settle(MADE);

    expect(await usedToday()).toBe(2);
  });

  it('refuses what the allowance does not suffice for until the next UTC day', async () => {
    await clock.advance(22 * HOUR_MS);
    await usage.chargeFor(ALICE).reserve(10);

    const refusal = usage.chargeFor(ALICE).reserve(1);

    await expect(refusal).rejects.toMatchObject({ details: { retry_after_ms: 2 * HOUR_MS } });
    await clock.advance(2 * HOUR_MS);
    await usage.chargeFor(ALICE).reserve(10);
  });

  it('settles on the day on which it was reserved', async () => {
    const charge = usage.chargeFor(ALICE);
    await charge.reserve(3);
    await clock.advance(24 * HOUR_MS);

    await charge.settle(MADE);

    expect(await usage.report(ALICE, 2)).toMatchObject({
      caller: { allowance: { used: 0 } },
      items: [{ day: '2025-01-01', images: 2 }],
    });
  });

  it('counts nothing for a request that was refused', async () => {
    const charge = usage.chargeFor(ALICE);
    await expect(charge.reserve(11)).rejects.toThrow();

    await charge.settle({ ...MADE, images: 0, failed: 11, perhapsMade: 0 });

    expect(await usedToday()).toBe(0);
    expect((await usage.report(ALICE, 1)).items).toEqual([]);
  });

  it('counts what a caller without an allowance makes, and refuses none of it', async () => {
    const caller = unnamedCaller('anonymous');
    const charge = usage.chargeFor(caller);

    await charge.reserve(255);
    await charge.settle(MADE);

    const report = await usage.report(caller, 30);
    expect(report.caller).toEqual({ permissions: caller.permissions });
    expect(report.items).toEqual([
      {
        day: '2025-01-01',
        images: 2,
        failed: 1,
        tokens: 50,
        by_provider: { sandbox: { images: 2, failed: 1, tokens: 50 } },
      },
    ]);
  });

  it('settles a job with what was reserved when it was accepted', async () => {
    const reservation = usage.reservationOf(ALICE, 3);
    await createUsageStore(database).reserve(reservation);
    const createdSecs = clock.nowMs() / 1000;
    const job = { token: 'alice', createdSecs, images: 3 };
    const charge = usage.chargeOfJob(job);

    await charge.reserve(3);
    await charge.settle(MADE);

    expect(await usedToday()).toBe(2);
  });

  it('adds up the providers of a day', async () => {
    for (const provider of ['sandbox', 'another', undefined]) {
      const charge = usage.chargeFor(ALICE);
      await charge.reserve(3);
      await charge.settle({ ...MADE, provider, tokens: undefined });
    }

    const { items } = await usage.report(ALICE, 1);

    expect(items).toMatchObject([{ images: 6, failed: 3 }]);
    expect(Object.keys(items[0]?.by_provider ?? {})).toEqual(['another', 'sandbox']);
    expect(items[0]).not.toHaveProperty('tokens');
  });

  it('shows no usage of another token', async () => {
    const charge = usage.chargeFor(ALICE);
    await charge.reserve(3);
    await charge.settle(MADE);

    expect((await usage.report({ ...ALICE, id: 'bob' }, 366)).items).toEqual([]);
  });

  it('logs that the images of a request cannot be counted, and does not fail it', async () => {
    const charge = usage.chargeFor(ALICE);
    await charge.reserve(3);
    await database.close();

    await charge.settle(MADE);

    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ task: 'usage' }]);
  });

  it('forgets usage after 366 days', async () => {
    const charge = usage.chargeFor(ALICE);
    await charge.reserve(3);
    await charge.settle(MADE);
    await clock.advance(366 * 24 * HOUR_MS);
    await usage.retention.run();
    expect((await createUsageStore(database).list({ token: 'alice', day: 0 })).length).toBe(1);

    await clock.advance(24 * HOUR_MS);
    await usage.retention.run();

    expect(await createUsageStore(database).list({ token: 'alice', day: 0 })).toEqual([]);
  });
});
