import type { JobStore } from '../../../jobs/job-store-port.ts';
import { parseKin, parseMasks, parseSummary, summaryColumns } from '../../jobs/job-rows.ts';
import type { Postgres } from '../connection.ts';
import { parentsColumn, recordTables } from './record-sql.ts';

export function createJobLineage(
  database: Postgres,
): Pick<JobStore, 'listImages' | 'listDerived' | 'listKin' | 'listMasks'> {
  const { schema } = database;
  const LIST_IMAGES = `
    SELECT artifact_id AS "artifactId", job.id AS "jobId", position AS image
    FROM ${schema}.job_image JOIN ${schema}.job ON job.seq = job_image.seq
    WHERE scope = $1 AND artifact_id = ANY ($2::text[])`;
  const LIST_DERIVED = `
    SELECT ${summaryColumns(`${schema}.`)} FROM ${schema}.job
    WHERE seq IN (
      SELECT DISTINCT seq FROM ${schema}.job_parent
      WHERE scope = $1 AND parent_id = $2 AND seq < $3 ORDER BY seq DESC LIMIT $4
    )
    ORDER BY seq DESC`;
  const LIST_JOBS = `
    SELECT id, seq AS sequence, ${parentsColumn(schema)} FROM ${schema}.job
    WHERE scope = $1 AND id = ANY ($2::text[])`;
  const LIST_CHILDREN = `
    SELECT id FROM ${schema}.job WHERE seq IN (
      SELECT DISTINCT seq FROM ${schema}.job_parent
      WHERE scope = $1 AND parent_id = ANY ($2::text[]) ORDER BY seq DESC LIMIT $3
    )
    ORDER BY seq DESC`;
  // A job with a mask has at least two input images.
  const LIST_MASKS = `
    SELECT job.seq AS sequence, request FROM ${recordTables(schema)}
    WHERE scope = $1 AND job.seq = ANY ($2::bigint[]) AND inputs > 1`;

  return {
    listImages: (scope, artifactIds) =>
      database.read(({ rows }) => rows(LIST_IMAGES, [scope, artifactIds])),
    listDerived: (scope, id, { before = Number.MAX_SAFE_INTEGER, limit }) =>
      database.read(async ({ rows }) => {
        // Reads one row more than the page shows. If this row exists, there is a next page.
        const found = await rows(LIST_DERIVED, [scope, id, before, limit + 1]);
        return { items: found.slice(0, limit).map(parseSummary), more: found.length > limit };
      }),
    listKin: (scope, ids, limit) =>
      database.read(async ({ rows }) => ({
        jobs: (await rows(LIST_JOBS, [scope, ids])).map(parseKin),
        children: (await rows<{ id: string }>(LIST_CHILDREN, [scope, ids, limit])).map(
          ({ id }) => id,
        ),
      })),
    listMasks: (scope, sequences) =>
      database.read(async ({ rows }) => parseMasks(await rows(LIST_MASKS, [scope, sequences]))),
  };
}
