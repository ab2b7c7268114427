import * as v from 'valibot';
import { BridgeError } from '../../errors/bridge-error.ts';
import type { JobAdmission, JobRecord, JobStore, NewJob } from '../../jobs/job-store-port.ts';
import type { StateDatabase } from './database.ts';
import { parseRecord, RECORD_COLUMNS, ROW_BYTES } from './job-rows.ts';

const INSERT = `
  INSERT INTO job (
    id, scope, status, created, updated, operation, provider, model, outputs, bytes, reserved, prompt
  )
  VALUES (
    @id, @scope, 'queued', @created, @created, @operation, @provider, @model, @outputs, @bytes,
    @reserved, @prompt
  )`;
const INSERT_CONTENT = `
  INSERT INTO job_content (seq, request_id, key_hash, fingerprint, request)
  VALUES (?, ?, ?, ?, ?)`;
const INSERT_INPUT = 'INSERT INTO job_input (seq, sha256) VALUES (?, ?) ON CONFLICT DO NOTHING';
const FIND_BY_KEY = `
  SELECT fingerprint, ${RECORD_COLUMNS} FROM job_content JOIN job ON job.seq = job_content.seq
  WHERE key_hash = ?`;
const TAKEN = 'SELECT queued, bytes + reserved AS taken FROM job_total';

const KeyRow = v.object({ fingerprint: v.string() });
const TakenRow = v.object({ queued: v.number(), taken: v.number() });

// When room comes depends on how long pictures take; asking again is cheap.
const RETRY_AFTER_MS = 1000;

export function createJobSubmission(
  database: StateDatabase,
): Pick<JobStore, 'submit' | 'findByKey'> {
  const insert = database.prepare(INSERT);
  const insertContent = database.prepare(INSERT_CONTENT);
  const insertInput = database.prepare(INSERT_INPUT);
  const findByKey = database.prepare(FIND_BY_KEY);
  const taken = database.prepare(TAKEN);

  function earlierJob({ hash, fingerprint }: NonNullable<JobAdmission['key']>) {
    const row = findByKey.get(hash);
    if (row === undefined) return undefined;
    if (v.parse(KeyRow, row).fingerprint !== fingerprint) {
      throw new BridgeError('idempotency_conflict', 'this key came with another request before');
    }
    return parseRecord(row);
  }

  function refuseBeyondLimits({ maxPending, maxDatabaseBytes }: JobAdmission, needed: number) {
    const { queued, taken: before } = v.parse(TakenRow, taken.get());
    if (queued >= maxPending) {
      throw overloaded('as many jobs wait already as may wait', 'server.jobs.max_pending');
    }
    if (before + needed > maxDatabaseBytes) {
      throw overloaded(
        'the jobs take all the room that they may',
        'server.jobs.max_database_bytes',
      );
    }
  }

  return {
    findByKey: (key) => database.read(() => earlierJob(key)),
    submit(job, admission) {
      const request = JSON.stringify(job.request);
      const bytes = ROW_BYTES + Buffer.byteLength(request) + Buffer.byteLength(job.request.prompt);
      return database.write(() => {
        const earlier = admission.key && earlierJob(admission.key);
        if (earlier) return { job: earlier, repeated: true };
        refuseBeyondLimits(admission, bytes + job.reservedBytes);
        const sequence = Number(insert.run(toRow(job, bytes)).lastInsertRowid);
        const { key } = admission;
        insertContent.run(sequence, job.requestId, key?.hash, key?.fingerprint, request);
        for (const sha256 of job.inputs) insertInput.run(sequence, sha256);
        return { job: queuedJob(sequence, job), repeated: false };
      });
    },
  };
}

function toRow({ id, scope, request, provider, model, ...job }: NewJob, bytes: number) {
  const { operation, prompt, parameters } = request;
  return {
    ...{ id, scope, operation, provider, bytes, prompt },
    model: model ?? null,
    created: job.createdSecs,
    outputs: parameters.n,
    reserved: job.reservedBytes,
  };
}

function queuedJob(sequence: number, { id, scope, requestId, request, ...job }: NewJob): JobRecord {
  return {
    ...{ sequence, id, scope, requestId, request },
    status: 'queued',
    createdSecs: job.createdSecs,
    updatedSecs: job.createdSecs,
    cancelRequested: false,
    favorite: false,
  };
}

function overloaded(message: string, limit: string): BridgeError {
  return new BridgeError('overloaded', message, {
    details: { reason: 'jobs_full', limit, retry_after_ms: RETRY_AFTER_MS },
  });
}
