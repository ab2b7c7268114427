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
import { rowArrays } from '../row-arrays.ts';
import type { CommitNotice } from './commit-notices.ts';
import { createJobCounts, type JobMove, type NewChange, toScopeMove } from './job-counts.ts';
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

/** The changes of jobs that do not end, in the transaction that ends other jobs. */
interface OtherChanges {
  readonly changes?: readonly NewChange[];
  readonly notices?: readonly CommitNotice[];
}

const ENDS = rowArrays({
  seq: 'bigint',
  status: 'text',
  completed: 'bigint',
  error_code: 'text',
  artifacts: 'text',
  bytes: 'bigint',
  provider: 'text',
  model: 'text',
  result: 'text',
  partial_result: 'text',
  error: 'text',
});

/** Creates the function that stores the ends of jobs in the rows of the jobs, without their counts. */
function createEndRows({ schema }: Postgres) {
  const LIST_PENDING = `
    SELECT ${ARTIFACT_COLUMNS}, image AS facts
    FROM ${schema}.job_output JOIN ${schema}.artifact ON artifact.id = artifact_id
    WHERE seq = $1 AND state = 'pending' AND artifact_id = ANY ($2::text[])
    ORDER BY artifact.id FOR UPDATE OF artifact`;
  // A webhook is due at once, also if the clock of this replica is ahead of the database.
  const END = `
    WITH own AS MATERIALIZED (SELECT * FROM ${ENDS.sql} AS given), ended AS (
      UPDATE ${schema}.job AS job SET
        status = own.status, completed = own.completed, updated = own.completed, reserved = 0,
        error_code = own.error_code, artifacts = own.artifacts, bytes = job.bytes + own.bytes,
        provider = coalesce(own.provider, job.provider), model = coalesce(own.model, job.model),
        cancel_requested = CASE job.status WHEN 'queued' THEN 1 ELSE job.cancel_requested END
      FROM own WHERE job.seq = own.seq
    ), content AS (
      UPDATE ${schema}.job_content AS content SET
        result = own.result, partial_result = own.partial_result, error = own.error,
        cancellation = NULL
      FROM own WHERE content.seq = own.seq
    ), images AS (
      INSERT INTO ${schema}.job_image (artifact_id, seq, position)
      SELECT image ->> 'id', own.seq, place - 1
      FROM own, json_array_elements(own.artifacts::json) WITH ORDINALITY AS one (image, place)
      ON CONFLICT DO NOTHING
    ), outputs AS (
      DELETE FROM ${schema}.job_output AS output USING own WHERE output.seq = own.seq
    )
    UPDATE ${schema}.webhook AS webhook SET
      state = 'pending', due = least(own.completed * 1000, ${NOW_MS})
    FROM own WHERE webhook.seq = own.seq AND EXISTS (
      SELECT FROM json_array_elements_text(webhook.events::json) AS event WHERE event = own.status
    )`;

  async function pendingOf(
    queries: Queries,
    { job, end: { status, publications = [] } }: EndedJob,
  ): Promise<v.InferOutput<typeof PendingRows>> {
    if (status === 'succeeded' || publications.length === 0) return [];
    return v.parse(PendingRows, await queries.rows(LIST_PENDING, [job.sequence, publications]));
  }

  return async function store(
    queries: Queries,
    ended: readonly EndedJob[],
  ): Promise<readonly (EndedJob & StoredJobEnd)[]> {
    const stored: (EndedJob & StoredJobEnd)[] = [];
    const rows: Parameters<typeof ENDS.values>[0][number][] = [];
    for (const { job, end } of ended) {
      const { status, completedSecs, publications = [] } = end;
      const outputs = await pendingOf(queries, { job, end });
      const partial = status === 'succeeded' ? undefined : toPartialResult(outputs);
      const texts = toEndTexts(end, partial);
      rows.push({
        seq: job.sequence,
        status,
        completed: completedSecs,
        bytes: sizeOf(texts),
        error_code: texts.errorCode,
        artifacts: texts.artifacts,
        error: texts.error,
        provider: texts.provider,
        model: texts.model,
        result: texts.result,
        partial_result: texts.partial,
      });
      const bytes = job.bytes + sizeOf(texts);
      stored.push({
        job,
        end,
        move: toMove(job, { status, bytes, reserved: 0 }),
        kept: indicesOf(partial),
        published: status === 'succeeded' ? publications : outputs.map(({ id }) => id),
      });
    }
    if (rows.length > 0) await queries.rows(END, ENDS.values(rows));
    return stored;
  };
}

/** Ends jobs within the caller's transaction. */
export type JobEnding = ReturnType<typeof createJobEnding>;

export function createJobEnding(database: Postgres) {
  const counts = createJobCounts(database);
  const images = createJobImages(database);
  const accounts = createJobAccounts(database);
  const publish = createPublish(database);
  const store = createEndRows(database);

  /** Ends the accounts of jobs, and releases the charges of jobs that have not begun. */
  async function closeAccounts(
    queries: Queries,
    ended: readonly (EndedJob & Pick<StoredJobEnd, 'kept'>)[],
  ): Promise<void> {
    const begun = ended.filter(({ job }) => job.status !== 'queued');
    await accounts.close(
      queries,
      new Map(begun.map(({ job, end, kept }) => [job.id, { settlement: end.settlement, kept }])),
    );
    const queued = ended.filter(({ job }) => job.status === 'queued');
    await accounts.giveBack(
      queries,
      queued.map(({ job }) => job.sequence),
    );
  }

  return {
    /**
     * Ends locked jobs that are queued or running. The pending publications of a job without success become its partial result.
     * The rows that many transactions change are changed last, because each of these transactions waits for them. `more` has the
     * changes and the notices of other locked jobs.
     */
    async end(
      queries: Queries,
      ended: readonly EndedJob[],
      more: OtherChanges = {},
    ): Promise<void> {
      const { changes = [], notices = [] } = more;
      const jobs = ended.map(({ job }) => job);
      let stored: Awaited<ReturnType<typeof store>> = [];
      const imageMoves = await images.countingOf(queries, jobs, async () => {
        stored = await store(queries, ended);
      });
      await closeAccounts(queries, stored);
      const moves = stored.map(({ move }) => move);
      const scopeMoves = [...moves.map(toScopeMove), ...imageMoves];
      await counts.moveScopes(queries, scopeMoves, [...jobs, ...changes]);
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
      const allNotices = [...jobs.flatMap(endNotices), ...notices];
      await counts.moveTotals(queries, { moves, imageMoves, notices: allNotices });
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
