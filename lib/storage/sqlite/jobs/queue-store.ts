import * as v from 'valibot';
import type { QueueStore } from '../../../jobs/job-store-port.ts';
import { parseQueue, parseQueuedJob } from '../../jobs/queue-rows.ts';
import type { StoreDatabase } from '../database.ts';

const READ = `
  SELECT
    (SELECT paused FROM queue) AS paused, queued, running,
    (SELECT created FROM job WHERE status = 'queued' ORDER BY seq LIMIT 1) AS oldestQueuedSecs,
    (SELECT json_group_array(json_object('provider', provider, 'queued', queued, 'running', running))
      FROM (SELECT * FROM job_active WHERE queued + running > 0 ORDER BY provider)) AS byProvider
  FROM job_total`;
/** Exported for tests of its query plan. */
export const LIST_ACTIVE = `
  SELECT id, scope FROM job
  WHERE completed IS NULL AND cancel_requested = 0 AND token <> ''
    AND token IN (SELECT value FROM json_each(+?))
  LIMIT +?`;
const JOB_COLUMNS = `
  seq AS sequence, id, scope, status, created AS createdSecs, cancel_requested AS cancelRequested, token`;
/** Exported for tests of its query plan. */
export const LIST_JOBS = `
  SELECT ${JOB_COLUMNS} FROM job
  WHERE seq IN (
    SELECT seq FROM job WHERE status = 'queued' AND seq > +@after
    UNION ALL
    SELECT seq FROM job WHERE status = 'running' AND seq > +@after
    ORDER BY seq LIMIT +@limit
  )
  ORDER BY seq`;
const FIND_JOB = `SELECT ${JOB_COLUMNS} FROM job WHERE id = ? AND completed IS NULL`;
const SET_PAUSED = 'UPDATE queue SET paused = ?';

const ActiveRows = v.array(v.object({ id: v.string(), scope: v.string() }));

export function createQueueStore(database: StoreDatabase): QueueStore {
  const read = database.prepare(READ);
  const listActive = database.prepare(LIST_ACTIVE);
  const listJobs = database.prepare(LIST_JOBS);
  const findJob = database.prepare(FIND_JOB);
  const setPaused = database.prepare(SET_PAUSED);

  return {
    read: () => database.read(() => parseQueue(read.get())),
    listActiveOf: (tokens, limit) =>
      database.read(() => v.parse(ActiveRows, listActive.all(JSON.stringify(tokens), limit))),
    list: ({ after, limit }) =>
      database.read(() => {
        // Reads one row more than the page shows. If this row exists, there is a next page.
        const rows = listJobs.all({ after, limit: limit + 1 }).map(parseQueuedJob);
        return { items: rows.slice(0, limit), more: rows.length > limit };
      }),
    find: (id) =>
      database.read(() => {
        const row = findJob.get(id);
        return row === undefined ? undefined : parseQueuedJob(row);
      }),
    setPaused: (paused) => database.write(() => void setPaused.run(Number(paused))),
  };
}
