/** Returns the table of the batches that can be undone. */
export function batchesSchema(schema: string): string {
  return `
-- "jobs" is a JSON list of the changed jobs with their values before the batch.
CREATE TABLE ${schema}.job_batch (
  id text COLLATE "C" NOT NULL PRIMARY KEY,
  scope text COLLATE "C" NOT NULL,
  action text NOT NULL,
  jobs text NOT NULL,
  expires bigint NOT NULL
);
CREATE INDEX job_batch_of_scope ON ${schema}.job_batch (scope, id);
CREATE INDEX job_batch_age ON ${schema}.job_batch (expires);
`;
}
