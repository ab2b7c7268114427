import { BridgeError, toBridgeError } from '../../../errors/bridge-error.ts';
import type { JobAdmission, JobStore, NewJob } from '../../../jobs/job-store-port.ts';
import { refuseDifferent } from '../../../replay/replay-store-port.ts';
import { refuseBeyondAllowance } from '../../allowance.ts';
import { refuseBeyondLimits } from '../../jobs/job-limits.ts';
import { parseRecord, ROW_BYTES } from '../../jobs/job-rows.ts';
import { textOf } from '../../jobs/new-job.ts';
import type { Postgres, Queries } from '../connection.ts';
import { createGroupCommit } from '../group-commit.ts';
import { NOW_MS, type ReplicaLease } from '../replica-lease.ts';
import {
  type AllScopes,
  type Answer,
  decide,
  type EarlierJob,
  needsAllScopes,
  type Submission,
  sha256sOf,
} from './decide-submissions.ts';
import { createJobInserts } from './insert-jobs.ts';
import { createJobImages } from './job-images.ts';
import { recordColumns, recordTables } from './record-sql.ts';

// During the transaction of a full group, which takes about 50 milliseconds, no other replica can change jobs.
const LARGEST_GROUP = 256;

/**
 * Creates the methods that accept jobs. Jobs that arrive while a transaction runs are accepted together in the next transaction. The
 * limits, the allowances and the keys hold for all replicas, because the transaction locks their counts before it reads them.
 */
export function createJobSubmission(
  database: Postgres,
  { clockOffsetMs }: Pick<ReplicaLease, 'clockOffsetMs'>,
): Pick<JobStore, 'submit' | 'refuseWhenFull' | 'findByKey'> {
  const reads = createAdmissionReads(database);
  const inserts = createJobInserts(database);
  const images = createJobImages(database);

  /** Accepts or rejects each job of a group, in the order of the group. */
  async function decideGroup(
    queries: Queries,
    group: readonly Submission[],
  ): Promise<readonly Answer[]> {
    const sha256s = [...new Set(group.flatMap(({ job }) => sha256sOf(job)))];
    await images.lock(queries, sha256s);
    const holders = await images.held(queries, sha256s);
    const locked = await inserts.lock(queries, group, holders);
    const earlier = await reads.findEarlier(queries, group);
    const all = needsAllScopes(group, locked) ? await reads.allScopes(queries) : undefined;
    // Read after the locks, because other replicas may remove images while this replica waits or is suspended.
    const hasImages = group.some(({ admission }) => admission.imagesStoredMs !== undefined);
    const nowMs = hasImages ? (await reads.nowMs(queries)) - clockOffsetMs() : undefined;
    const decisions = decide(group, { ...locked, all, earlier, nowMs });
    const { accepted, answers } = decisions;
    if (accepted.length > 0) {
      const used = [...new Set(accepted.flatMap(({ job }) => sha256sOf(job)))];
      await inserts.insert(queries, decisions, await images.held(queries, used));
    }
    return answers;
  }

  async function submitGroup(group: readonly Submission[]): Promise<readonly Answer[]> {
    const submission = database.attempt((queries) => decideGroup(queries, group));
    try {
      return await submission.run();
    } catch (error) {
      throw submission.mayBeCommitted() ? perhapsAccepted(error) : error;
    }
  }

  const submit = createGroupCommit(submitGroup, LARGEST_GROUP);

  return {
    async submit(job, admission) {
      const answer = await submit({ job, admission, ...textOf(job) });
      if ('error' in answer) throw answer.error;
      return answer;
    },
    refuseWhenFull: (scope, { reservation, ...limits }, keyHash) =>
      database.read(async (queries) => {
        const use = await reads.use(queries, { scope, keyHash, ...reservation });
        if (use.isKnown) return;
        refuseBeyondAllowance(reservation, use.charged, reservation.images);
        const { queuingScopes, holdingScopes } = use;
        refuseBeyondLimits(
          limits,
          { ...use, queuingScopes: () => queuingScopes, holdingScopes: () => holdingScopes },
          ROW_BYTES,
        );
      }),
    findByKey: (key) =>
      database.read(async (queries) => {
        const [earlier] = await reads.findEarlier(queries, [{ admission: { key } }]);
        if (earlier?.key) refuseDifferent(earlier.key, key);
        return earlier?.job;
      }),
  };
}

/** Returns the error for jobs whose outcome is unknown. The jobs may run, so a request without a key must not be sent again. */
function perhapsAccepted(thrown: unknown): BridgeError {
  return toBridgeError(thrown).with({ details: { outcome: 'unknown' } });
}

/** The id and the key that an earlier job may have, or only the key. */
interface Sought {
  readonly job?: Pick<NewJob, 'id' | 'scope'>;
  readonly admission: Pick<JobAdmission, 'key'>;
}

interface Use {
  readonly isKnown: boolean;
  readonly charged: number;
  readonly queued: number;
  readonly held: number;
  readonly ownQueued: number;
  readonly ownHeld: number;
  readonly queuingScopes: number;
  readonly holdingScopes: number;
}

function createAdmissionReads({ schema }: Pick<Postgres, 'schema'>) {
  const FIND_EARLIER = `
    SELECT key_hash AS "keyHash", fingerprint, ${recordColumns(schema)}
    FROM ${recordTables(schema)} WHERE job.seq IN (
      SELECT seq FROM ${schema}.job_content WHERE key_hash = ANY ($1::text[])
      UNION ALL
      SELECT seq FROM unnest($2::text[], $3::text[]) AS sent (id, scope)
      JOIN ${schema}.job USING (id, scope)
    )`;
  const ALL_SCOPES = `
    SELECT
      (SELECT min(turn) FROM ${schema}.job_scope WHERE queued > 0) AS "lowestTurn",
      (SELECT count(*) FROM ${schema}.job_scope WHERE queued > 0) AS "queuingScopes",
      (SELECT count(*) FROM ${schema}.job_scope WHERE held > 0) AS "holdingScopes"`;
  const NOW = `SELECT ${NOW_MS} AS "nowMs"`;
  // The requesting scope is always counted, because it may have no job yet.
  const USE = `
    SELECT
      EXISTS (SELECT FROM ${schema}.job_content WHERE key_hash = $2) AS "isKnown",
      coalesce((SELECT images FROM ${schema}.charge WHERE token = $3 AND day = $4), 0) AS charged,
      job_total.queued, job_total.bytes + job_total.reserved AS held,
      coalesce(own.queued, 0) AS "ownQueued", coalesce(own.held, 0) AS "ownHeld",
      1 + (SELECT count(*) FROM ${schema}.job_scope WHERE queued > 0 AND scope <> $1)
        AS "queuingScopes",
      1 + (SELECT count(*) FROM ${schema}.job_scope WHERE held > 0 AND scope <> $1)
        AS "holdingScopes"
    FROM ${schema}.job_total LEFT JOIN ${schema}.job_scope AS own ON own.scope = $1`;

  return {
    /** Resolves with the jobs that were accepted with these ids or under these keys. */
    async findEarlier(
      { rows }: Queries,
      sought: readonly Sought[],
    ): Promise<readonly EarlierJob[]> {
      const jobs = sought.flatMap(({ job }) => job ?? []);
      const found = await rows<{ keyHash: string | null; fingerprint: string }>(FIND_EARLIER, [
        sought.flatMap(({ admission: { key } }) => key?.hash ?? []),
        jobs.map(({ id }) => id),
        jobs.map(({ scope }) => scope),
      ]);
      return found.map(({ keyHash, fingerprint, ...row }) => ({
        key: keyHash === null ? undefined : { hash: keyHash, fingerprint },
        job: parseRecord(row),
      }));
    },

    /** Resolves with the counts of all scopes. Called after `lock`, so that the counts are the latest. */
    async allScopes({ rows }: Queries): Promise<AllScopes | undefined> {
      const [all] = await rows<Omit<AllScopes, 'lowestTurn'> & { lowestTurn: number | null }>(
        ALL_SCOPES,
      );
      return all && { ...all, lowestTurn: all.lowestTurn ?? undefined };
    },

    /** Resolves with the time of the database in Unix milliseconds. */
    async nowMs({ rows }: Queries): Promise<number> {
      const [now] = await rows<{ nowMs: number }>(NOW);
      if (!now) throw new BridgeError('internal', 'a query returned no row');
      return now.nowMs;
    },

    async use(
      { rows }: Queries,
      of: { scope: string; keyHash: string | undefined; token: string; day: number },
    ): Promise<Use> {
      const [use] = await rows<Use>(USE, [of.scope, of.keyHash, of.token, of.day]);
      if (!use) throw new BridgeError('internal', 'the state database has no totals of jobs');
      return use;
    },
  };
}
