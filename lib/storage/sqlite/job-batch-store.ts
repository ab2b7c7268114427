import type { JobBatchStore } from '../../jobs/job-batch-store-port.ts';
import { BATCH_COLUMNS, parseBatch } from '../batch-rows.ts';
import type { StoreDatabase } from './database.ts';

const EXPIRE = 'DELETE FROM job_batch WHERE expires <= ?';
const INSERT =
  'INSERT OR IGNORE INTO job_batch (id, scope, action, jobs, expires) VALUES (?, ?, ?, ?, ?)';
// All batches expire after the same time.
const LIMIT_SCOPE = `
  DELETE FROM job_batch WHERE id IN (
    SELECT id FROM job_batch WHERE scope = ? ORDER BY expires DESC, id DESC LIMIT -1 OFFSET ?
  )`;
const FIND = `SELECT ${BATCH_COLUMNS} FROM job_batch WHERE id = ? AND scope = ? AND expires > ?`;
const REMOVE = 'DELETE FROM job_batch WHERE id = ?';
const REPLACE_JOBS = 'UPDATE job_batch SET jobs = ? WHERE id = ?';

export function createJobBatchStore(database: StoreDatabase): JobBatchStore {
  const expire = database.prepare(EXPIRE);
  const insert = database.prepare(INSERT);
  const limitScope = database.prepare(LIMIT_SCOPE);
  const find = database.prepare(FIND);
  const remove = database.prepare(REMOVE);
  const replaceJobs = database.prepare(REPLACE_JOBS);

  return {
    add: ({ id, scope, action, jobs, expiresSecs }, { nowSecs, maxOfScope }) =>
      database.write(() => {
        expire.run(nowSecs);
        insert.run(id, scope, action, JSON.stringify(jobs), expiresSecs);
        limitScope.run(scope, maxOfScope);
      }),
    find: (scope, id, nowSecs) => database.read(() => parseBatch(find.get(id, scope, nowSecs))),
    remove: (id) => database.write(() => void remove.run(id)),
    replaceJobs: (id, jobs) => database.write(() => void replaceJobs.run(JSON.stringify(jobs), id)),
  };
}
