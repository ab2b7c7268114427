import { jobColumns, PARENT_COLUMNS } from '../../jobs/job-rows.ts';

/** Returns the columns that `parseRecord` reads. */
export function recordColumns(schema: string): string {
  return `${jobColumns(`${schema}.`)},
    (SELECT json_build_object(
        'url', url, 'events', events::json, 'state', state, 'attempts', attempts,
        'lastStatus', last_status
      )::text FROM ${schema}.webhook WHERE webhook.seq = job.seq) AS webhook,
    ${parentsColumn(schema)}`;
}

/** Returns the column `parents` of `parseRecord`. */
export function parentsColumn(schema: string): string {
  return `(SELECT coalesce(json_agg(json_build_array(${PARENT_COLUMNS}) ORDER BY position), '[]')::text
      FROM ${schema}.job_parent WHERE job_parent.seq = job.seq) AS parents`;
}

/** Returns the tables whose rows `parseRecord` reads. */
export function recordTables(schema: string): string {
  return `${schema}.job JOIN ${schema}.job_content ON job_content.seq = job.seq`;
}
