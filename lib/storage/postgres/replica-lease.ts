import type { Postgres, Queries } from './connection.ts';

/** The time of the database in Unix milliseconds, when the expression is evaluated. */
export const NOW_MS = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/** The time of the database in Unix milliseconds, when the transaction began. The value is the same in all its statements. */
export const TRANSACTION_MS = '(extract(epoch FROM now()) * 1000)::bigint';

interface Options {
  /** The name of the replica for people. */
  readonly name: string;
  /** The version of the schema that the program knows. */
  readonly version: number;
  readonly leaseMs: number;
}

/** Returns the condition for a row that has no owner or whose owner is gone. Needs `judge` in the same transaction. `$1` is the owner id of this replica. */
export function isAbandonedSql(schema: string, owner: string): string {
  return `(${owner} IS NULL OR ${owner} <> $1 AND NOT EXISTS (
    SELECT FROM ${schema}.replica WHERE replica.id = ${owner} AND lease_until > ${TRANSACTION_MS}))`;
}

export type ReplicaLease = ReturnType<typeof createReplicaLease>;

/**
 * Maintains the lease that shows other replicas that this replica is running. All times are times of the database, so the clocks of
 * the replicas do not matter.
 */
export function createReplicaLease(
  { schema, owner, write }: Postgres,
  { name, version, leaseMs }: Options,
) {
  const RENEW = `
    INSERT INTO ${schema}.replica AS mine (id, name, version, started, since, lease_until)
    VALUES ($1, $2, $3, ${NOW_MS}, ${NOW_MS}, ${NOW_MS} + $4)
    ON CONFLICT (id) DO UPDATE SET
      since = CASE WHEN mine.lease_until > ${NOW_MS} THEN mine.since ELSE ${NOW_MS} END,
      lease_until = ${NOW_MS} + $4
    RETURNING ${NOW_MS} AS "nowMs"`;
  const MAY_JUDGE = `
    SELECT FROM ${schema}.replica
    WHERE id = $1 AND lease_until > ${TRANSACTION_MS} AND since <= ${TRANSACTION_MS} - $2::bigint`;
  const LOCK_GONE = `
    SELECT FROM ${schema}.replica WHERE lease_until <= ${TRANSACTION_MS} ORDER BY id FOR UPDATE`;
  const LOCK_OWN = `
    SELECT FROM ${schema}.replica WHERE id = $1 AND lease_until > ${NOW_MS} FOR KEY SHARE`;
  const END = `DELETE FROM ${schema}.replica WHERE id = $1`;

  return {
    /** Begins or extends the lease. Resolves with the time of the database in Unix milliseconds. */
    renew: (): Promise<number> =>
      write(async ({ rows }) => {
        const [renewed] = await rows<{ nowMs: number }>(RENEW, [owner, name, version, leaseMs]);
        return renewed?.nowMs ?? 0;
      }),

    /**
     * Locks this replica's lease for the transaction, so that no other replica can judge this replica meanwhile. Resolves with
     * false if the lease has ended.
     */
    async hold({ rows }: Queries): Promise<boolean> {
      return (await rows(LOCK_OWN, [owner])).length > 0;
    },

    /**
     * Locks the leases of all replicas that are gone for the transaction, so that none of them can return meanwhile. Resolves
     * with false if this replica may not judge others yet, because it has not renewed its own lease for a whole lease: after an
     * outage of the database, all leases have ended although all replicas are running.
     */
    async judge({ rows }: Queries): Promise<boolean> {
      if ((await rows(MAY_JUDGE, [owner, leaseMs])).length === 0) return false;
      await rows(LOCK_GONE);
      return true;
    },

    /** Ends the lease, so that the rows of this replica are abandoned at once. */
    end: (): Promise<void> => write(async ({ rows }) => void (await rows(END, [owner]))),
  };
}
