import * as v from 'valibot';
import { BridgeError } from '../../../errors/bridge-error.ts';
import { type StoredError, toStoredError } from '../../../errors/error-body.ts';
import type { JobRecord, JobStore, JobTotals } from '../../../jobs/job-store-port.ts';
import type { StoreDatabase } from '../database.ts';
import { NOTHING_COUNTED, prepareJobAccounts } from '../ledger-store.ts';
import { createJobChangeFeed, type JobChanges, prepareJobChanges } from './job-change-feed.ts';
import { type JobCounts, prepareJobCounts } from './job-counts.ts';
import { createJobEndings, type JobEnding, prepareJobEnding } from './job-endings.ts';
import { createJobInputs, createJobList } from './job-list.ts';
import { createJobRetention } from './job-retention.ts';
import { parseRecord, RECORD_COLUMNS } from './job-rows.ts';
import { createJobSubmission } from './job-submission.ts';

const FROM_JOB = `SELECT ${RECORD_COLUMNS} FROM job JOIN job_content ON job_content.seq = job.seq`;

const FIND = `${FROM_JOB} WHERE id = +? AND scope = +?`;
const FIND_BY_SEQUENCE = `${FROM_JOB} WHERE job.seq = +?`;
/**
 * Exported for tests of its query plan. A separate statement, because the same query as a part of the update takes ten times as
 * long.
 */
export const NEXT_JOB = `
  SELECT seq AS sequence, provider FROM job
  WHERE scope = +? AND status = 'queued' ORDER BY priority DESC, seq LIMIT 1`;
const CLAIM = `
  UPDATE job SET status = 'running', owner = @owner, started = @startedSecs, updated = @startedSecs
  WHERE seq = @sequence AND status = 'queued'`;
const ASK_TO_STOP = `
  UPDATE job SET cancel_requested = 1, updated = @atSecs
  WHERE seq = @sequence AND cancel_requested = 0`;
const MARK = `
  UPDATE job SET favorite = @favorite, deleted = @deleted, updated = @atSecs
  WHERE seq = @sequence AND (favorite <> @favorite OR deleted IS NOT @deleted)`;
const TOTALS = 'SELECT * FROM job_total';

const NextRow = v.optional(v.object({ sequence: v.number(), provider: v.string() }));
const IdRow = v.object({ id: v.string() });
const TotalRow = v.pipe(
  v.object({
    queued: v.number(),
    running: v.number(),
    succeeded: v.number(),
    failed: v.number(),
    cancelled: v.number(),
    interrupted: v.number(),
    hidden: v.number(),
    favorite: v.number(),
    bytes: v.number(),
    reserved: v.number(),
  }),
  v.transform(
    ({ hidden, favorite, bytes, reserved, ...byStatus }): JobTotals => ({
      byStatus,
      hidden,
      favorite,
      logicalBytes: bytes,
      reservedBytes: reserved,
    }),
  ),
);

export function createJobStore(database: StoreDatabase): JobStore {
  const find = database.prepare(FIND);
  const findBySequence = database.prepare(FIND_BY_SEQUENCE);
  const nextJob = database.prepare(NEXT_JOB);
  const claim = database.prepare(CLAIM);
  const totals = database.prepare(TOTALS);
  const counts = prepareJobCounts(database);
  const changes = prepareJobChanges(database);
  const accounts = prepareJobAccounts(database);
  const ending = prepareJobEnding(database, { counts, changes });

  function findOne(scope: string, id: string): JobRecord | undefined {
    const row = find.get(id, scope);
    return row === undefined ? undefined : parseRecord(row);
  }

  return {
    ...createJobSubmission(database, { counts, changes }),
    ...createJobEndings(database, ending),
    ...createJobList(database),
    ...createJobChangeFeed(database),
    ...createJobRetention(database, { counts, changes }),
    ...createJobInputs(database),
    ...createJobUpdates(database, { ending, counts, changes, findOne }),
    claim: (startedSecs) =>
      database.write(() => {
        for (;;) {
          const scope = counts.nextScope();
          if (scope === undefined) return undefined;
          const next = v.parse(NextRow, nextJob.get(scope));
          if (next === undefined) {
            counts.leaveQueue(scope);
            continue;
          }
          const { sequence, provider } = next;
          claim.run({ startedSecs, owner: database.owner, sequence });
          counts.start({ scope, provider });
          changes.note(sequence, scope);
          accounts.begin(sequence);
          const row = findBySequence.get(sequence);
          const job = readable(row);
          if (job !== undefined) return job;
          // An unreadable job must not block the jobs behind it in the queue. No provider was called for the unreadable job.
          const end = {
            status: 'failed',
            completedSecs: startedSecs,
            error: unreadable(),
            settlement: NOTHING_COUNTED,
          } as const;
          ending.end(sequence, 'running', end);
          return { ...v.parse(IdRow, row), scope, sequence };
        }
      }),
    find: (scope, id) => database.read(() => findOne(scope, id)),
    totals: () => database.read(() => v.parse(TotalRow, totals.get())),
  };
}

function readable(row: unknown): JobRecord | undefined {
  try {
    return parseRecord(row);
  } catch {
    return undefined;
  }
}

function unreadable(): StoredError {
  return toStoredError(new BridgeError('internal', 'the stored request of the job cannot be read'));
}

/** Creates the methods that change jobs on behalf of their owners. */
function createJobUpdates(
  database: StoreDatabase,
  {
    ending,
    counts,
    changes,
    findOne,
  }: {
    readonly ending: JobEnding;
    readonly counts: Pick<JobCounts, 'counting'>;
    readonly changes: Pick<JobChanges, 'note'>;
    readonly findOne: (scope: string, id: string) => JobRecord | undefined;
  },
): Pick<JobStore, 'cancel' | 'update'> {
  const askToStop = database.prepare(ASK_TO_STOP);
  const mark = database.prepare(MARK);

  return {
    cancel: (scope, id, { atSecs, error }) =>
      database.write(() => {
        const job = findOne(scope, id);
        if (!job) return undefined;
        const { sequence } = job;
        if (job.completedSecs !== undefined) return job;
        if (askToStop.run({ sequence, atSecs }).changes > 0) changes.note(sequence, scope);
        const end = {
          status: 'cancelled',
          completedSecs: atSecs,
          error,
        } as const;
        ending.end(sequence, 'queued', end);
        return findOne(scope, id);
      }),
    update: (scope, id, { atSecs, favorite, deleted }) =>
      database.write(() => {
        const job = findOne(scope, id);
        if (!job) return undefined;
        if (deleted && job.completedSecs === undefined) {
          throw new BridgeError('job_not_terminal', 'a job can be hidden only after it has ended');
        }
        const hiddenSecs = deleted ? (job.deletedSecs ?? atSecs) : undefined;
        const marks = {
          sequence: job.sequence,
          atSecs,
          favorite: Number(favorite ?? job.favorite),
          deleted: (deleted === undefined ? job.deletedSecs : hiddenSecs) ?? null,
        };
        const marked = counts.counting([job.sequence], () => mark.run(marks));
        if (marked.changes === 0) return job;
        changes.note(job.sequence, scope);
        return findOne(scope, id);
      }),
  };
}
