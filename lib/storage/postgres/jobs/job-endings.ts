import * as v from 'valibot';
import type { JobEnd, JobStore } from '../../../jobs/job-store-port.ts';
import { ARTIFACT_COLUMNS, ArtifactRow } from '../../artifact-rows.ts';
import {
  indicesOf,
  isSameEnd,
  OutputFacts,
  StoredEnd,
  sizeOf,
  toEndTexts,
  toInterruption,
  toPartialResult,
} from '../../jobs/job-end-texts.ts';
import { createPublish } from '../artifact-store.ts';
import type { Postgres, Queries } from '../connection.ts';
import { createJobAccounts } from '../ledger-store.ts';
import { isAbandonedSql, NOW_MS, type ReplicaLease } from '../replica-lease.ts';
import type { CommitNotice } from './commit-notices.ts';
import { createJobCounts, toScopeMove } from './job-counts.ts';
import { createJobImages } from './job-images.ts';
import { LOCKED_COLUMNS, type LockedJob, toMove } from './locked-job.ts';
import { recordTables } from './record-sql.ts';

const PendingRows = v.array(v.intersect([ArtifactRow, v.object({ facts: OutputFacts })]));
const Records = v.array(ArtifactRow);

/** Ends jobs within the caller's transaction. */
export type JobEnding = ReturnType<typeof createJobEnding>;

export function createJobEnding(database: Postgres) {
  const { schema } = database;
  const LIST_PENDING = `
    SELECT ${ARTIFACT_COLUMNS}, image AS facts
    FROM ${schema}.job_output JOIN ${schema}.artifact ON artifact.id = artifact_id
    WHERE seq = $1 AND state = 'pending' AND artifact_id = ANY ($2::text[])
    ORDER BY artifact.id FOR UPDATE OF artifact`;
  // A webhook is due at once, also if the clock of this replica is ahead of the database.
  const END = `
    WITH ended AS (
      UPDATE ${schema}.job SET
        status = $2, completed = $3, updated = $3, reserved = 0, error_code = $4, artifacts = $5,
        bytes = bytes + $6, provider = coalesce($7, provider), model = coalesce($8, model),
        cancel_requested = CASE status WHEN 'queued' THEN 1 ELSE cancel_requested END
      WHERE seq = $1
    ), content AS (
      UPDATE ${schema}.job_content SET
        result = $9, partial_result = $10, error = $11, cancellation = NULL
      WHERE seq = $1
    ), outputs AS (
      DELETE FROM ${schema}.job_output WHERE seq = $1
    )
    UPDATE ${schema}.webhook SET state = 'pending', due = least($3 * 1000, ${NOW_MS})
    WHERE seq = $1 AND EXISTS (
      SELECT FROM json_array_elements_text(events::json) AS event WHERE event = $2
    )`;
  const counts = createJobCounts(database);
  const images = createJobImages(database);
  const accounts = createJobAccounts(database);
  const publish = createPublish(database);

  return {
    /** Ends a locked job that is queued or running. The pending publications of a job without success become its partial result. */
    async end(queries: Queries, job: LockedJob, end: JobEnd): Promise<void> {
      const { sequence } = job;
      const { status, completedSecs, publications = [] } = end;
      const pending =
        status === 'succeeded' || publications.length === 0
          ? []
          : await queries.rows(LIST_PENDING, [sequence, publications]);
      const outputs = v.parse(PendingRows, pending);
      const partial = status === 'succeeded' ? undefined : toPartialResult(outputs);
      const texts = toEndTexts(end, partial);
      const size = job.bytes + sizeOf(texts);
      const moves = [toMove(job, { status, bytes: size, reserved: 0 })];
      const imageMoves = await images.countingOf(queries, [job], () =>
        queries.rows(END, [
          ...[sequence, status, completedSecs, texts.errorCode, texts.artifacts, sizeOf(texts)],
          ...[texts.provider, texts.model, texts.result, texts.partial, texts.error],
        ]),
      );
      await counts.moveScopes(queries, [...moves.map(toScopeMove), ...imageMoves], [job]);
      if (job.status === 'queued') await accounts.giveBack(queries, sequence);
      else {
        const { settlement } = end;
        await accounts.close(queries, job.id, { settlement, kept: indicesOf(partial) });
      }
      const published = status === 'succeeded' ? publications : outputs.map(({ id }) => id);
      if (published.length > 0) {
        await counts.lockActive(queries, job.provider);
        // The publications of a job without success may belong to another replica.
        await publish(queries, published, { isOwn: status === 'succeeded' });
      }
      await counts.moveTotals(queries, { moves, imageMoves, notices: endNotices(job) });
    },
  };
}

/** Returns the condition for a running job of a replica that is gone. Binds `$1` as `isAbandonedSql` does. */
export function abandonedSql(schema: string): string {
  return `status = 'running' AND ${isAbandonedSql(schema, 'job.owner')}`;
}

/** Returns the condition for a job that has a ticket for one of its calls. */
export function hasTicketSql(schema: string): string {
  return `EXISTS (SELECT FROM ${schema}.ledger_ticket WHERE ledger = job.id)`;
}

function endNotices({ id, scope }: LockedJob): readonly CommitNotice[] {
  return [
    { type: 'changed', scope },
    { type: 'ended', id },
  ];
}

export function createJobEndings(
  database: Postgres,
  { ending, lease }: { readonly ending: JobEnding; readonly lease: Pick<ReplicaLease, 'judge'> },
): Pick<JobStore, 'settle' | 'listAbandonedOutputs' | 'interruptAbandoned'> {
  const { schema, owner } = database;
  const LOCK = `
    SELECT ${LOCKED_COLUMNS} FROM ${schema}.job WHERE seq = $1 FOR NO KEY UPDATE`;
  const FIND_END = `
    SELECT status, completed AS "completedSecs", result, error
    FROM ${recordTables(schema)} WHERE job.seq = $1`;
  const ABANDONED = abandonedSql(schema);
  const ENDS = `${ABANDONED} AND NOT ${hasTicketSql(schema)}`;
  const LIST_ABANDONED = `SELECT seq AS sequence FROM ${schema}.job WHERE ${ENDS} ORDER BY seq`;
  const LOCK_ABANDONED = `
    SELECT ${LOCKED_COLUMNS} FROM ${schema}.job WHERE seq = $2 AND ${ENDS} FOR NO KEY UPDATE`;
  const LIST_ABANDONED_OUTPUTS = `
    SELECT ${ARTIFACT_COLUMNS} FROM ${schema}.artifact
    WHERE state = 'pending' AND id IN (
      SELECT artifact_id FROM ${schema}.job_output JOIN ${schema}.job ON job.seq = job_output.seq
      WHERE ${ABANDONED})`;

  /** Resolves with true if this replica has already stored exactly this end. */
  async function isStored({ rows }: Queries, job: LockedJob, end: JobEnd): Promise<boolean> {
    if (job.owner !== owner || job.status !== end.status) return false;
    const [stored] = await rows(FIND_END, [job.sequence]);
    return isSameEnd(v.parse(v.optional(StoredEnd), stored), end);
  }

  return {
    settle: (sequence, end) =>
      database.write(async (queries) => {
        const [job] = await queries.rows<LockedJob>(LOCK, [sequence]);
        if (!job) return false;
        if (job.status !== 'running') return isStored(queries, job, end);
        if (job.owner !== owner || (job.cancelRequested === 1 && end.status === 'succeeded')) {
          return false;
        }
        await ending.end(queries, job, end);
        return true;
      }),
    listAbandonedOutputs: () =>
      database.write(async (queries) =>
        (await lease.judge(queries))
          ? v.parse(Records, await queries.rows(LIST_ABANDONED_OUTPUTS, [owner]))
          : [],
      ),
    async interruptAbandoned(abandonedEnd) {
      const end = toInterruption(abandonedEnd);
      const found = await database.write(async (queries) =>
        (await lease.judge(queries))
          ? queries.rows<{ sequence: number }>(LIST_ABANDONED, [owner])
          : [],
      );
      let count = 0;
      // Each job ends in its own transaction, because a transaction must lock the rows of all its jobs before any counts.
      for (const { sequence } of found) {
        const isEnded = await database.write(async (queries) => {
          if (!(await lease.judge(queries))) return false;
          const [job] = await queries.rows<LockedJob>(LOCK_ABANDONED, [owner, sequence]);
          if (job) await ending.end(queries, job, end);
          return job !== undefined;
        });
        count += Number(isEnded);
      }
      return count;
    },
  };
}
