import * as v from 'valibot';
import { JOB_STATUSES, type PartialResult } from '../../../contract/resources/job.ts';
import type { EarlierWork } from '../../../generation/earlier-work-port.ts';
import type { JobEnd, JobRecord, JobStore } from '../../../jobs/job-store-port.ts';
import { ARTIFACT_COLUMNS, ArtifactRow } from '../../artifact-rows.ts';
import {
  indicesOf,
  isSameEnd,
  OutputFacts,
  StoredEnd,
  sizeOf,
  toEarlierImages,
  toEndTexts,
  toInterruption,
  toPartialResult,
} from '../../jobs/job-end-texts.ts';
import { prepareCount, preparePublish } from '../artifact-store.ts';
import type { StoreDatabase } from '../database.ts';
import { prepareJobAccounts } from '../ledger-store.ts';
import { isAbandonedSql } from '../owner-lease.ts';
import type { JobChanges } from './job-change-feed.ts';
import type { JobCounts } from './job-counts.ts';
import { prepareImages } from './job-lineage.ts';

const END = `
  UPDATE job SET
    status = @status, owner = NULL, completed = @completed, updated = @completed, reserved = 0,
    error_code = @errorCode, artifacts = @artifacts, bytes = bytes + @bytes,
    provider = coalesce(@provider, provider), model = coalesce(@model, model)
  WHERE seq = @seq`;
const MAY_END = `
  SELECT id, scope, provider, status, favorite, bytes, reserved FROM job
  WHERE seq = @seq AND status = @from AND owner IS @owner
    AND (cancel_requested = 0 OR @status <> 'succeeded')`;
const END_CONTENT = `
  UPDATE job_content SET
    result = @result, partial_result = @partial, error = @error, cancellation = NULL
  WHERE seq = @seq`;
const MAKE_WEBHOOK_DUE = `
  UPDATE webhook SET state = 'pending', due = @completed * 1000
  WHERE seq = @seq AND EXISTS (SELECT 1 FROM json_each(events) WHERE value = +@status)`;
const FIND_END = `
  SELECT status, completed AS completedSecs, result, error
  FROM job JOIN job_content ON job_content.seq = job.seq WHERE job.seq = +?`;
const HAS_TICKET = 'EXISTS (SELECT 1 FROM ledger_ticket WHERE ledger = job.id)';
const LIST_ABANDONED = `
  SELECT seq, owner FROM job WHERE status = 'running' AND ${isAbandonedSql('job')} AND NOT ${HAS_TICKET}`;
const FIND_RESUMABLE = `
  SELECT seq, owner FROM job WHERE status = 'running' AND ${isAbandonedSql('job')} AND ${HAS_TICKET}
  ORDER BY seq LIMIT 1`;
const RESUME = 'UPDATE job SET owner = @owner WHERE seq = @seq';
const RESUME_OUTPUTS = `
  UPDATE artifact SET owner = @owner
  WHERE state = 'pending' AND id IN (SELECT value FROM json_each(+@ids))
    AND id IN (SELECT artifact_id FROM job_output WHERE seq = +@seq)`;
const UNLINK_OTHERS = `
  DELETE FROM job_output
  WHERE seq = +@seq AND artifact_id NOT IN (SELECT value FROM json_each(+@ids))`;

const LIST_PENDING_OUTPUTS = `
  SELECT ${ARTIFACT_COLUMNS}, image AS facts FROM job_output JOIN artifact ON artifact.id = artifact_id
  WHERE seq = +@sequence AND state = 'pending'
    AND artifact_id IN (SELECT value FROM json_each(+@ids))`;
const PUBLISH_OUTPUT = `
  UPDATE artifact SET state = 'published', owner = NULL WHERE state = 'pending' AND id = ?`;
const REMOVE_OUTPUTS = 'DELETE FROM job_output WHERE seq = ?';
/** Binds `@owner`. */
const LIST_ABANDONED_OUTPUTS = `
  SELECT ${ARTIFACT_COLUMNS} FROM artifact
  WHERE state = 'pending' AND id IN (
    SELECT artifact_id FROM job_output JOIN job ON job.seq = job_output.seq
    WHERE job.status = 'running' AND ${isAbandonedSql('job')})`;

const FoundJob = v.optional(
  v.object({
    id: v.string(),
    scope: v.string(),
    provider: v.string(),
    status: v.picklist(JOB_STATUSES),
    favorite: v.number(),
    bytes: v.number(),
    reserved: v.number(),
  }),
);
const Records = v.array(ArtifactRow);
const FoundEnd = v.optional(StoredEnd);
const AbandonedRow = v.object({ seq: v.number(), owner: v.nullable(v.string()) });
const AbandonedRows = v.array(AbandonedRow);
const FoundAbandoned = v.optional(AbandonedRow);

const PendingRows = v.array(v.intersect([ArtifactRow, v.object({ facts: OutputFacts })]));

/** Ends jobs within the caller's transaction. */
export type JobEnding = ReturnType<typeof prepareJobEnding>;

export function prepareJobEnding(
  database: StoreDatabase,
  {
    counts,
    changes,
  }: { readonly counts: Pick<JobCounts, 'end'>; readonly changes: Pick<JobChanges, 'note'> },
) {
  const mayEnd = database.prepare(MAY_END);
  const endJob = database.prepare(END);
  const endContent = database.prepare(END_CONTENT);
  const makeWebhookDue = database.prepare(MAKE_WEBHOOK_DUE);
  const removeOutputs = database.prepare(REMOVE_OUTPUTS);
  const publish = preparePublish(database);
  const keep = prepareKeep(database);
  const insertImages = prepareImages(database);
  const accounts = prepareJobAccounts(database);

  return {
    /**
     * Ends the job. Returns false, and changes nothing, if the job does not have the status `from`, if a running job belongs to
     * another owner, or if a job with a requested cancellation would succeed. By default, a running job must belong to this
     * process.
     */
    end(
      seq: number,
      from: 'queued' | 'running',
      end: JobEnd,
      owner: string | null = from === 'running' ? database.owner : null,
    ): boolean {
      const { status, completedSecs: completed } = end;
      const job = v.parse(FoundJob, mayEnd.get({ seq, from, owner, status }));
      if (job === undefined) return false;
      const partial = status === 'succeeded' ? undefined : keep(seq, end.publications ?? []);
      const texts = toEndTexts(end, partial);
      endJob.run({ ...texts, seq, status, completed, bytes: sizeOf(texts) });
      insertImages(seq);
      counts.end(seq, job);
      changes.note(seq, job.scope);
      if (from === 'queued') accounts.giveBack(seq);
      else accounts.close(job.id, { settlement: end.settlement, kept: indicesOf(partial) });
      endContent.run({ ...texts, seq });
      if (status === 'succeeded') publish(end.publications);
      removeOutputs.run(seq);
      makeWebhookDue.run({ seq, status, completed });
      return true;
    },
  };
}

export function createJobEndings(
  database: StoreDatabase,
  {
    ending,
    findRecord,
  }: {
    readonly ending: JobEnding;
    /** Returns the job, or undefined if its request cannot be read. */
    readonly findRecord: (sequence: number) => JobRecord | undefined;
  },
): Pick<JobStore, 'settle' | 'listAbandonedOutputs' | 'resumeAbandoned' | 'interruptAbandoned'> {
  const resume = prepareResume(database);
  const findResumable = database.prepare(FIND_RESUMABLE);
  const findEnd = database.prepare(FIND_END);
  const listAbandoned = database.prepare(LIST_ABANDONED);
  const listOutputs = database.prepare(LIST_ABANDONED_OUTPUTS);
  const { owner: self } = database;

  return {
    settle: (sequence, end) =>
      database.write(
        () =>
          ending.end(sequence, 'running', end) ||
          isSameEnd(v.parse(FoundEnd, findEnd.get(sequence)), end),
      ),
    listAbandonedOutputs: () =>
      database.read(() => v.parse(Records, listOutputs.all({ owner: self }))),
    resumeAbandoned: (abandoned) =>
      database.write(() => {
        for (;;) {
          const found = v.parse(FoundAbandoned, findResumable.get({ owner: self }));
          if (!found) return undefined;
          const { seq, owner } = found;
          const job = findRecord(seq);
          const earlier = job && resume(job, abandoned.publications ?? []);
          if (earlier) return { job, earlier };
          ending.end(seq, 'running', toInterruption(abandoned), owner);
        }
      }),
    interruptAbandoned: (abandonedEnd) =>
      database.write(() => {
        const end = toInterruption(abandonedEnd);
        const found = listAbandoned.all({ owner: self });
        const abandoned = v.parse(AbandonedRows, found);
        for (const { seq, owner } of abandoned) ending.end(seq, 'running', end, owner);
        return abandoned.length;
      }),
  };
}

/** Prepares the statements that move a running job to this process within the caller's transaction. */
function prepareResume(database: StoreDatabase) {
  const resumeJob = database.prepare(RESUME);
  const resumeOutputs = database.prepare(RESUME_OUTPUTS);
  const unlinkOthers = database.prepare(UNLINK_OTHERS);
  const listPending = database.prepare(LIST_PENDING_OUTPUTS);
  const accounts = prepareJobAccounts(database);
  const { owner } = database;

  return (
    { id, sequence: seq }: JobRecord,
    publications: readonly string[],
  ): EarlierWork | undefined => {
    const ids = JSON.stringify(publications);
    const outputs = v.parse(PendingRows, listPending.all({ sequence: seq, ids }));
    const earlier = accounts.findEarlierWork(id, toEarlierImages(outputs));
    if (!earlier) return undefined;
    resumeJob.run({ owner, seq });
    resumeOutputs.run({ owner, seq, ids });
    unlinkOthers.run({ seq, ids });
    return earlier;
  };
}

/** Prepares the statements that keep the published images of a job within the transaction that ends the job. */
function prepareKeep(database: StoreDatabase) {
  const listPending = database.prepare(LIST_PENDING_OUTPUTS);
  const publish = database.prepare(PUBLISH_OUTPUT);
  const count = prepareCount(database);

  /**
   * Publishes the artifacts with these ids that are pending, in any process, as a partial result. Returns undefined if no
   * artifact is pending.
   */
  return (sequence: number, ids: readonly string[]): PartialResult | undefined => {
    if (ids.length === 0) return undefined;
    const found = listPending.all({ sequence, ids: JSON.stringify(ids) });
    const outputs = v.parse(PendingRows, found);
    for (const { id } of outputs) if (publish.run(id).changes > 0) count(id, 1);
    return toPartialResult(outputs);
  };
}
