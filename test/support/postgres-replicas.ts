import { systemClock } from '../../lib/platform/clock.ts';
import { createIds } from '../../lib/platform/ids.ts';
import { type Database, openDatabase } from '../../lib/storage/postgres/database.ts';
import { createReplicaLease, type ReplicaLease } from '../../lib/storage/postgres/replica-lease.ts';
import { createSchema } from './postgres.ts';

/** A replica without anything but its connection and its lease. */
export interface TestReplica {
  readonly postgres: Database;
  readonly lease: ReplicaLease;
  /** Ends the lease as time does when the replica is killed. The replica itself can still run statements. */
  die(): Promise<void>;
}

const LEASE_MS = 30_000;

/** Opens two replicas of one new schema. */
export async function openReplicas() {
  const schema = await createSchema();
  const replicas = [await openReplica(schema), await openReplica(schema)] as const;
  return {
    replicas,
    /** Empties the table, and gives both replicas a lease with which they may judge each other. */
    async reset(table: 'replay' | 'permit' | 'login'): Promise<void> {
      for (const { postgres, lease } of replicas) {
        await postgres.write(({ rows }) => rows(`TRUNCATE ${postgres.schema}.${table}`));
        await lease.renew();
        // As if the lease had always been renewed for a whole lease.
        await changeLease(postgres, `since = lease_until - ${3 * LEASE_MS}`);
      }
    },
    async close(): Promise<void> {
      for (const { postgres } of replicas) await postgres.close();
      await schema.drop();
    },
  };
}

async function openReplica(schema: Awaited<ReturnType<typeof createSchema>>): Promise<TestReplica> {
  const clock = systemClock;
  const postgres = await openDatabase({
    ...{ url: schema.url, schema: schema.schema, clock, ids: createIds(clock.nowMs) },
    ...{ migrate: true, maxConnections: 8, statementTimeoutMs: 5000 },
  });
  const options = { name: 'test', version: 1, leaseMs: LEASE_MS, clock };
  const lease = createReplicaLease(postgres, options);
  return { postgres, lease, die: () => changeLease(postgres, 'lease_until = 0') };
}

function changeLease({ schema, owner, write }: Database, set: string): Promise<void> {
  return write(async ({ rows }) => {
    await rows(`UPDATE ${schema}.replica SET ${set} WHERE id = $1`, [owner]);
  });
}
