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
import { createGroupCommit } from '../group-commit.ts';
import { createJobAccounts } from '../ledger-store.ts';
import { isAbandonedSql, NOW_MS, type ReplicaLease } from '../replica-lease.ts';
import type { CommitNotice } from './commit-notices.ts';
import { createJobCounts, type JobMove, toScopeMove } from './job-counts.ts';
import { createJobImages } from './job-images.ts';
import { LOCKED_COLUMNS, type LockedJob, toMove } from './locked-job.ts';
import { recordTables } from './record-sql.ts';

const PendingRows = v.array(v.intersect([ArtifactRow, v.object({ facts: OutputFacts })]));
const Records = v.array(ArtifactRow);

/** A locked job, and its end. */
interface EndedJob {
  readonly job: LockedJob;
  readonly end: JobEnd;
}

/** The facts that the counts need about the stored end of a job. */
interface StoredJobEnd {
  readonly move: JobMove;
  /** The indices of the outputs whose images are kept. */
  readonly kept: ReturnType<typeof indicesOf>;
  /** The ids of the publications that become artifacts. */
  readonly published: readonly string[];
}

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
    ), images AS (
      INSERT INTO ${schema}.job_image (artifact_id, seq, position)
      SELECT image ->> 'id', $1, place - 1
      FROM json_array_elements($5::text::json) WITH ORDINALITY AS one (image, place)
      ON CONFLICT DO NOTHING
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

  /** Stores the end of a job in the rows of the job, without its counts. */
  async function store(queries: Queries, { job, end }: EndedJob): Promise<StoredJobEnd> {
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
    await queries.rows(END, [
      ...[sequence, status, completedSecs, texts.errorCode, texts.artifacts, sizeOf(texts)],
      ...[texts.provider, texts.model, texts.result, texts.partial, texts.error],
    ]);
    return {
      move: toMove(job, { status, bytes: size, reserved: 0 }),
      kept: indicesOf(partial),
      published: status === 'succeeded' ? publications : outputs.map(({ id }) => id),
    };
  }

  /** Ends the accounts of jobs, and gives back the charges of jobs that have not begun. */
  async function closeAccounts(
    queries: Queries,
    ended: readonly (EndedJob & Pick<StoredJobEnd, 'kept'>)[],
  ): Promise<void> {
    const begun = ended.filter(({ job }) => job.status !== 'queued');
    await accounts.close(
      queries,
      new Map(begun.map(({ job, end, kept }) => [job.id, { settlement: end.settlement, kept }])),
    );
    for (const { job } of ended) {
      if (job.status === 'queued') await accounts.giveBack(queries, job.sequence);
    }
  }

  return {
    /**
     * Ends locked jobs that are queued or running. The pending publications of a job without success become its partial result.
     * The rows that many transactions change are changed last, because each of these transactions waits for them.
     */
    async end(queries: Queries, ended: readonly EndedJob[]): Promise<void> {
      const jobs = ended.map(({ job }) => job);
      const stored: (EndedJob & StoredJobEnd)[] = [];
      const imageMoves = await images.countingOf(queries, jobs, async () => {
        for (const one of ended) stored.push({ ...one, ...(await store(queries, one)) });
      });
      await closeAccounts(queries, stored);
      const moves = stored.map(({ move }) => move);
      await counts.moveScopes(queries, [...moves.map(toScopeMove), ...imageMoves], jobs);
      const published = stored.filter((one) => one.published.length > 0);
      if (published.length > 0) {
        await counts.lockActive(
          queries,
          published.map(({ job }) => job.provider),
        );
        // The publications of a job without success may belong to another replica.
        for (const isOwn of [true, false]) {
          const ids = published.filter(({ end }) => (end.status === 'succeeded') === isOwn);
          await publish(
            queries,
            ids.flatMap((one) => one.published),
            { isOwn },
          );
        }
      }
      await counts.moveTotals(queries, { moves, imageMoves, notices: jobs.flatMap(endNotices) });
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

/** The end of a running job that this replica asks for. */
interface Settled {
  readonly sequence: number;
  readonly end: JobEnd;
}

// A group of this size ends in about 100 milliseconds.
const LARGEST_GROUP = 32;

export function createJobEndings(
  database: Postgres,
  { ending, lease }: { readonly ending: JobEnding; readonly lease: Pick<ReplicaLease, 'judge'> },
): Pick<JobStore, 'settle' | 'listAbandonedOutputs' | 'interruptAbandoned'> {
  const { schema, owner } = database;
  const LOCK = `
    SELECT ${LOCKED_COLUMNS} FROM ${schema}.job WHERE seq = ANY ($1::bigint[])
    ORDER BY seq FOR NO KEY UPDATE`;
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

  /** Resolves with false for a job that can no longer end in this way. */
  function settleGroup(group: readonly Settled[]): Promise<readonly boolean[]> {
    const sequences = group.map(({ sequence }) => sequence);
    return database.write(async (queries) => {
      // Two ends of one job are stored one after the other.
      if (new Set(sequences).size < sequences.length) throw new Error('a group ends a job twice');
      const locked = await queries.rows<LockedJob>(LOCK, [sequences]);
      const jobs = new Map(locked.map((job) => [job.sequence, job]));
      const ended: { job: LockedJob; end: JobEnd }[] = [];
      const answers: boolean[] = [];
      for (const { sequence, end } of group) {
        const job = jobs.get(sequence);
        const isRepeated = job?.status !== 'running';
        const isRefused = job?.cancelRequested === 1 && end.status === 'succeeded';
        const mayEnd = job?.owner === owner && !isRepeated && !isRefused;
        if (job && mayEnd) ended.push({ job, end });
        answers.push(mayEnd || (job && isRepeated ? await isStored(queries, job, end) : false));
      }
      if (ended.length > 0) await ending.end(queries, ended);
      return answers;
    });
  }

  const settle = createGroupCommit(settleGroup, LARGEST_GROUP);

  return {
    settle: (sequence, end) => settle({ sequence, end }),
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
          if (job) await ending.end(queries, [{ job, end }]);
          return job !== undefined;
        });
        count += Number(isEnded);
      }
      return count;
    },
  };
}
