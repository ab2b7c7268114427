import * as v from 'valibot';
import type { QueueStore } from '../../../jobs/queue-store-port.ts';
import { parseOutlook, parseQueue, parseQueuedJob, WORK_COLUMNS } from '../../jobs/queue-rows.ts';
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
const IS_PAUSED = 'SELECT paused FROM queue';
const TURNS = 'SELECT scope, queued FROM job_scope WHERE queued > 0 ORDER BY turn, joined';
/** Exported for tests of its query plan. */
export const LIST_WAITING = `
  SELECT id, token, ${WORK_COLUMNS} FROM job
  WHERE scope = +? AND status = 'queued' ORDER BY priority DESC, seq LIMIT +?`;
/** Exported for tests of its query plan. */
export const LIST_RUNNING = `
  SELECT id, token, scope, started AS startedSecs, ${WORK_COLUMNS} FROM job
  WHERE status = 'running' ORDER BY seq LIMIT +?`;
/** Exported for tests of its query plan. */
export const LIST_DURATIONS = `
  SELECT secs, ${WORK_COLUMNS} FROM (
    SELECT completed - started AS secs, status, ${WORK_COLUMNS} FROM job
    WHERE completed IS NOT NULL AND favorite = 0
    ORDER BY completed DESC, seq DESC LIMIT +?
  ) WHERE status = 'succeeded'`;
const SET_PAUSED = 'UPDATE queue SET paused = ?';

const ActiveRows = v.array(v.object({ id: v.string(), scope: v.string() }));

export function createQueueStore(database: StoreDatabase): QueueStore {
  const read = database.prepare(READ);
  const listActive = database.prepare(LIST_ACTIVE);
  const listJobs = database.prepare(LIST_JOBS);
  const findJob = database.prepare(FIND_JOB);
  const isPaused = database.prepare(IS_PAUSED).pluck();
  const turns = database.prepare(TURNS);
  const listWaiting = database.prepare(LIST_WAITING);
  const listRunning = database.prepare(LIST_RUNNING);
  const listDurations = database.prepare(LIST_DURATIONS);
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
    outlook: (scope, { waiting, running, ended }) =>
      database.read(() =>
        parseOutlook({
          isPaused: isPaused.get(),
          turns: turns.all(),
          waiting: listWaiting.all(scope, waiting),
          running: listRunning.all(running),
          ended: listDurations.all(ended),
        }),
      ),
    setPaused: (paused) => database.write(() => void setPaused.run(Number(paused))),
  };
}
