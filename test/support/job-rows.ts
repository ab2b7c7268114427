import { createIds } from '../../lib/platform/ids.ts';
import type { StateDatabase } from '../../lib/storage/sqlite/database.ts';

/** The columns of a job that lists and searches read. */
export interface JobRow {
  readonly sequence: number;
  readonly scope: string;
  readonly status: 'queued' | 'succeeded' | 'failed';
  readonly favorite: boolean;
  readonly hidden: boolean;
  readonly provider: string;
  readonly prompt: string;
}

const INSERT = `
  INSERT INTO job (
    seq, id, scope, status, favorite, deleted, created, updated, started, completed,
    operation, provider, outputs, error_code, bytes, reserved, prompt
  ) VALUES (
    @sequence, @id, @scope, @status, @favorite, @deleted, 1, 1, @started, @started,
    'generate', @provider, 1, @errorCode, 600, @reserved, @prompt
  )`;

const COUNT = `
  DELETE FROM job_change;
  INSERT INTO job_change (seq, scope, change)
    SELECT seq, scope, row_number() OVER (PARTITION BY scope ORDER BY seq) FROM job;
  DELETE FROM job_active;
  INSERT INTO job_active
    SELECT provider, sum(status = 'queued'), sum(status = 'running') FROM job GROUP BY provider;
  DELETE FROM job_scope;
  INSERT INTO job_scope (scope, queued, joined, held, ordinary_jobs, ordinary_bytes)
    SELECT
      scope, sum(status = 'queued'), min(seq), sum(bytes + reserved),
      sum(completed IS NOT NULL AND favorite = 0),
      sum((completed IS NOT NULL AND favorite = 0) * bytes)
    FROM job GROUP BY scope;
  UPDATE job_total SET (
    queued, running, succeeded, failed, cancelled, interrupted, hidden, favorite, bytes, reserved,
    ordinary_jobs, ordinary_bytes
  ) = (
    SELECT
      sum(status = 'queued'), sum(status = 'running'), sum(status = 'succeeded'),
      sum(status = 'failed'), sum(status = 'cancelled'), sum(status = 'interrupted'),
      sum(deleted IS NOT NULL), sum(favorite), sum(bytes), sum(reserved),
      sum(completed IS NOT NULL AND favorite = 0),
      sum((completed IS NOT NULL AND favorite = 0) * bytes)
    FROM job
  )`;

const ids = createIds(() => 0);

/** Counts jobs that were inserted directly, which the store counts itself when it adds them. They must have no images. */
export function countJobs(database: Pick<StateDatabase, 'prepare'>): void {
  for (const sql of COUNT.split(';')) database.prepare(sql).run();
}

/**
 * Inserts jobs with the given sequences directly into the database. The sequences may have gaps, and may be those of removed
 * jobs, which the store itself never uses again.
 */
export async function insertJobs(database: StateDatabase, jobs: readonly JobRow[]): Promise<void> {
  const insert = database.prepare(INSERT);
  await database.write(() => {
    for (const { status, favorite, hidden, ...job } of jobs) {
      const isQueued = status === 'queued';
      insert.run({
        ...job,
        status,
        id: ids.newUuid(),
        favorite: Number(favorite),
        deleted: hidden ? 1 : null,
        started: isQueued ? null : 1,
        errorCode: status === 'failed' ? 'internal' : null,
        reserved: Number(isQueued),
      });
    }
  });
}

/** Returns a job of `anonymous` that succeeded and is neither hidden nor a favourite. */
export function jobRow(sequence: number, prompt: string, more: Partial<JobRow> = {}): JobRow {
  const plain = {
    scope: 'anonymous',
    status: 'succeeded',
    favorite: false,
    hidden: false,
    provider: 'sandbox',
  } as const;
  return { ...plain, sequence, prompt, ...more };
}
