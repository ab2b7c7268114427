/**
 * The images of running jobs that were published while other calls of their jobs still run, each in JSON as results have it.
 * What is left of them when a job is interrupted is its partial result.
 */
export const SALVAGE = `
ALTER TABLE job_content ADD COLUMN partial_result TEXT;

CREATE TABLE job_output (
  artifact_id TEXT NOT NULL PRIMARY KEY REFERENCES artifact (id) ON DELETE CASCADE,
  seq INTEGER NOT NULL REFERENCES job (seq) ON DELETE CASCADE,
  image TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX job_output_of_job ON job_output (seq);
`;
