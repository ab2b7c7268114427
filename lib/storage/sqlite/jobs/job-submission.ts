import * as v from 'valibot';
import { inputsOf } from '../../../contract/resources/job.ts';
import { BridgeError } from '../../../errors/bridge-error.ts';
import type { JobAdmission, JobRecord, JobStore, NewJob } from '../../../jobs/job-store-port.ts';
import { checkRoom } from '../../../platform/fair-share.ts';
import { refuseDifferent } from '../../../replay/replay-store-port.ts';
import type { StoreDatabase } from '../database.ts';
import { prepareCharges } from '../usage-store.ts';
import type { JobChanges } from './job-change-feed.ts';
import type { JobCounts } from './job-counts.ts';
import { parseRecord, RECORD_COLUMNS, ROW_BYTES } from './job-rows.ts';

const INSERT = `
  INSERT INTO job (
    id, scope, status, priority, created, updated, operation, provider, model, outputs, size, inputs,
    bytes, reserved, prompt, token
  )
  VALUES (?, ?, 'queued', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const INSERT_CONTENT = `
  INSERT INTO job_content (
    seq, request_id, retry_of, key_hash, fingerprint, request, day, allowance
  )
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;
const INSERT_INPUT = `
  INSERT INTO job_input (seq, sha256, bytes) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`;
const INSERT_WEBHOOK = 'INSERT INTO webhook (seq, url, host, events) VALUES (?, ?, ?, ?)';
const FIND_BY_KEY = `
  SELECT fingerprint, ${RECORD_COLUMNS} FROM job_content JOIN job ON job.seq = job_content.seq
  WHERE key_hash = +?`;
const FILLED = `
  SELECT
    job_total.queued, bytes + reserved AS held,
    coalesce(own.queued, 0) AS ownQueued, coalesce(own.held, 0) AS ownHeld
  FROM job_total LEFT JOIN job_scope AS own ON scope = +?`;
// The requesting scope is always counted, because it may have no row yet.
const QUEUING_SCOPES = 'SELECT 1 + count(*) FROM job_scope WHERE queued > 0 AND scope <> ?';
const HOLDING_SCOPES = 'SELECT 1 + count(*) FROM job_scope WHERE scope <> ?';

const KeyRow = v.object({ fingerprint: v.string() });
const FilledRow = v.object({
  queued: v.number(),
  held: v.number(),
  ownQueued: v.number(),
  ownHeld: v.number(),
});

// A retry is cheap, and the time until the next job ends is unknown.
const RETRY_AFTER_MS = 1000;

export function createJobSubmission(
  database: StoreDatabase,
  {
    counts,
    changes,
  }: {
    readonly counts: Pick<JobCounts, 'add' | 'lastUsers' | 'counting'>;
    readonly changes: Pick<JobChanges, 'note'>;
  },
): Pick<JobStore, 'submit' | 'refuseWhenFull' | 'findByKey'> {
  const insert = database.prepare(INSERT);
  const findByKey = database.prepare(FIND_BY_KEY);
  const insertTexts = prepareInsertTexts(database);
  const charges = prepareCharges(database);
  const refuseBeyondLimits = prepareLimits(database);

  function earlierJob({ hash, fingerprint }: NonNullable<JobAdmission['key']>) {
    const row = findByKey.get(hash);
    if (row === undefined) return undefined;
    refuseDifferent(v.parse(KeyRow, row), { fingerprint });
    return parseRecord(row);
  }

  function insertRow(job: NewJob, token: string, bytes: number): number {
    const { id, scope, priority, createdSecs, provider, model, size, reservedBytes } = job;
    const { operation, prompt, parameters } = job.request;
    const { lastInsertRowid } = insert.run(
      id,
      scope,
      priority,
      createdSecs,
      createdSecs,
      operation,
      provider,
      model,
      parameters.n,
      size,
      inputsOf(job.request).length,
      bytes,
      reservedBytes,
      prompt,
      token,
    );
    return Number(lastInsertRowid);
  }

  return {
    refuseWhenFull: (scope, limits, keyHash) =>
      database.read(() => {
        const isKnown = keyHash !== undefined && findByKey.get(keyHash) !== undefined;
        if (!isKnown) refuseBeyondLimits(scope, limits, ROW_BYTES);
      }),
    findByKey: (key) => database.read(() => earlierJob(key)),
    submit(job, admission) {
      const request = JSON.stringify(job.request);
      const texts = [request, job.request.prompt, job.webhook?.url ?? ''];
      const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), ROW_BYTES);
      return database.write(() => {
        const earlier = admission.key && earlierJob(admission.key);
        if (earlier) return { job: earlier, repeated: true };
        const { scope, provider, reservedBytes: reserved } = job;
        refuseBeyondLimits(scope, admission, bytes + reserved);
        const { reservation } = admission;
        const sha256s = inputsOf(job.request).map(({ sha256 }) => sha256);
        const sequence = counts.counting(counts.lastUsers(sha256s), () => {
          const added = insertRow(job, reservation.token, bytes);
          insertTexts(added, job, request, admission);
          return added;
        });
        counts.add({ sequence, scope, provider, bytes, reserved });
        changes.note(sequence, scope);
        charges.reserve(reservation, job.request.parameters.n);
        return { job: queuedJob(sequence, job, reservation.token), repeated: false };
      });
    },
  };
}

/** Prepares the statements that insert the texts, the images and the webhook of a job within the caller's transaction. */
function prepareInsertTexts(database: StoreDatabase) {
  const insertContent = database.prepare(INSERT_CONTENT);
  const insertInput = database.prepare(INSERT_INPUT);
  const insertWebhook = database.prepare(INSERT_WEBHOOK);

  return (
    sequence: number,
    { requestId, retryOf, request, webhook }: NewJob,
    text: string,
    { key, reservation: { day, allowance } }: Pick<JobAdmission, 'key' | 'reservation'>,
  ): void => {
    const keyColumns = [key?.hash, key?.fingerprint];
    insertContent.run(sequence, requestId, retryOf, ...keyColumns, text, day, allowance);
    for (const { sha256, bytes } of inputsOf(request)) insertInput.run(sequence, sha256, bytes);
    if (!webhook) return;
    const { url, events } = webhook;
    insertWebhook.run(sequence, url, new URL(url).host, JSON.stringify(events));
  };
}

/** Prepares the check of the limits for a new job of `needed` bytes. The check throws `overloaded` or `rate_limited`. */
function prepareLimits(database: StoreDatabase) {
  const filled = database.prepare(FILLED);
  const queuingScopes = database.prepare(QUEUING_SCOPES).pluck();
  const holdingScopes = database.prepare(HOLDING_SCOPES).pluck();
  const charges = prepareCharges(database);

  return (
    scope: string,
    { maxPending, maxDatabaseBytes, isShared, reservation }: Omit<JobAdmission, 'key'>,
    needed: number,
  ): void => {
    charges.refuseBeyondAllowance(reservation, reservation.images);
    const { queued, held, ownQueued, ownHeld } = v.parse(FilledRow, filled.get(scope));
    const queue = {
      limit: maxPending,
      isShared,
      used: queued,
      own: ownQueued,
      holders: () => v.parse(v.number(), queuingScopes.get(scope)),
    };
    const bytes = {
      limit: maxDatabaseBytes,
      isShared,
      used: held,
      own: ownHeld,
      holders: () => v.parse(v.number(), holdingScopes.get(scope)),
    };
    refuseBeyond('server.jobs.max_pending', checkRoom(queue, 1));
    refuseBeyond('server.jobs.max_database_bytes', checkRoom(bytes, needed));
  };
}

function refuseBeyond(limit: string, verdict: ReturnType<typeof checkRoom>): void {
  if (verdict === 'room') return;
  const details = { limit, retry_after_ms: RETRY_AFTER_MS };
  if (verdict === 'share') {
    throw new BridgeError('rate_limited', 'share of the job queue or storage exceeded', {
      details: { reason: 'share', ...details },
    });
  }
  throw new BridgeError('overloaded', 'job queue or storage limit reached', {
    details: { reason: 'jobs_full', ...details },
  });
}

function queuedJob(sequence: number, job: NewJob, token: string): JobRecord {
  const { id, scope, priority, requestId, provider, retryOf, request, createdSecs, webhook } = job;
  return {
    sequence,
    id,
    scope,
    status: 'queued',
    priority,
    createdSecs,
    updatedSecs: createdSecs,
    cancelRequested: false,
    favorite: false,
    requestId,
    token,
    provider,
    ...(retryOf === undefined ? {} : { retryOf }),
    request,
    ...(webhook === undefined ? {} : { webhook: { ...webhook, state: 'waiting', attempts: 0 } }),
  };
}
