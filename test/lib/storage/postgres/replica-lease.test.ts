import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../../lib/platform/clock.ts';
import { createArtifactStore } from '../../../../lib/storage/postgres/artifact-store.ts';
import type { Database } from '../../../../lib/storage/postgres/database.ts';
import { createReplicaLease } from '../../../../lib/storage/postgres/replica-lease.ts';
import { HAS_POSTGRES } from '../../../support/postgres.ts';
import { newTestDatabase } from './test-database.ts';

const LEASE_MS = 30_000;
const FIVE_MINUTES_MS = 300_000;

/** A replica whose clock is `skewMs` ahead of the database. */
function createReplica(database: Database, skewMs = 0) {
  const clock = { nowMs: () => systemClock.nowMs() + skewMs };
  const lease = createReplicaLease(database, {
    ...{ name: 'test', version: 1, leaseMs: LEASE_MS, clock },
  });
  return {
    database,
    lease,
    clock,
    judge: () => database.write(lease.judge),
    /** Moves the lease into the past, as if its last renewal was earlier. */
    age: (ms: number) =>
      database.write(({ rows }) =>
        rows(
          `UPDATE ${database.schema}.replica SET since = since - $1, lease_until = lease_until - $1
           WHERE id = $2`,
          [ms, database.owner],
        ),
      ),
  };
}

async function openReplicas(skewsMs: readonly [number, number] = [0, 0]) {
  const { database, another } = await newTestDatabase();
  const one = createReplica(database, skewsMs[0]);
  const two = createReplica(await another(), skewsMs[1]);
  await one.lease.renew();
  await two.lease.renew();
  return {
    one,
    two,
    owners: async () => {
      const text = `SELECT id FROM ${database.schema}.replica ORDER BY id`;
      return (await database.read(({ rows }) => rows<{ id: string }>(text))).map(({ id }) => id);
    },
  };
}

/** Renews the lease as a replica does that has been running for more than a whole lease. */
async function renewForWholeLease(replica: ReturnType<typeof createReplica>): Promise<void> {
  await replica.lease.renew();
  for (const _ of [1, 2, 3]) {
    await replica.age(LEASE_MS / 2);
    await replica.lease.renew();
  }
}

describe.runIf(HAS_POSTGRES)('createReplicaLease', () => {
  it('lets a replica judge after it has renewed its lease for a whole lease', async () => {
    const { one, two, owners } = await openReplicas();
    await two.age(LEASE_MS);
    await renewForWholeLease(one);

    expect(await one.judge()).toBe(true);

    expect(await owners()).toEqual([one.database.owner]);
  });

  it('removes nobody after an outage of the database in which all leases ended', async () => {
    const { one, two, owners } = await openReplicas();
    await renewForWholeLease(one);
    await one.age(2 * LEASE_MS);
    await two.age(2 * LEASE_MS);
    await one.lease.renew();

    await one.judge();

    expect(await owners()).toHaveLength(2);
  });

  it('removes nobody whose lease is valid', async () => {
    const { one, two, owners } = await openReplicas();
    await renewForWholeLease(one);
    await renewForWholeLease(two);

    await one.judge();
    await two.judge();

    expect(await owners()).toHaveLength(2);
  });

  it('does not let a replica judge whose own lease has ended', async () => {
    const { one, two, owners } = await openReplicas();
    await one.age(LEASE_MS);
    await two.age(LEASE_MS);

    expect(await one.judge()).toBe(false);

    expect(await owners()).toHaveLength(2);
  });

  it('makes a judge wait for a transaction that holds the lease', async () => {
    const { one, two, owners } = await openReplicas();
    await renewForWholeLease(one);
    const { promise: isHeld, resolve: held } = Promise.withResolvers<void>();
    const { promise: end, resolve: commit } = Promise.withResolvers<void>();
    const holding = two.database.write(async (queries) => {
      expect(await two.lease.hold(queries)).toBe(true);
      held();
      await end;
    });
    await isHeld;
    await two.age(LEASE_MS);

    const judging = one.judge();
    await expect.poll(() => waitingStatements(one.database)).toBe(1);
    expect(await owners()).toHaveLength(2);
    commit();
    await Promise.all([holding, judging]);

    expect(await owners()).toEqual([one.database.owner]);
    expect(await two.database.write(two.lease.hold)).toBe(false);
  });

  it('ends at once when a replica ends its lease', async () => {
    const { one, two, owners } = await openReplicas();

    await two.lease.end();

    expect(await owners()).toEqual([one.database.owner]);
  });

  it('keeps a replica whose clock is five minutes behind as long as it renews its lease', async () => {
    const { one, two, owners } = await openReplicas([FIVE_MINUTES_MS, -FIVE_MINUTES_MS]);
    await renewForWholeLease(one);
    await renewForWholeLease(two);

    await one.judge();
    const taken = await createArtifactStore(one.database, one.lease).takeAbandoned({
      after: '',
      limit: 100,
    });

    expect(taken).toEqual([]);
    expect(await owners()).toHaveLength(2);
    expect(one.lease.clockOffsetMs()).toBeCloseTo(-FIVE_MINUTES_MS, -4);
    expect(two.lease.clockOffsetMs()).toBeCloseTo(FIVE_MINUTES_MS, -4);
  });

  it('ignores a difference between the clocks of less than two seconds', async () => {
    const { one } = await openReplicas([1000, 0]);

    expect(one.lease.clockOffsetMs()).toBe(0);
  });

  it.each(['connection', 'reply'] as const)(
    'does not mistake a slow %s of the database for a difference between the clocks',
    async (slow) => {
      const { database } = await newTestDatabase();
      let passedMs = 0;
      const pass = (what: typeof slow) => {
        if (what === slow) passedMs += 30_000;
      };
      const busy: Database = {
        ...database,
        write(work) {
          pass('connection');
          return database.write(({ rows }) =>
            work({
              async rows<Row>(text: string, values?: readonly unknown[]) {
                const found = await rows<Row>(text, values);
                pass('reply');
                return found;
              },
            }),
          );
        },
      };
      const clock = { nowMs: () => systemClock.nowMs() - 30_000 + passedMs };
      const options = { name: 'test', version: 1, leaseMs: LEASE_MS, clock };
      const lease = createReplicaLease(busy, options);

      await lease.renew();

      expect(lease.clockOffsetMs()).toBe(0);
    },
  );
});

async function waitingStatements({ read }: Database): Promise<number> {
  const text = `
    SELECT count(*) AS count FROM pg_stat_activity
    WHERE wait_event_type = 'Lock' AND query LIKE '%DELETE FROM%replica%'`;
  const [found] = await read(({ rows }) => rows<{ count: number }>(text));
  return found?.count ?? 0;
}
