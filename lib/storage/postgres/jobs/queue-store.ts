import type { QueueStore } from '../../../jobs/queue-store-port.ts';
import { parseOutlook, parseQueue, parseQueuedJob, WORK_COLUMNS } from '../../jobs/queue-rows.ts';
import type { Postgres } from '../connection.ts';
import { notifySql, toPayloads } from './commit-notices.ts';

const JOB_COLUMNS = `
  seq AS sequence, id, scope, status, created AS "createdSecs",
  cancel_requested AS "cancelRequested", token`;

export function createQueueStore(database: Postgres): QueueStore {
  const { schema } = database;
  const READ = `
    SELECT
      (SELECT paused FROM ${schema}.queue) AS paused, queued, running,
      (SELECT created FROM ${schema}.job WHERE completed IS NULL AND status = 'queued' ORDER BY seq LIMIT 1)
        AS "oldestQueuedSecs",
      (SELECT json_agg(active ORDER BY provider) FROM ${schema}.job_active AS active
        WHERE active.queued + active.running > 0)::text AS "byProvider"
    FROM ${schema}.job_total`;
  const LIST_ACTIVE_OF = `
    SELECT id, scope FROM ${schema}.job
    WHERE completed IS NULL AND cancel_requested = 0 AND token <> '' AND token = ANY ($1::text[])
    LIMIT $2`;
  const LIST = `
    SELECT ${JOB_COLUMNS} FROM ${schema}.job
    WHERE completed IS NULL AND seq > $1 ORDER BY seq LIMIT $2`;
  const FIND = `SELECT ${JOB_COLUMNS} FROM ${schema}.job WHERE id = $1 AND completed IS NULL`;
  // One statement, so that all lists are from the same state.
  const OUTLOOK = `
    SELECT
      (SELECT paused FROM ${schema}.queue) AS "isPaused",
      (SELECT coalesce(json_agg(one ORDER BY turn, joined), '[]') FROM (
        SELECT scope, queued, turn, joined FROM ${schema}.job_scope WHERE queued > 0
      ) AS one) AS turns,
      (SELECT coalesce(json_agg(one), '[]') FROM (
        SELECT id, token, ${WORK_COLUMNS} FROM ${schema}.job
        WHERE scope = $1 AND status = 'queued' ORDER BY priority DESC, seq LIMIT $2
      ) AS one) AS waiting,
      (SELECT coalesce(json_agg(one), '[]') FROM (
        SELECT id, token, scope, started AS "startedSecs", ${WORK_COLUMNS} FROM ${schema}.job
        WHERE completed IS NULL AND status = 'running' ORDER BY seq LIMIT $3
      ) AS one) AS running,
      (SELECT coalesce(json_agg(one), '[]') FROM (
        SELECT secs, ${WORK_COLUMNS} FROM (
          SELECT completed - started AS secs, status, ${WORK_COLUMNS} FROM ${schema}.job
          WHERE completed IS NOT NULL AND favorite = 0
          ORDER BY completed DESC, seq DESC LIMIT $4
        ) AS latest WHERE status = 'succeeded'
      ) AS one) AS ended`;
  const SET_PAUSED = `
    WITH changed AS (UPDATE ${schema}.queue SET paused = $1)
    ${notifySql('$2', '$3')}`;

  return {
    read: () => database.read(async ({ rows }) => parseQueue((await rows(READ))[0])),
    listActiveOf: (tokens, limit) =>
      database.read(({ rows }) =>
        rows<{ id: string; scope: string }>(LIST_ACTIVE_OF, [tokens, limit]),
      ),
    list: ({ after, limit }) =>
      database.read(async ({ rows }) => {
        // Reads one row more than the page shows. If this row exists, there is a next page.
        const found = (await rows(LIST, [after, limit + 1])).map(parseQueuedJob);
        return { items: found.slice(0, limit), more: found.length > limit };
      }),
    find: (id) =>
      database.read(async ({ rows }) => {
        const [row] = await rows(FIND, [id]);
        return row === undefined ? undefined : parseQueuedJob(row);
      }),
    outlook: (scope, { waiting, running, ended }) =>
      database.read(async ({ rows }) =>
        parseOutlook((await rows(OUTLOOK, [scope, waiting, running, ended]))[0]),
      ),
    setPaused: (isPaused) =>
      database.write(async ({ rows }) => {
        const notices = toPayloads([{ type: isPaused ? 'paused' : 'resumed' }]);
        await rows(SET_PAUSED, [Number(isPaused), schema, notices]);
      }),
  };
}
