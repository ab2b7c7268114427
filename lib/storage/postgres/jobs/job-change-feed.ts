import type { JobStore } from '../../../jobs/job-store-port.ts';
import { toChangeOrder } from '../../jobs/change-order.ts';
import { parseSummary, summaryColumns } from '../../jobs/job-rows.ts';
import type { Postgres } from '../connection.ts';

interface ChangeRow {
  readonly change: number;
  readonly removedId: string | null;
}

export function createJobChangeFeed(
  database: Postgres,
): Pick<JobStore, 'changes' | 'changesAfter'> {
  const { schema } = database;
  const LATEST = `SELECT changes AS latest FROM ${schema}.job_scope WHERE scope = $1`;
  const LIST_AFTER = `
    SELECT latest.change, latest.removed_id AS "removedId", ${summaryColumns(`${schema}.`)}
    FROM (
      SELECT seq AS changed, change, removed_id FROM ${schema}.job_change
      WHERE scope = $1 AND change > $2 ORDER BY change LIMIT $3
    ) AS latest LEFT JOIN ${schema}.job ON job.seq = latest.changed
    ORDER BY latest.change`;

  return {
    changes: (scope) =>
      database.read(async ({ rows }) => {
        const [row] = await rows<{ latest: number }>(LATEST, [scope]);
        return toChangeOrder(row?.latest ?? 0);
      }),
    changesAfter: (scope, after, limit) =>
      database.read(async ({ rows }) => {
        const found = await rows<ChangeRow>(LIST_AFTER, [scope, after, limit]);
        return found.map(({ change, removedId, ...row }) =>
          removedId === null ? { change, job: parseSummary(row) } : { change, removedId },
        );
      }),
  };
}
