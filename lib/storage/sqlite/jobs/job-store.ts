import * as v from 'valibot';
import { OWN_PROVIDER } from '../../../contract/request/own-work.ts';
import { inputsOf } from '../../../contract/resources/job.ts';
import { BridgeError } from '../../../errors/bridge-error.ts';
import { toStoredError } from '../../../errors/error-body.ts';
import type {
  ClaimLimits,
  JobAdmission,
  JobCancellation,
  JobRecord,
  JobStore,
  NewJob,
} from '../../../jobs/job-store-port.ts';
import { refuseDifferent } from '../../../replay/replay-store-port.ts';
import { NOTHING_COUNTED } from '../../accounts.ts';
import { HELD_COLUMNS, heldColumns } from '../../budgets.ts';
import { refuseBeyondLimits } from '../../jobs/job-limits.ts';
import { refuseOtherPriority } from '../../jobs/job-priority.ts';
import {
  jobColumns,
  parseCancellation,
  parseReadable,
  parseRecord,
  parseTotals,
  ROW_BYTES,
} from '../../jobs/job-rows.ts';
import { queuedJob, textOf } from '../../jobs/new-job.ts';
import type { StoreDatabase } from '../database.ts';
import { prepareJobAccounts } from '../ledger-store.ts';
import { prepareCharges } from '../usage-store.ts';
import { createImageMarks } from './image-marks.ts';
import { createJobChangeFeed, type JobChanges, prepareJobChanges } from './job-change-feed.ts';
import { type JobCounts, prepareJobCounts } from './job-counts.ts';
import { createJobEndings, type JobEnding, prepareJobEnding } from './job-endings.ts';
import { createJobLineage, PARENTS, prepareParents } from './job-lineage.ts';
import { createJobInputs, createJobList } from './job-list.ts';
import { createJobRetention } from './job-retention.ts';

/** The columns that `parseRecord` reads. */
const RECORD = `${jobColumns()},
  (SELECT json_object(
      'url', url, 'events', json(events), 'state', state, 'attempts', attempts,
      'lastStatus', last_status
    ) FROM webhook WHERE webhook.seq = job.seq) AS webhook,
  ${PARENTS}`;

const INSERT = `
  INSERT INTO job (
    id, scope, status, priority, created, updated, operation, provider, model, outputs, size, inputs,
    bytes, reserved, prompt, token, labels,
    group_id, group_row, group_column
  )
  VALUES (
    @id, @scope, 'queued', @priority, @createdSecs, @createdSecs, @operation, @provider, @model,
    @outputs, @size, @inputs, @bytes, @reservedBytes, @prompt, @token, @labels,
    @groupId, @groupRow, @groupColumn
  )`;
const INSERT_CONTENT = `
  INSERT INTO job_content (
    seq, request_id, retry_of, key_hash, fingerprint, request, day, allowance, ${HELD_COLUMNS}
  )
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const INSERT_INPUT = `
  INSERT INTO job_input (seq, sha256, bytes) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`;
const INSERT_LABEL = 'INSERT INTO job_label (scope, label, seq) VALUES (?, ?, ?)';
const REMOVE_LABELS = 'DELETE FROM job_label WHERE seq = ?';
const INSERT_WEBHOOK = 'INSERT INTO webhook (seq, url, host, events) VALUES (?, ?, ?, ?)';
const FIND_BY_KEY = `
  SELECT fingerprint, ${RECORD} FROM job_content JOIN job ON job.seq = job_content.seq
  WHERE key_hash = +?`;
const FILLED = `
  SELECT
    job_total.queued, bytes + reserved AS held,
    coalesce(own.queued, 0) AS ownQueued, coalesce(own.held, 0) AS ownHeld
  FROM job_total LEFT JOIN job_scope AS own ON scope = +?`;
// The requesting scope is always counted, because it may have no row yet.
const QUEUING_SCOPES = 'SELECT 1 + count(*) FROM job_scope WHERE queued > 0 AND scope <> ?';
const HOLDING_SCOPES = 'SELECT 1 + count(*) FROM job_scope WHERE scope <> ?';

const FROM_JOB = `SELECT ${RECORD} FROM job JOIN job_content ON job_content.seq = job.seq`;

const FIND = `${FROM_JOB} WHERE id = +? AND scope = +?`;
const FIND_SEQUENCE = 'SELECT seq FROM job WHERE id = +? AND scope = +?';
const FIND_BY_SEQUENCE = `${FROM_JOB} WHERE job.seq = +?`;
/**
 * Exported for tests of its query plan. The query is a separate statement, because as a part of the update it takes ten times
 * as long.
 */
export const NEXT_JOB = `
  SELECT seq AS sequence, provider FROM job
  WHERE scope = +? AND status = 'queued' ORDER BY priority DESC, seq LIMIT 1`;
/**
 * Exported for tests of its query plan. The order of the queue has a `+`, so that the jobs of other providers are not read in that
 * order.
 */
export const NEXT_JOB_OF_PROVIDER = `
  SELECT seq AS sequence, provider FROM job
  WHERE scope = +? AND provider = +? AND status = 'queued' ORDER BY +priority DESC, seq LIMIT 1`;
const CLAIM = `
  UPDATE job SET status = 'running', owner = @owner, started = @startedSecs, updated = @startedSecs
  WHERE seq = @sequence AND status = 'queued'`;
const ASK_TO_STOP = `
  UPDATE job SET cancel_requested = 1, updated = @atSecs
  WHERE seq = @sequence AND cancel_requested = 0`;
// A request that stops the calls in flight replaces a request that lets these calls finish.
const REQUEST_CANCELLATION = `
  UPDATE job_content SET cancellation = @cancellation
  WHERE seq = @sequence AND (
    cancellation IS NULL
    OR cancellation ->> '$.inFlight' = 'finish' AND @cancellation ->> '$.inFlight' = 'stop'
  )`;
const LIST_CANCELLATIONS = `
  SELECT job.seq AS sequence, id, scope, cancellation FROM job
  JOIN job_content ON job_content.seq = job.seq
  WHERE status = 'running' AND owner = ? AND cancellation IS NOT NULL`;
const MARK = `
  UPDATE job SET
    favorite = @favorite, own_favorite = coalesce(@ownFavorite, own_favorite), deleted = @deleted,
    priority = @priority, updated = @atSecs,
    labels = @labels, bytes = bytes + octet_length(@labels) - octet_length(labels)
  WHERE seq = @sequence
    AND (
      favorite <> @favorite OR own_favorite <> @ownFavorite OR deleted IS NOT @deleted OR priority <> @priority OR labels <> @labels
    )`;
const TOTALS = 'SELECT * FROM job_total';

const KeyRow = v.object({ fingerprint: v.string() });
const FilledRow = v.object({
  queued: v.number(),
  held: v.number(),
  ownQueued: v.number(),
  ownHeld: v.number(),
});
const NextRow = v.optional(v.object({ sequence: v.number(), provider: v.string() }));
const IdRow = v.object({ id: v.string() });

export function createJobStore(database: StoreDatabase): JobStore {
  const find = database.prepare(FIND);
  const findBySequence = database.prepare(FIND_BY_SEQUENCE);
  const nextJob = database.prepare(NEXT_JOB);
  const nextJobOfProvider = database.prepare(NEXT_JOB_OF_PROVIDER);
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

  function hasRoom({ maxRunning = Number.POSITIVE_INFINITY }: ClaimLimits): boolean {
    return (
      maxRunning === Number.POSITIVE_INFINITY ||
      parseTotals(totals.get()).byStatus.running < maxRunning
    );
  }

  const nextOf = (scope: string, { isOwnWork }: ClaimLimits) =>
    v.parse(NextRow, isOwnWork ? nextJobOfProvider.get(scope, OWN_PROVIDER) : nextJob.get(scope));

  return {
    ...createJobSubmission(database, { counts, changes, findOne }),
    ...createJobEndings(database, {
      ending,
      findRecord: (sequence) => parseReadable(findBySequence.get(sequence)),
    }),
    ...createJobList(database),
    ...createJobLineage(database),
    ...createJobChangeFeed(database),
    ...createJobRetention(database, { counts, changes }),
    ...createJobInputs(database),
    ...createImageMarks(database, { counts, changes }),
    ...createJobUpdates(database, { ending, counts, changes, findOne }),
    claim: (startedSecs, limits = {}) =>
      database.write(() => {
        if (!hasRoom(limits)) return undefined;
        for (;;) {
          const scope = counts.nextScope(limits);
          if (scope === undefined) return undefined;
          const next = nextOf(scope, limits);
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
          const job = parseReadable(row);
          if (job !== undefined) return job;
          // An unreadable job must not block the jobs behind it in the queue. No provider was called for the unreadable job.
          ending.end(sequence, 'running', {
            status: 'failed',
            completedSecs: startedSecs,
            error: toStoredError(
              new BridgeError('internal', 'the stored request of the job cannot be read'),
            ),
            settlement: NOTHING_COUNTED,
          });
          return { ...v.parse(IdRow, row), scope, sequence };
        }
      }),
    find: (scope, id) => database.read(() => findOne(scope, id)),
    totals: () => database.read(() => parseTotals(totals.get())),
  };
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
): Pick<JobStore, 'cancel' | 'listCancellations' | 'update'> {
  const askToStop = database.prepare(ASK_TO_STOP);
  const requestCancellation = database.prepare(REQUEST_CANCELLATION);
  const listCancellations = database.prepare(LIST_CANCELLATIONS);
  const mark = database.prepare(MARK);
  const removeLabels = database.prepare(REMOVE_LABELS);
  const insertLabel = database.prepare(INSERT_LABEL);

  return {
    cancel: (scope, id, { atSecs, error, inFlight, isOnlyQueued }) =>
      database.write(() => {
        const job = findOne(scope, id);
        if (!job) return undefined;
        const { sequence } = job;
        if (job.completedSecs !== undefined) return job;
        if (isOnlyQueued && job.status === 'running') return job;
        if (askToStop.run({ sequence, atSecs }).changes > 0) changes.note(sequence, scope);
        if (job.status === 'running') {
          const cancellation: JobCancellation = { error, inFlight };
          requestCancellation.run({ sequence, cancellation: JSON.stringify(cancellation) });
        } else {
          ending.end(sequence, 'queued', { status: 'cancelled', completedSecs: atSecs, error });
        }
        return findOne(scope, id);
      }),
    listCancellations: () =>
      database.read(() => listCancellations.all(database.owner).map(parseCancellation)),
    update: (scope, id, { atSecs, favorite, deleted, labels, priority }) =>
      database.write(() => {
        const job = findOne(scope, id);
        if (!job) return undefined;
        if (deleted && job.completedSecs === undefined) {
          throw new BridgeError('job_not_terminal', 'a job can be hidden only after it has ended');
        }
        refuseOtherPriority(job, priority);
        const hiddenSecs = deleted ? (job.deletedSecs ?? atSecs) : undefined;
        const marks = {
          sequence: job.sequence,
          atSecs,
          favorite: Number(favorite ?? job.favorite),
          ownFavorite: favorite === undefined ? null : Number(favorite),
          deleted: (deleted === undefined ? job.deletedSecs : hiddenSecs) ?? null,
          labels: JSON.stringify(labels ?? job.labels),
          priority: priority ?? job.priority,
        };
        const marked = counts.counting([job.sequence], () => mark.run(marks));
        if (marked.changes === 0) return job;
        if (labels) {
          removeLabels.run(job.sequence);
          for (const label of labels) insertLabel.run(scope, label, job.sequence);
        }
        changes.note(job.sequence, scope);
        return findOne(scope, id);
      }),
  };
}

/** Creates the methods that accept jobs. */
function createJobSubmission(
  database: StoreDatabase,
  {
    counts,
    changes,
    findOne,
  }: {
    readonly counts: Pick<JobCounts, 'add' | 'lastUsers' | 'counting'>;
    readonly changes: Pick<JobChanges, 'note'>;
    readonly findOne: (scope: string, id: string) => JobRecord | undefined;
  },
): Pick<JobStore, 'submit' | 'refuseWhenFull' | 'findByKey'> {
  const findByKey = database.prepare(FIND_BY_KEY);
  const insertJob = prepareInsert(database);
  const charges = prepareCharges(database);
  const refuseBeyondLimits = prepareLimits(database);
  const findSequence = database.prepare(FIND_SEQUENCE).pluck();

  /** Records a change of the job that a new job retries, because the earlier job names its newest retry. */
  function noteRetry({ retryOf, scope }: NewJob): void {
    if (retryOf === undefined) return;
    const earlier = v.parse(v.optional(v.number()), findSequence.get(retryOf, scope));
    if (earlier !== undefined) changes.note(earlier, scope);
  }

  function earlierJob({ hash, fingerprint }: NonNullable<JobAdmission['key']>) {
    const row = findByKey.get(hash);
    if (row === undefined) return undefined;
    refuseDifferent(v.parse(KeyRow, row), { fingerprint });
    return parseRecord(row);
  }

  return {
    refuseWhenFull: (scope, limits, keyHash) =>
      database.read(() => {
        const isKnown = keyHash !== undefined && findByKey.get(keyHash) !== undefined;
        if (!isKnown) refuseBeyondLimits(scope, limits, ROW_BYTES);
      }),
    findByKey: (key) => database.read(() => earlierJob(key)),
    async submit(job, admission) {
      const { text, bytes } = textOf(job);
      const answer = await database.write(() => {
        const same = findOne(job.scope, job.id);
        if (same) return { job: same, repeated: false };
        const earlier = admission.key && earlierJob(admission.key);
        if (earlier) return { job: earlier, repeated: true };
        const { scope, provider, reservedBytes: reserved } = job;
        try {
          refuseBeyondLimits(scope, admission, bytes + reserved);
        } catch (error) {
          // Nothing has been changed, so the other writes of the transaction need not be repeated without this write.
          if (error instanceof BridgeError) return { refusal: error };
          throw error;
        }
        const { reservation } = admission;
        const sha256s = inputsOf(job.request).map(({ sha256 }) => sha256);
        const sequence = counts.counting(counts.lastUsers(sha256s), () =>
          insertJob(job, { text, bytes }, admission),
        );
        counts.add({ sequence, scope, provider, bytes, reserved });
        changes.note(sequence, scope);
        noteRetry(job);
        charges.reserve(reservation, reservation.images);
        charges.reserveMoney(
          { ...reservation, ...reservation.budget },
          heldColumns(reservation).held,
        );
        return { job: queuedJob(sequence, job, reservation.token), repeated: false };
      });
      if ('refusal' in answer) throw answer.refusal;
      return answer;
    },
  };
}

/**
 * Prepares the statements that insert a job, its texts, its images and its webhook within the caller's transaction. The function
 * returns the sequence of the job. `text` is the request in JSON.
 */
function prepareInsert(database: StoreDatabase) {
  const insert = database.prepare(INSERT);
  const insertContent = database.prepare(INSERT_CONTENT);
  const insertInput = database.prepare(INSERT_INPUT);
  const insertLabel = database.prepare(INSERT_LABEL);
  const insertParents = prepareParents(database);
  const insertWebhook = database.prepare(INSERT_WEBHOOK);

  return (
    { request, parents, labels, group, webhook, requestId, retryOf, ...job }: NewJob,
    { text, bytes }: { readonly text: string; readonly bytes: number },
    { key, reservation }: Pick<JobAdmission, 'key' | 'reservation'>,
  ): number => {
    const { token, day, allowance } = reservation;
    const { operation, prompt, parameters } = request;
    const inputs = inputsOf(request);
    const outputs = parameters.n;
    const ofRequest = { operation, prompt, outputs, inputs: inputs.length };
    const { lastInsertRowid } = insert.run({
      model: null,
      ...job,
      ...ofRequest,
      bytes,
      token,
      labels: JSON.stringify(labels),
      groupId: group?.id ?? null,
      groupRow: group?.row ?? null,
      groupColumn: group?.column ?? null,
    });
    const sequence = Number(lastInsertRowid);
    const keyColumns = [key?.hash, key?.fingerprint];
    const columns = [sequence, requestId, retryOf, ...keyColumns, text, day, allowance];
    const { held, budgetPerDay, budgetPerMonth } = heldColumns(reservation);
    insertContent.run(...columns, held, budgetPerDay, budgetPerMonth);
    for (const { sha256, bytes } of inputs) insertInput.run(sequence, sha256, bytes);
    for (const label of labels) insertLabel.run(job.scope, label, sequence);
    insertParents(sequence, job.scope, parents);
    if (webhook) {
      const { url, events } = webhook;
      insertWebhook.run(sequence, url, new URL(url).host, JSON.stringify(events));
    }
    return sequence;
  };
}

/** Prepares the check of the limits for a new job of `needed` bytes. The check throws `overloaded` or `rate_limited`. */
function prepareLimits(database: StoreDatabase) {
  const filled = database.prepare(FILLED);
  const queuingScopes = database.prepare(QUEUING_SCOPES).pluck();
  const holdingScopes = database.prepare(HOLDING_SCOPES).pluck();
  const charges = prepareCharges(database);

  return (scope: string, { reservation, ...limits }: Omit<JobAdmission, 'key'>, needed: number) => {
    charges.refuseBeyondAllowance(reservation, reservation.images);
    const use = {
      ...v.parse(FilledRow, filled.get(scope)),
      queuingScopes: () => v.parse(v.number(), queuingScopes.get(scope)),
      holdingScopes: () => v.parse(v.number(), holdingScopes.get(scope)),
    };
    refuseBeyondLimits(limits, use, needed);
  };
}
