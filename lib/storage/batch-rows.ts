import * as v from 'valibot';
import { JobBatch } from '../contract/resources/job-batch.ts';
import type { StoredBatch } from '../jobs/job-batch-store-port.ts';

/** The columns of a batch. The SQL is the same for all databases. */
export const BATCH_COLUMNS = 'id, scope, action, jobs, expires AS "expiresSecs"';

const Jobs = v.array(
  v.object({
    id: v.string(),
    labels: v.optional(v.array(v.string())),
    priority: v.optional(v.number()),
  }),
);

const BatchRow = v.object({
  id: v.string(),
  scope: v.string(),
  action: JobBatch.entries.action,
  jobs: v.pipe(v.string(), v.parseJson(), Jobs),
  expiresSecs: v.number(),
});

/** Parses a row. Returns undefined if there is no row. Throws if the row is invalid. */
export function parseBatch(row: unknown): StoredBatch | undefined {
  return row === undefined ? undefined : v.parse(BatchRow, row);
}
