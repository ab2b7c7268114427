import type { JobStore } from '../../../jobs/job-store-port.ts';
import { parseRecord, parseTotals } from '../../jobs/job-rows.ts';
import type { Postgres } from '../connection.ts';
import type { ReplicaLease } from '../replica-lease.ts';
import { createImageMarks, createJobCancellations, createJobMarks } from './change-jobs.ts';
import { createJobClaim } from './claim-job.ts';
import { createJobChangeFeed } from './job-change-feed.ts';
import { createJobEnding, createJobEndings } from './job-endings.ts';
import { createJobLineage } from './job-lineage.ts';
import { createJobInputs, createJobList } from './job-list.ts';
import { createJobRetention } from './job-retention.ts';
import { recordColumns, recordTables } from './record-sql.ts';
import { createJobResumption } from './resume-job.ts';
import { createJobSubmission } from './submit-jobs.ts';

export function createJobStore(
  database: Postgres,
  lease: Pick<ReplicaLease, 'hold' | 'judge' | 'clockOffsetMs'>,
): JobStore {
  const { schema } = database;
  const FIND = `
    SELECT ${recordColumns(schema)} FROM ${recordTables(schema)} WHERE id = $1 AND scope = $2`;
  const TOTALS = `SELECT * FROM ${schema}.job_total`;
  const ending = createJobEnding(database);

  return {
    ...createJobSubmission(database, lease),
    ...createJobClaim(database, { ending, lease }),
    ...createJobEndings(database, { ending, lease }),
    ...createJobResumption(database, { ending, lease }),
    ...createJobCancellations(database, { ending }),
    ...createJobMarks(database),
    ...createImageMarks(database),
    ...createJobList(database),
    ...createJobLineage(database),
    ...createJobInputs(database),
    ...createJobChangeFeed(database),
    ...createJobRetention(database),
    find: (scope, id) =>
      database.read(async ({ rows }) => {
        const [row] = await rows(FIND, [id, scope]);
        return row === undefined ? undefined : parseRecord(row);
      }),
    totals: () => database.read(async ({ rows }) => parseTotals((await rows(TOTALS))[0])),
  };
}
