import type { JobRecord } from '../../../jobs/job-store-port.ts';
import type { Postgres } from '../connection.ts';
import type { ReplicaLease } from '../replica-lease.ts';

/** A job that a transaction gives to this replica. */
interface Start {
  readonly job: Pick<JobRecord, 'sequence'>;
}

/**
 * Creates the memory of the jobs that transactions of unknown outcome may have given to this replica. If such a transaction was
 * committed, its jobs are `running` in the database, and nobody runs or ends them while this replica is alive. Before the replica
 * takes further jobs, it must therefore find out which of these jobs are its own.
 */
export function createUncertainStarts<Started extends Start>(
  { schema, owner, write }: Postgres,
  lease: Pick<ReplicaLease, 'hold'>,
) {
  let uncertain: readonly Started[] = [];
  // The inner statement waits for the end of the transaction, and reads the rows that the transaction leaves.
  const FIND = `
    SELECT seq AS sequence
    FROM (
      SELECT seq, status, owner FROM ${schema}.job WHERE seq = ANY ($1::bigint[]) FOR NO KEY UPDATE
    ) AS job
    WHERE status = 'running' AND owner = $2`;

  return {
    /** Runs a transaction, which passes the jobs that it starts to `note`. Remembers these jobs if the transaction fails. */
    async watch<T>(transaction: (note: (starts: readonly Started[]) => void) => Promise<T>) {
      let noted: readonly Started[] = [];
      try {
        return await transaction((starts) => {
          noted = starts;
        });
      } catch (error) {
        uncertain = [...uncertain, ...noted];
        throw error;
      }
    },

    /**
     * Resolves with the remembered jobs that belong to this replica, and forgets all of them. If the lease of this replica has
     * ended, resolves with undefined and forgets nothing. After undefined or a rejection, the replica must not take a job, because
     * the job may be one of the remembered jobs.
     */
    async settle(): Promise<readonly Started[] | undefined> {
      if (uncertain.length === 0) return [];
      const sequences = uncertain.map(({ job }) => job.sequence);
      const found = await write(async (queries) =>
        (await lease.hold(queries))
          ? queries.rows<{ readonly sequence: number }>(FIND, [sequences, owner])
          : undefined,
      );
      if (!found) return undefined;
      const own = new Set(found.map(({ sequence }) => sequence));
      const starts = uncertain;
      uncertain = [];
      return starts.filter(({ job }) => own.has(job.sequence));
    },
  };
}
