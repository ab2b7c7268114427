import { RECORD_COLUMNS } from '../../jobs/job-rows.ts';

/** Returns the columns that `parseRecord` reads. */
export function recordColumns(schema: string): string {
  return `${RECORD_COLUMNS},
    (SELECT json_build_object(
        'url', url, 'events', events::json, 'state', state, 'attempts', attempts,
        'lastStatus', last_status
      )::text FROM ${schema}.webhook WHERE webhook.seq = job.seq) AS webhook`;
}

/** Returns the tables whose rows `parseRecord` reads. */
export function recordTables(schema: string): string {
  return `${schema}.job JOIN ${schema}.job_content ON job_content.seq = job.seq`;
}
