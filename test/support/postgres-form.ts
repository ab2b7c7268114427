import { systemClock } from '../../lib/platform/clock.ts';
import { createIds } from '../../lib/platform/ids.ts';
import { type Database, openDatabase } from '../../lib/storage/postgres/database.ts';
import { createPostgresStores } from '../../lib/storage/postgres/postgres-stores.ts';
import { createReplicaLease } from '../../lib/storage/postgres/replica-lease.ts';
import { takeSchema } from './reused-schemas.ts';

/** A lease that no test outlives. */
const LEASE_MS = 3_600_000;

const ids = createIds(systemClock.nowMs);

/** How a replica reaches the database. */
interface ConnectionChoice {
  readonly url?: string;
  readonly statementTimeoutMs?: number;
}

/**
 * Opens the ports of a new, empty state in PostgreSQL, in the form that the contract suites need. The first replica and each replica
 * that is opened again may judge others at once.
 */
export async function openPostgresForm() {
  const { url, schema, release } = await takeSchema();
  const opened: Database[] = [];

  async function openReplica(connection: ConnectionChoice = {}) {
    const database = await openDatabase({
      ...{ url, schema, clock: systemClock, ids },
      ...{ maxConnections: 8, statementTimeoutMs: 30_000, migrate: true },
      ...connection,
    });
    opened.push(database);
    const options = { name: 'test', version: 1, leaseMs: LEASE_MS, clock: systemClock };
    const lease = createReplicaLease(database, options);
    await lease.renew();
    const setLease = (column: 'since' | 'lease_until', ms: number) =>
      database.write(({ rows }) =>
        rows(`UPDATE ${database.schema}.replica SET ${column} = $1 WHERE id = $2`, [
          ms,
          database.owner,
        ]),
      );
    return { database, lease, setLease, stores: createPostgresStores(database, lease) };
  }

  async function openJudge() {
    const replica = await openReplica();
    await replica.setLease('since', 0);
    return replica;
  }

  let first = await openJudge();
  return {
    stores: first.stores,
    database: first.database,
    /** The connection URL of the server. */
    url,

    /** Opens the same state for another replica, whose lease ends at the given time in Unix seconds. */
    async other(leaseUntilSecs: number, connection?: ConnectionChoice) {
      const replica = await openReplica(connection);
      await replica.setLease('lease_until', leaseUntilSecs * 1000);
      return replica.stores;
    },

    /** Ends the lease of the first replica, as if the replica had ended. */
    endLease: () => first.lease.end(),

    /** Closes the state and opens it again. */
    async reopen() {
      await first.lease.end();
      await first.database.close();
      first = await openJudge();
      return first.stores;
    },

    async close() {
      for (const { close } of opened) await close();
      await release();
    },
  };
}
