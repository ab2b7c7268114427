/** Returns the index that finds the retries of a job, as in the SQLite migration `RETRIES`. */
export function retriesSchema(schema: string): string {
  return `
CREATE INDEX job_retries ON ${schema}.job_content (retry_of, seq) WHERE retry_of IS NOT NULL;
`;
}
