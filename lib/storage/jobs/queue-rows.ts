import * as v from 'valibot';
import type { QueuedJob, QueueOutlook, QueueState } from '../../jobs/queue-store-port.ts';
import { Flag, withoutNulls } from '../rows.ts';

const Providers = v.array(
  v.object({ provider: v.string(), queued: v.number(), running: v.number() }),
);

const QueueRow = v.pipe(
  v.object({
    paused: Flag,
    queued: v.number(),
    running: v.number(),
    oldestQueuedSecs: v.nullable(v.number()),
    // NULL without active jobs.
    byProvider: v.pipe(v.nullable(v.string(), '[]'), v.parseJson(), Providers),
  }),
  v.transform(withoutNulls),
);

const QueuedJobRow = v.object({
  sequence: v.number(),
  id: v.string(),
  scope: v.string(),
  status: v.picklist(['queued', 'running']),
  createdSecs: v.number(),
  cancelRequested: Flag,
  token: v.string(),
});

const work = {
  provider: v.string(),
  model: v.nullable(v.string()),
  size: v.string(),
  outputs: v.number(),
};
const queued = v.object({ scope: v.string(), queued: v.number() });
const waiting = v.object({ ...work, id: v.string(), token: v.string() });
const running = v.object({ ...waiting.entries, scope: v.string(), startedSecs: v.number() });
const ended = v.object({ ...work, secs: v.number() });

const OutlookRows = v.object({
  isPaused: Flag,
  turns: v.array(queued),
  waiting: v.array(v.pipe(waiting, v.transform(withoutNulls))),
  running: v.array(v.pipe(running, v.transform(withoutNulls))),
  ended: v.array(v.pipe(ended, v.transform(withoutNulls))),
});

/** The columns of a job in each list of `parseOutlook`. The SQL is the same for all databases. */
export const WORK_COLUMNS = 'provider, model, size, outputs';

/** Parses the rows of an outlook. Throws if a row is invalid. */
export function parseOutlook(rows: unknown): QueueOutlook {
  return v.parse(OutlookRows, rows);
}

/** Parses a row. `byProvider` is a JSON array. Throws if the row is invalid. */
export function parseQueue(row: unknown): QueueState {
  return v.parse(QueueRow, row);
}

/** Parses a row. Throws if the row is invalid. */
export function parseQueuedJob(row: unknown): QueuedJob {
  return v.parse(QueuedJobRow, row);
}
