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

const ids = createIds(() => 0);

/**
 * Inserts jobs with the given sequences directly into the database. The sequences may have gaps, and may be those of removed
 * jobs, which the store itself never uses again.
 */
export async function insertJobs(database: StateDatabase, jobs: readonly JobRow[]): Promise<void> {
  const insert = database.prepare(INSERT);
  const forget = database.prepare('DELETE FROM job_change WHERE seq = ?');
  await database.write(() => {
    for (const { status, favorite, hidden, ...job } of jobs) {
      const isQueued = status === 'queued';
      forget.run(job.sequence);
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
