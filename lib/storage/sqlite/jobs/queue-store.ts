import * as v from 'valibot';
import type { QueueStore } from '../../../jobs/queue-store-port.ts';
import type { StoreDatabase } from '../database.ts';

const READ = `
  SELECT
    (SELECT paused FROM queue) AS paused, queued, running,
    (SELECT created FROM job WHERE status = 'queued' ORDER BY seq LIMIT 1) AS oldest
  FROM job_total`;
const BY_PROVIDER = `
  SELECT provider, queued, running FROM job_active WHERE queued + running > 0 ORDER BY provider`;
/** Exported for its query plan. */
export const LIST_ACTIVE = `
  SELECT id, scope FROM job
  WHERE completed IS NULL AND cancel_requested = 0 AND token IN (SELECT value FROM json_each(?))
  LIMIT ?`;
const SET_PAUSED = 'UPDATE queue SET paused = ?';

const QueueRow = v.object({
  paused: v.picklist([0, 1]),
  queued: v.number(),
  running: v.number(),
  oldest: v.nullable(v.number()),
});
const ProviderRows = v.array(
  v.object({ provider: v.string(), queued: v.number(), running: v.number() }),
);

const ActiveRows = v.array(v.object({ id: v.string(), scope: v.string() }));

export function createQueueStore(database: StoreDatabase): QueueStore {
  const read = database.prepare(READ);
  const byProvider = database.prepare(BY_PROVIDER);
  const listActive = database.prepare(LIST_ACTIVE);
  const setPaused = database.prepare(SET_PAUSED);

  return {
    read: () =>
      database.read(() => {
        const { paused, oldest, queued, running } = v.parse(QueueRow, read.get());
        return {
          paused: paused === 1,
          queued,
          running,
          ...(oldest === null ? {} : { oldestQueuedSecs: oldest }),
          byProvider: v.parse(ProviderRows, byProvider.all()),
        };
      }),
    listActiveOf: (tokens, limit) =>
      database.read(() => v.parse(ActiveRows, listActive.all(JSON.stringify(tokens), limit))),
    setPaused: (paused) => database.write(() => void setPaused.run(Number(paused))),
  };
}
