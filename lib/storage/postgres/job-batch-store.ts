import type { JobBatchStore } from '../../jobs/job-batch-store-port.ts';
import { BATCH_COLUMNS, parseBatch } from '../batch-rows.ts';
import type { Postgres } from './connection.ts';

export function createJobBatchStore({ schema, read, write }: Postgres): JobBatchStore {
  const EXPIRE = `DELETE FROM ${schema}.job_batch WHERE expires <= $1`;
  const INSERT = `
    INSERT INTO ${schema}.job_batch (id, scope, action, jobs, expires) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT DO NOTHING`;
  // All batches expire after the same time.
  const LIMIT_SCOPE = `
    DELETE FROM ${schema}.job_batch WHERE id IN (
      SELECT id FROM ${schema}.job_batch WHERE scope = $1 ORDER BY expires DESC, id DESC OFFSET $2
    )`;
  const FIND = `
    SELECT ${BATCH_COLUMNS} FROM ${schema}.job_batch WHERE id = $1 AND scope = $2 AND expires > $3`;
  const REMOVE = `DELETE FROM ${schema}.job_batch WHERE id = $1`;
  const REPLACE_JOBS = `UPDATE ${schema}.job_batch SET jobs = $1 WHERE id = $2`;

  return {
    add: ({ id, scope, action, jobs, expiresSecs }, { nowSecs, maxOfScope }) =>
      write(async ({ rows }) => {
        await rows(EXPIRE, [nowSecs]);
        await rows(INSERT, [id, scope, action, JSON.stringify(jobs), expiresSecs]);
        await rows(LIMIT_SCOPE, [scope, maxOfScope]);
      }),
    find: (scope, id, nowSecs) =>
      read(async ({ rows }) => parseBatch((await rows(FIND, [id, scope, nowSecs]))[0])),
    remove: (id) => write(async ({ rows }) => void (await rows(REMOVE, [id]))),
    replaceJobs: (id, jobs) =>
      write(async ({ rows }) => void (await rows(REPLACE_JOBS, [JSON.stringify(jobs), id]))),
  };
}
