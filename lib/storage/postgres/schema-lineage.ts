/** Returns the tables of the lineage of jobs. */
export function lineageSchema(schema: string): string {
  return `
-- The images of ended jobs, each with its position among the artifacts of its job.
CREATE TABLE ${schema}.job_image (
  artifact_id text COLLATE "C" NOT NULL PRIMARY KEY,
  seq bigint NOT NULL REFERENCES ${schema}.job (seq) ON DELETE CASCADE,
  position integer NOT NULL CHECK (position >= 0)
);
CREATE INDEX job_image_of_job ON ${schema}.job_image (seq);
INSERT INTO ${schema}.job_image (artifact_id, seq, position)
SELECT image ->> 'id', seq, place - 1
FROM ${schema}.job, json_array_elements(artifacts::json) WITH ORDINALITY AS one (image, place)
WHERE artifacts <> '[]'
ON CONFLICT DO NOTHING;

-- The input images of jobs that were artifacts. The facts are kept after the artifact and its job are removed.
CREATE TABLE ${schema}.job_parent (
  seq bigint NOT NULL REFERENCES ${schema}.job (seq) ON DELETE CASCADE,
  scope text COLLATE "C" NOT NULL,
  position integer NOT NULL CHECK (position >= 0),
  artifact_id text COLLATE "C" NOT NULL,
  name text NOT NULL,
  width integer NOT NULL CHECK (width > 0),
  height integer NOT NULL CHECK (height > 0),
  created bigint NOT NULL,
  parent_id text COLLATE "C",
  parent_image integer CHECK (parent_image >= 0),
  PRIMARY KEY (seq, position),
  CHECK ((parent_id IS NULL) = (parent_image IS NULL))
);
CREATE INDEX job_children ON ${schema}.job_parent (scope, parent_id, seq) WHERE parent_id IS NOT NULL;
`;
}
