/**
 * The order in which the jobs of a scope last changed, for readers that resume where they stopped. A job has one row, of
 * its latest change; after its removal the row remains for a while, with its id. Jobs that have not changed since before
 * this table have none.
 */
export const JOB_CHANGE = `
CREATE TABLE job_change (
  seq INTEGER NOT NULL PRIMARY KEY,
  scope TEXT NOT NULL,
  change INTEGER NOT NULL CHECK (change > 0),
  removed_id TEXT
) STRICT;

CREATE UNIQUE INDEX job_change_order ON job_change (scope, change);
CREATE INDEX job_removal_order ON job_change (scope, change) WHERE removed_id IS NOT NULL;

CREATE TRIGGER job_change_of_added AFTER INSERT ON job
BEGIN
  INSERT INTO job_change (seq, scope, change) VALUES (
    new.seq, new.scope,
    1 + coalesce((SELECT max(change) FROM job_change WHERE scope = new.scope), 0)
  );
END;

CREATE TRIGGER job_change_of_changed AFTER UPDATE ON job
BEGIN
  INSERT INTO job_change (seq, scope, change) VALUES (
    new.seq, new.scope,
    1 + coalesce((SELECT max(change) FROM job_change WHERE scope = new.scope), 0)
  )
  ON CONFLICT (seq) DO UPDATE SET change = excluded.change;
END;

CREATE TRIGGER job_change_of_removed AFTER DELETE ON job
BEGIN
  INSERT INTO job_change (seq, scope, change, removed_id) VALUES (
    old.seq, old.scope,
    1 + coalesce((SELECT max(change) FROM job_change WHERE scope = old.scope), 0),
    old.id
  )
  ON CONFLICT (seq) DO UPDATE SET change = excluded.change, removed_id = excluded.removed_id;
END;
`;
