import type { QueueStore } from '../../../jobs/job-store-port.ts';
import { parseQueue, parseQueuedJob } from '../../jobs/queue-rows.ts';
import type { Postgres } from '../connection.ts';
import { type CommitNotice, notifySql, toPayloads } from './commit-notices.ts';

const JOB_COLUMNS = `
  seq AS sequence, id, scope, status, created AS "createdSecs",
  cancel_requested AS "cancelRequested", token`;

const RESUMED: CommitNotice = { type: 'resumed' };

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
    setPaused: (isPaused) =>
      database.write(async ({ rows }) => {
        const notices = isPaused ? [] : [RESUMED];
        await rows(SET_PAUSED, [Number(isPaused), schema, toPayloads(notices)]);
      }),
  };
}
