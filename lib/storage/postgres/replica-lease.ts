import type { Clock } from '../../platform/clock.ts';
import type { Postgres, Queries } from './connection.ts';

/** The time of the database in Unix milliseconds, when the expression is evaluated. */
export const NOW_MS = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

// The time of the database when the transaction began. The value is the same in all statements of the transaction.
const TRANSACTION_MS = '(extract(epoch FROM now()) * 1000)::bigint';

// A smaller difference between the clocks has no effect that a person would notice, and varies from one measurement to the next.
const TOLERATED_SKEW_MS = 2000;

interface Options {
  /** The name of the replica for people. */
  readonly name: string;
  /** The version of the schema that the program knows. */
  readonly version: number;
  readonly leaseMs: number;
  readonly clock: Pick<Clock, 'nowMs'>;
}

/**
 * Returns the condition for a row that was released or that belongs to a replica that is gone. `judge` must have run in the same
 * transaction. The parameter `$1` is the id of this replica, whose own rows are never abandoned.
 */
export function isAbandonedSql(schema: string, owner: string): string {
  return `(${owner} IS NULL OR ${owner} <> $1 AND NOT EXISTS (
    SELECT FROM ${schema}.replica WHERE replica.id = ${owner}))`;
}

export type ReplicaLease = ReturnType<typeof createReplicaLease>;

/**
 * Maintains the lease that shows other replicas that this replica is running: its row in the table `replica`. A replica without a row
 * is gone. All times are times of the database, so the clocks of the replicas do not matter.
 */
export function createReplicaLease(
  { schema, owner, write }: Postgres,
  { name, version, leaseMs, clock }: Options,
) {
  const RENEW = `
    INSERT INTO ${schema}.replica AS mine (id, name, version, started, since, lease_until)
    VALUES ($1, $2, $3, ${NOW_MS}, ${NOW_MS}, ${NOW_MS} + $4)
    ON CONFLICT (id) DO UPDATE SET
      since = CASE WHEN mine.lease_until > ${NOW_MS} THEN mine.since ELSE ${NOW_MS} END,
      lease_until = ${NOW_MS} + $4
    RETURNING ${NOW_MS} AS "nowMs"`;
  const HOLD = `
    SELECT FROM ${schema}.replica WHERE id = $1 AND lease_until > ${NOW_MS} FOR KEY SHARE`;
  const REMOVE_ENDED = `
    DELETE FROM ${schema}.replica
    WHERE id <> $1 AND lease_until <= ${TRANSACTION_MS} AND EXISTS (
      SELECT FROM ${schema}.replica AS mine
      WHERE mine.id = $1 AND mine.lease_until > ${TRANSACTION_MS}
        AND mine.since <= ${TRANSACTION_MS} - $2::bigint)`;
  // A replica that was suspended for hours may still look for its marks.
  const REMOVE_MARKERS = `
    DELETE FROM ${schema}.commit_marker WHERE written < now() - interval '1 day' AND NOT EXISTS (
      SELECT FROM ${schema}.replica WHERE replica.id = commit_marker.owner)`;
  const IS_VALID = `
    SELECT FROM ${schema}.replica WHERE id = $1 AND lease_until > ${TRANSACTION_MS}`;
  const END = `DELETE FROM ${schema}.replica WHERE id = $1`;
  let skewMs = 0;

  return {
    /** Begins or extends the lease. Other replicas may take over the rows of this replica if the lease is not extended in time. */
    async renew(): Promise<void> {
      const { nowMs, startMs, endMs } = await write(async ({ rows }) => {
        const startMs = clock.nowMs();
        const [renewed] = await rows<{ nowMs: number }>(RENEW, [owner, name, version, leaseMs]);
        return { nowMs: renewed?.nowMs ?? startMs, startMs, endMs: clock.nowMs() };
      });
      // A slow reply does not tell when the database read its clock.
      if (endMs - startMs < TOLERATED_SKEW_MS) skewMs = nowMs - (startMs + endMs) / 2;
    },

    /**
     * Returns the milliseconds that must be added to a time of this replica's clock to get the time of the database. Returns 0 if
     * the clocks differ by less than two seconds.
     */
    clockOffsetMs: (): number => (Math.abs(skewMs) < TOLERATED_SKEW_MS ? 0 : Math.round(skewMs)),

    /**
     * Locks the row of this replica for the transaction, so that no other replica can remove the row meanwhile. Resolves with
     * false if the lease has ended; in this case, the caller must not begin work that another replica could end.
     */
    async hold({ rows }: Queries): Promise<boolean> {
      return (await rows(HOLD, [owner])).length > 0;
    },

    /**
     * Removes the replicas whose leases have ended, so that their rows are abandoned. Removes nothing until this replica has
     * renewed its own lease for a whole lease without a gap, because after an outage of the database all leases have ended although
     * all replicas are running. Resolves with false if this replica's lease has ended; in this case, the caller must not take
     * over any rows.
     */
    async judge({ rows }: Queries): Promise<boolean> {
      await rows(REMOVE_ENDED, [owner, leaseMs]);
      await rows(REMOVE_MARKERS);
      return (await rows(IS_VALID, [owner])).length > 0;
    },

    /** Ends the lease, so that other replicas can take over the rows of this replica at once. */
    end: (): Promise<void> => write(async ({ rows }) => void (await rows(END, [owner]))),
  };
}
