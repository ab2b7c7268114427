import { systemClock } from '../../../lib/platform/clock.ts';
import { createIds } from '../../../lib/platform/ids.ts';
import { openDatabase } from '../../../lib/storage/postgres/database.ts';
import { createNotifications } from '../../../lib/storage/postgres/notifications.ts';
import { createPermits } from '../../../lib/storage/postgres/permits.ts';
import { createPostgresStores } from '../../../lib/storage/postgres/postgres-stores.ts';
import { createReplicaLease } from '../../../lib/storage/postgres/replica-lease.ts';

const POLL_MS = 2000;

export type BenchReplica = Awaited<ReturnType<typeof openReplica>>;

/** Opens the stores of one replica, which creates the tables of the schema if necessary. */
export async function openReplica(url: string, schema: string) {
  const clock = systemClock;
  const ids = createIds(clock.nowMs);
  const database = await openDatabase({
    ...{ url, schema, clock, ids },
    ...{ maxConnections: 10, statementTimeoutMs: 600_000, migrate: true },
  });
  const options = { name: 'bench', version: 1, leaseMs: 3_600_000, clock };
  const lease = createReplicaLease(database, options);
  await lease.renew();
  const { notices, wakeUps, close } = createNotifications({
    ...{ url, schema, owner: database.owner, clock, onFailure: () => {} },
    ...{ wakeups: 'notify', pollMs: POLL_MS },
  });
  return {
    database,
    stores: createPostgresStores(database, lease),
    permits: createPermits({ postgres: database, lease, clock, ids, wakeUps, pollMs: POLL_MS }),
    notices,
    async close(): Promise<void> {
      await close();
      await database.close();
    },
  };
}
