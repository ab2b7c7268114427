/** Returns the column and the table of the labels of jobs. */
export function labelsSchema(schema: string): string {
  return `
-- The labels of a job, a JSON list in the order of the caller. "job_label" has each label, so that the jobs with a label are found.
ALTER TABLE ${schema}.job ADD COLUMN labels text NOT NULL DEFAULT '[]';
CREATE TABLE ${schema}.job_label (
  scope text COLLATE "C" NOT NULL,
  label text COLLATE "C" NOT NULL,
  seq bigint NOT NULL REFERENCES ${schema}.job (seq) ON DELETE CASCADE,
  PRIMARY KEY (scope, label, seq)
);
CREATE INDEX job_label_of_job ON ${schema}.job_label (seq);
`;
}
