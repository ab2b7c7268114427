/** The first schema, in SQL. Times are Unix seconds unless a comment says otherwise. */
export const SCHEMA = `
-- Creates the table that a new database does not have, so that the import is the same for new and for old databases.
CREATE TABLE IF NOT EXISTS job (
  id TEXT, status TEXT, created INTEGER, updated INTEGER,
  prompt TEXT, request TEXT, result TEXT, error TEXT
);
ALTER TABLE job RENAME TO ownerless_job;

-- Facts about the database, one row for each fact.
CREATE TABLE meta (
  name TEXT NOT NULL PRIMARY KEY,
  value BLOB NOT NULL
) STRICT;

-- Processes, with the time until which each process is known to be running. A running job, a pending artifact and an
-- open account belong to a process.
CREATE TABLE owner (
  id TEXT NOT NULL PRIMARY KEY,
  lease_until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Artifacts. A pending row records a publication or a removal that has not ended. The columns of the metadata file
-- beside an image are all set or all NULL. "artifact_total" counts published images without their metadata files,
-- because counting rows takes too long.
CREATE TABLE artifact (
  id TEXT NOT NULL PRIMARY KEY,
  scope TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'published')),
  owner TEXT,
  name TEXT NOT NULL UNIQUE,
  format TEXT NOT NULL CHECK (format IN ('png', 'jpeg', 'webp')),
  width INTEGER NOT NULL CHECK (width > 0),
  height INTEGER NOT NULL CHECK (height > 0),
  bytes INTEGER NOT NULL CHECK (bytes > 0),
  sha256 TEXT NOT NULL CHECK (length(sha256) = 64),
  created_secs INTEGER NOT NULL,
  sidecar_name TEXT,
  sidecar_bytes INTEGER CHECK (sidecar_bytes > 0),
  sidecar_sha256 TEXT CHECK (length(sidecar_sha256) = 64),
  CHECK ((sidecar_name IS NULL) = (sidecar_bytes IS NULL)),
  CHECK ((sidecar_name IS NULL) = (sidecar_sha256 IS NULL))
) STRICT;

CREATE INDEX artifact_pending ON artifact (id) WHERE state = 'pending';
CREATE INDEX artifact_age ON artifact (created_secs, id) WHERE state = 'published';
CREATE UNIQUE INDEX artifact_sidecar ON artifact (sidecar_name) WHERE sidecar_name IS NOT NULL;

CREATE TABLE artifact_total (
  only_row INTEGER NOT NULL PRIMARY KEY CHECK (only_row = 1),
  artifacts INTEGER NOT NULL CHECK (artifacts >= 0),
  bytes INTEGER NOT NULL CHECK (bytes >= 0)
) STRICT;

INSERT INTO artifact_total VALUES (1, 0, 0);

-- Named templates, shared by all callers. Names are compared by their bytes.
CREATE TABLE preset (
  name TEXT NOT NULL PRIMARY KEY,
  description TEXT,
  template TEXT NOT NULL,
  created INTEGER NOT NULL,
  updated INTEGER NOT NULL
) STRICT;

-- The threads to which session keys are bound. A thread belongs to one session.
CREATE TABLE session (
  scope TEXT NOT NULL,
  provider TEXT NOT NULL,
  key TEXT NOT NULL,
  thread TEXT NOT NULL,
  PRIMARY KEY (scope, provider, key),
  UNIQUE (provider, thread)
) STRICT, WITHOUT ROWID;

-- Jobs. "job" has the columns that lists show, in small adjacent rows. "job_content" has the large texts. "token" is
-- the id of the token that sent the job, or empty if the job was sent without a named token. "day" and "allowance"
-- define where a queued job is charged. The account of a job begins when the job is claimed.
-- "job_input" has the stored input images of jobs. "job_output" has the images of a running job that are published
-- while its other calls run, each in the JSON format of results.
CREATE TABLE job (
  seq INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL,
  scope TEXT NOT NULL,
  token TEXT NOT NULL DEFAULT '',
  status TEXT NOT NULL
    CHECK (status IN ('queued', 'running', 'succeeded', 'failed', 'cancelled', 'interrupted')),
  owner TEXT,
  priority INTEGER NOT NULL DEFAULT 0 CHECK (priority BETWEEN -100 AND 100),
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
  size TEXT NOT NULL DEFAULT 'auto',
  inputs INTEGER NOT NULL DEFAULT 0 CHECK (inputs >= 0),
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
CREATE INDEX job_list_of_provider
  ON job (scope, provider, status, favorite, deleted IS NULL, seq);
CREATE INDEX job_queued ON job (seq) WHERE status = 'queued';
CREATE INDEX job_running ON job (seq) WHERE status = 'running';
CREATE INDEX job_claim_order ON job (scope, priority DESC, seq) WHERE status = 'queued';
CREATE INDEX job_active_token ON job (token, seq) WHERE completed IS NULL AND token <> '';
CREATE INDEX job_ordinary_history ON job (completed, seq)
  WHERE completed IS NOT NULL AND favorite = 0;
CREATE INDEX job_history_of_scope ON job (scope, completed, seq)
  WHERE completed IS NOT NULL AND favorite = 0;

CREATE TRIGGER job_moves_on BEFORE UPDATE OF status ON job
WHEN NOT (
  (old.status = 'queued' AND new.status IN ('running', 'cancelled'))
  OR (old.status = 'running'
    AND new.status IN ('succeeded', 'failed', 'cancelled', 'interrupted'))
)
BEGIN
  SELECT raise(ABORT, 'no job moves on like this');
END;

CREATE TABLE job_content (
  seq INTEGER NOT NULL PRIMARY KEY REFERENCES job (seq) ON DELETE CASCADE,
  request_id TEXT NOT NULL,
  retry_of TEXT,
  key_hash TEXT,
  fingerprint TEXT,
  day INTEGER,
  allowance INTEGER CHECK (allowance >= 0),
  request TEXT NOT NULL,
  result TEXT,
  partial_result TEXT,
  error TEXT,
  CHECK ((key_hash IS NULL) = (fingerprint IS NULL))
) STRICT;

CREATE UNIQUE INDEX job_key ON job_content (key_hash) WHERE key_hash IS NOT NULL;

CREATE TABLE job_input (
  seq INTEGER NOT NULL REFERENCES job (seq) ON DELETE CASCADE,
  sha256 TEXT NOT NULL CHECK (length(sha256) = 64),
  bytes INTEGER NOT NULL CHECK (bytes >= 0),
  PRIMARY KEY (seq, sha256)
) STRICT, WITHOUT ROWID;

CREATE INDEX job_input_users ON job_input (sha256);

CREATE TABLE job_output (
  artifact_id TEXT NOT NULL PRIMARY KEY REFERENCES artifact (id) ON DELETE CASCADE,
  seq INTEGER NOT NULL REFERENCES job (seq) ON DELETE CASCADE,
  image TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX job_output_of_job ON job_output (seq);

-- Counts and sizes of all jobs, which "job-counts.ts" updates with each change of a job because counting rows takes too
-- long. "ordinary_*" counts the history without favorites. In these columns, a stored image is counted once, with the
-- newest job that uses the image.
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

-- The order in which the jobs of a scope last changed, for readers that resume where they stopped. A job has one row,
-- for its latest change. After the removal of the job, the row is kept for some time, with the id of the job.
CREATE TABLE job_change (
  seq INTEGER NOT NULL PRIMARY KEY,
  scope TEXT NOT NULL,
  change INTEGER NOT NULL CHECK (change > 0),
  removed_id TEXT
) STRICT;

CREATE UNIQUE INDEX job_change_order ON job_change (scope, change);
CREATE INDEX job_removal_order ON job_change (scope, change) WHERE removed_id IS NOT NULL;

-- The queue: its pause state, the number of claims, and the number of active jobs of each provider.
-- "job_scope" has the counts of a scope, which are updated by the statements that change jobs: queued jobs, the bytes
-- and reservations of all jobs, and the ordinary history as in "job_total". "turn" is the number of the scope's last
-- claim, or the lowest waiting turn at the time when its first job was queued. If turns are equal, the scope whose
-- first job was queued earlier ("joined") comes first.
CREATE TABLE queue (
  only_row INTEGER NOT NULL PRIMARY KEY CHECK (only_row = 1),
  paused INTEGER NOT NULL CHECK (paused IN (0, 1)),
  claims INTEGER NOT NULL CHECK (claims >= 0)
) STRICT;

INSERT INTO queue VALUES (1, 0, 0);

CREATE TABLE job_scope (
  scope TEXT NOT NULL PRIMARY KEY,
  queued INTEGER NOT NULL CHECK (queued >= 0),
  turn INTEGER NOT NULL DEFAULT 0,
  joined INTEGER NOT NULL,
  held INTEGER NOT NULL CHECK (held >= 0),
  ordinary_jobs INTEGER NOT NULL DEFAULT 0 CHECK (ordinary_jobs >= 0),
  ordinary_bytes INTEGER NOT NULL DEFAULT 0 CHECK (ordinary_bytes >= 0)
) STRICT, WITHOUT ROWID;

CREATE INDEX job_scope_turns ON job_scope (turn, joined) WHERE queued > 0;
CREATE INDEX job_scope_by_jobs ON job_scope (ordinary_jobs) WHERE ordinary_jobs > 0;
CREATE INDEX job_scope_by_bytes ON job_scope (ordinary_bytes) WHERE ordinary_jobs > 0;

CREATE TABLE job_active (
  provider TEXT NOT NULL PRIMARY KEY,
  queued INTEGER NOT NULL CHECK (queued >= 0),
  running INTEGER NOT NULL CHECK (running >= 0)
) STRICT, WITHOUT ROWID;

-- Charges and usage. "charge" counts the images that count against the allowance of a day. "usage" counts outputs whose
-- calls have ended; every charged output is included in "images". "ledger" has one row for each request and each
-- running job that has not ended, under the id of the job or under its own id. The row has the number of outputs
-- requested on the current route, the number of these outputs in "charge", and the allowance of the day. The account of
-- a job has no owner because it ends with the job. "ledger_row" has one row for each output of each provider call that
-- may have been sent.
CREATE TABLE charge (
  token TEXT NOT NULL,
  day INTEGER NOT NULL,
  images INTEGER NOT NULL CHECK (images >= 0),
  PRIMARY KEY (token, day)
) STRICT, WITHOUT ROWID;

CREATE TABLE usage (
  token TEXT NOT NULL,
  day INTEGER NOT NULL,
  provider TEXT NOT NULL,
  images INTEGER NOT NULL CHECK (images >= 0),
  lost INTEGER NOT NULL CHECK (lost BETWEEN 0 AND images),
  unknown INTEGER NOT NULL CHECK (unknown >= 0),
  failed INTEGER NOT NULL CHECK (failed >= 0),
  tokens INTEGER CHECK (tokens >= 0),
  PRIMARY KEY (token, day, provider)
) STRICT, WITHOUT ROWID;

CREATE TABLE ledger (
  id TEXT NOT NULL PRIMARY KEY,
  owner TEXT,
  token TEXT NOT NULL,
  day INTEGER NOT NULL,
  outputs INTEGER NOT NULL CHECK (outputs >= 0),
  reserved INTEGER NOT NULL CHECK (reserved >= 0),
  allowance INTEGER CHECK (allowance >= 0),
  renewals INTEGER NOT NULL DEFAULT 0 CHECK (renewals >= 0)
) STRICT, WITHOUT ROWID;

CREATE TABLE ledger_row (
  ledger TEXT NOT NULL REFERENCES ledger (id) ON DELETE CASCADE,
  call INTEGER NOT NULL CHECK (call >= 0),
  output INTEGER NOT NULL CHECK (output >= 0),
  provider TEXT NOT NULL,
  PRIMARY KEY (ledger, call, output)
) STRICT, WITHOUT ROWID;

-- Webhooks. A row waits until its job ends. If the end is among the events of the row, the transaction that ends the
-- job makes the row due. "host" is the host of the URL, with its port. "due" is in Unix milliseconds.
CREATE TABLE webhook (
  seq INTEGER NOT NULL PRIMARY KEY REFERENCES job (seq) ON DELETE CASCADE,
  url TEXT NOT NULL,
  host TEXT NOT NULL,
  events TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'waiting'
    CHECK (state IN ('waiting', 'pending', 'delivered', 'failed')),
  attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  last_status INTEGER,
  due INTEGER,
  CHECK ((due IS NOT NULL) = (state = 'pending'))
) STRICT;

CREATE INDEX webhook_due ON webhook (host, due) WHERE due IS NOT NULL;

-- Imports jobs from before authorization scopes. The imported jobs get a scope that no caller can have. These jobs are
-- kept as long as other jobs and never run.
INSERT INTO job (
  id, scope, status, created, updated, started, completed, operation, provider, outputs,
  error_code, bytes, reserved, prompt
)
SELECT
  id, 'legacy-unowned',
  iif(status IN ('succeeded', 'failed', 'cancelled'), status, 'interrupted'),
  created, updated, created, updated, 'generate', 'unknown', 0,
  CASE status WHEN 'succeeded' THEN NULL WHEN 'failed' THEN 'internal' ELSE 'cancelled' END,
  512 + octet_length(prompt) + octet_length(request)
    + coalesce(octet_length(result), 0) + coalesce(octet_length(error), 0),
  0, prompt
FROM ownerless_job;

INSERT INTO job_content (seq, request_id, request, result, error)
SELECT job.seq, 'unknown', ownerless_job.request, ownerless_job.result, ownerless_job.error
FROM ownerless_job JOIN job ON job.id = ownerless_job.id AND job.scope = 'legacy-unowned';

INSERT INTO job_scope (scope, queued, joined, held, ordinary_jobs, ordinary_bytes)
SELECT scope, 0, 0, sum(bytes), count(*), sum(bytes) FROM job GROUP BY scope;

UPDATE job_total SET
  succeeded = (SELECT count(*) FROM job WHERE status = 'succeeded'),
  failed = (SELECT count(*) FROM job WHERE status = 'failed'),
  cancelled = (SELECT count(*) FROM job WHERE status = 'cancelled'),
  interrupted = (SELECT count(*) FROM job WHERE status = 'interrupted'),
  bytes = (SELECT coalesce(sum(bytes), 0) FROM job),
  ordinary_jobs = (SELECT count(*) FROM job),
  ordinary_bytes = (SELECT coalesce(sum(bytes), 0) FROM job);

INSERT INTO job_change (seq, scope, change)
SELECT seq, scope, row_number() OVER (ORDER BY seq) FROM job;

DROP TABLE ownerless_job;
`;
