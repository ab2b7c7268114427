/** Returns the table of the progress of running jobs, which a crash of the server empties. */
export function progressSchema(schema: string): string {
  return `
-- The progress of running jobs and their latest partial images. A row of a job that has ended means nothing. Images are
-- already compressed.
CREATE UNLOGGED TABLE ${schema}.job_progress (
  id text COLLATE "C" NOT NULL PRIMARY KEY,
  owner text COLLATE "C" NOT NULL,
  stage text NOT NULL,
  partial_images integer NOT NULL,
  partial bytea,
  partial_format text,
  partial_index integer,
  CHECK ((partial IS NULL) = (partial_format IS NULL) AND (partial IS NULL) = (partial_index IS NULL))
);
ALTER TABLE ${schema}.job_progress ALTER COLUMN partial SET STORAGE EXTERNAL;
`;
}
