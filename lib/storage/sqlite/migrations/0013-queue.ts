/**
 * The queue: in which order jobs are claimed, whether it is paused, and how many jobs of each provider are active, kept by
 * triggers because counting rows takes too long. A job may have been made from another one that had ended.
 */
export const QUEUE = `
ALTER TABLE job ADD COLUMN priority INTEGER NOT NULL DEFAULT 0 CHECK (priority BETWEEN -100 AND 100);
ALTER TABLE job_content ADD COLUMN retry_of TEXT;

CREATE INDEX job_claim_order ON job (priority DESC, seq) WHERE status = 'queued';

CREATE TABLE queue (
  only_row INTEGER NOT NULL PRIMARY KEY CHECK (only_row = 1),
  paused INTEGER NOT NULL CHECK (paused IN (0, 1))
) STRICT;

INSERT INTO queue VALUES (1, 0);

CREATE TABLE job_active (
  provider TEXT NOT NULL PRIMARY KEY,
  queued INTEGER NOT NULL CHECK (queued >= 0),
  running INTEGER NOT NULL CHECK (running >= 0)
) STRICT, WITHOUT ROWID;

INSERT INTO job_active
SELECT provider, count(*) FILTER (WHERE status = 'queued'), count(*) FILTER (WHERE status = 'running')
FROM job WHERE completed IS NULL GROUP BY provider;

CREATE TRIGGER job_active_was_added AFTER INSERT ON job
WHEN new.completed IS NULL
BEGIN
  INSERT INTO job_active VALUES (new.provider, new.status = 'queued', new.status = 'running')
  ON CONFLICT (provider) DO UPDATE SET
    queued = queued + excluded.queued, running = running + excluded.running;
END;

CREATE TRIGGER job_active_was_changed AFTER UPDATE OF status ON job
WHEN old.completed IS NULL
BEGIN
  UPDATE job_active SET
    queued = queued - (old.status = 'queued') + (new.status = 'queued'),
    running = running - (old.status = 'running') + (new.status = 'running')
  WHERE provider = old.provider;
END;

CREATE TRIGGER job_active_was_removed AFTER DELETE ON job
WHEN old.completed IS NULL
BEGIN
  UPDATE job_active SET
    queued = queued - (old.status = 'queued'), running = running - (old.status = 'running')
  WHERE provider = old.provider;
END;
`;
