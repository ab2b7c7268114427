/**
 * Jobs: `job` has what lists show, small and side by side; `job_content` the large texts; `job_input` the stored images
 * that jobs still need; `job_total` the counts and sizes, kept by triggers because counting rows takes too long.
 *
 * A database may have jobs from before they had owners. They are kept for as long as others are, under a scope that no
 * caller can have, and none of them is run.
 */
export const JOB = `
CREATE TABLE IF NOT EXISTS job (
  id TEXT, status TEXT, created INTEGER, updated INTEGER,
  prompt TEXT, request TEXT, result TEXT, error TEXT
);
ALTER TABLE job RENAME TO ownerless_job;

CREATE TABLE job (
  seq INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL,
  scope TEXT NOT NULL,
  status TEXT NOT NULL
    CHECK (status IN ('queued', 'running', 'succeeded', 'failed', 'cancelled', 'interrupted')),
  favorite INTEGER NOT NULL DEFAULT 0 CHECK (favorite IN (0, 1)),
  deleted INTEGER,
  cancel_requested INTEGER NOT NULL DEFAULT 0 CHECK (cancel_requested IN (0, 1)),
  created INTEGER NOT NULL,
  updated INTEGER NOT NULL,
  started INTEGER,
  completed INTEGER,
  operation TEXT NOT NULL,
  provider TEXT NOT NULL,
  model TEXT,
  outputs INTEGER NOT NULL CHECK (outputs >= 0),
  error_code TEXT,
  bytes INTEGER NOT NULL CHECK (bytes > 0),
  reserved INTEGER NOT NULL CHECK (reserved >= 0),
  artifacts TEXT NOT NULL DEFAULT '[]',
  prompt TEXT NOT NULL,
  UNIQUE (id, scope),
  CHECK ((completed IS NULL) = (status IN ('queued', 'running'))),
  CHECK ((completed IS NULL) = (reserved > 0)),
  CHECK ((started IS NULL) = (status = 'queued') OR status = 'cancelled'),
  CHECK ((error_code IS NULL) = (status IN ('queued', 'running', 'succeeded'))),
  CHECK (deleted IS NULL OR completed IS NOT NULL)
) STRICT;

CREATE INDEX job_list ON job (scope, status, favorite, deleted IS NULL, seq);
CREATE INDEX job_queued ON job (seq) WHERE status = 'queued';
CREATE INDEX job_running ON job (seq) WHERE status = 'running';
CREATE INDEX job_ordinary_history ON job (completed, seq)
  WHERE completed IS NOT NULL AND favorite = 0;

CREATE TABLE job_content (
  seq INTEGER NOT NULL PRIMARY KEY REFERENCES job (seq) ON DELETE CASCADE,
  request_id TEXT NOT NULL,
  key_hash TEXT,
  fingerprint TEXT,
  request TEXT NOT NULL,
  result TEXT,
  error TEXT,
  CHECK ((key_hash IS NULL) = (fingerprint IS NULL))
) STRICT;

CREATE UNIQUE INDEX job_key ON job_content (key_hash) WHERE key_hash IS NOT NULL;

CREATE TABLE job_input (
  seq INTEGER NOT NULL REFERENCES job (seq) ON DELETE CASCADE,
  sha256 TEXT NOT NULL CHECK (length(sha256) = 64),
  PRIMARY KEY (seq, sha256)
) STRICT, WITHOUT ROWID;

CREATE INDEX job_input_users ON job_input (sha256);

CREATE TABLE job_total (
  only_row INTEGER NOT NULL PRIMARY KEY CHECK (only_row = 1),
  queued INTEGER NOT NULL CHECK (queued >= 0),
  running INTEGER NOT NULL CHECK (running >= 0),
  succeeded INTEGER NOT NULL CHECK (succeeded >= 0),
  failed INTEGER NOT NULL CHECK (failed >= 0),
  cancelled INTEGER NOT NULL CHECK (cancelled >= 0),
  interrupted INTEGER NOT NULL CHECK (interrupted >= 0),
  hidden INTEGER NOT NULL CHECK (hidden >= 0),
  favorite INTEGER NOT NULL CHECK (favorite >= 0),
  bytes INTEGER NOT NULL CHECK (bytes >= 0),
  reserved INTEGER NOT NULL CHECK (reserved >= 0),
  ordinary_jobs INTEGER NOT NULL CHECK (ordinary_jobs >= 0),
  ordinary_bytes INTEGER NOT NULL CHECK (ordinary_bytes >= 0)
) STRICT;

INSERT INTO job_total VALUES (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

CREATE TRIGGER job_moves_on BEFORE UPDATE OF status ON job
WHEN NOT (
  (old.status = 'queued' AND new.status IN ('running', 'cancelled'))
  OR (old.status = 'running'
    AND new.status IN ('succeeded', 'failed', 'cancelled', 'interrupted'))
)
BEGIN
  SELECT raise(ABORT, 'no job moves on like this');
END;

CREATE TRIGGER job_was_added AFTER INSERT ON job
BEGIN
  UPDATE job_total SET
    queued = queued + (new.status = 'queued'),
    running = running + (new.status = 'running'),
    succeeded = succeeded + (new.status = 'succeeded'),
    failed = failed + (new.status = 'failed'),
    cancelled = cancelled + (new.status = 'cancelled'),
    interrupted = interrupted + (new.status = 'interrupted'),
    hidden = hidden + (new.deleted IS NOT NULL),
    favorite = favorite + new.favorite,
    bytes = bytes + new.bytes,
    reserved = reserved + new.reserved,
    ordinary_jobs = ordinary_jobs + (new.completed IS NOT NULL AND new.favorite = 0),
    ordinary_bytes =
      ordinary_bytes + (new.completed IS NOT NULL AND new.favorite = 0) * new.bytes;
END;

CREATE TRIGGER job_was_changed
AFTER UPDATE OF status, favorite, deleted, completed, bytes, reserved ON job
BEGIN
  UPDATE job_total SET
    queued = queued + (new.status = 'queued') - (old.status = 'queued'),
    running = running + (new.status = 'running') - (old.status = 'running'),
    succeeded = succeeded + (new.status = 'succeeded') - (old.status = 'succeeded'),
    failed = failed + (new.status = 'failed') - (old.status = 'failed'),
    cancelled = cancelled + (new.status = 'cancelled') - (old.status = 'cancelled'),
    interrupted = interrupted + (new.status = 'interrupted') - (old.status = 'interrupted'),
    hidden = hidden + (new.deleted IS NOT NULL) - (old.deleted IS NOT NULL),
    favorite = favorite + new.favorite - old.favorite,
    bytes = bytes + new.bytes - old.bytes,
    reserved = reserved + new.reserved - old.reserved,
    ordinary_jobs = ordinary_jobs + (new.completed IS NOT NULL AND new.favorite = 0)
      - (old.completed IS NOT NULL AND old.favorite = 0),
    ordinary_bytes = ordinary_bytes
      + (new.completed IS NOT NULL AND new.favorite = 0) * new.bytes
      - (old.completed IS NOT NULL AND old.favorite = 0) * old.bytes;
END;

CREATE TRIGGER job_was_removed AFTER DELETE ON job
BEGIN
  UPDATE job_total SET
    queued = queued - (old.status = 'queued'),
    running = running - (old.status = 'running'),
    succeeded = succeeded - (old.status = 'succeeded'),
    failed = failed - (old.status = 'failed'),
    cancelled = cancelled - (old.status = 'cancelled'),
    interrupted = interrupted - (old.status = 'interrupted'),
    hidden = hidden - (old.deleted IS NOT NULL),
    favorite = favorite - old.favorite,
    bytes = bytes - old.bytes,
    reserved = reserved - old.reserved,
    ordinary_jobs = ordinary_jobs - (old.completed IS NOT NULL AND old.favorite = 0),
    ordinary_bytes =
      ordinary_bytes - (old.completed IS NOT NULL AND old.favorite = 0) * old.bytes;
END;

INSERT INTO job (
  id, scope, status, created, updated, started, completed, operation, provider, outputs,
  error_code, bytes, reserved, prompt
)
SELECT
  id, 'legacy-unowned',
  iif(status IN ('succeeded', 'failed', 'cancelled'), status, 'interrupted'),
  created, updated, created, updated, 'generate', 'unknown', 0,
  CASE status WHEN 'succeeded' THEN NULL WHEN 'failed' THEN 'internal' ELSE 'cancelled' END,
  514 + octet_length(prompt) + octet_length(request)
    + coalesce(octet_length(result), 0) + coalesce(octet_length(error), 0),
  0, prompt
FROM ownerless_job;

INSERT INTO job_content (seq, request_id, request, result, error)
SELECT job.seq, 'unknown', ownerless_job.request, ownerless_job.result, ownerless_job.error
FROM ownerless_job JOIN job ON job.id = ownerless_job.id AND job.scope = 'legacy-unowned';

DROP TABLE ownerless_job;
`;
