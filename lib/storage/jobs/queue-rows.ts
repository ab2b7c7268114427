import * as v from 'valibot';
import type { QueuedJob, QueueState } from '../../jobs/job-store-port.ts';
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

/** Parses a row. `byProvider` is a JSON array. Throws if the row is invalid. */
export function parseQueue(row: unknown): QueueState {
  return v.parse(QueueRow, row);
}

/** Parses a row. Throws if the row is invalid. */
export function parseQueuedJob(row: unknown): QueuedJob {
  return v.parse(QueuedJobRow, row);
}
