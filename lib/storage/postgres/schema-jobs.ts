import { JOB_STATUSES } from '../../contract/resources/job.ts';

/**
 * Returns the tables of jobs and of their queue. Times are Unix seconds. The tables equal those of SQLite, with these differences:
 * `job.hidden` is stored, because PostgreSQL does not use an index over `deleted IS NULL` for a constant; `job.owner` is kept
 * after the end, so that a repeated end is recognized; `job_total.last_seq` numbers the jobs, and `job_scope.changes` numbers the
 * changes of a scope, because both rows are locked until the commit; a scope keeps its row; `job_text` is searched.
 */
export function jobSchema(schema: string): string {
  return `
-- Jobs. "job" has the columns that lists show. "job_content" has the large texts. "token" is the id of the token that sent the
-- job, or empty if the job was sent without a named token. "day" and "allowance" define where a queued job is charged.
CREATE TABLE ${schema}.job (
  seq bigint NOT NULL PRIMARY KEY,
  id text COLLATE "C" NOT NULL,
  scope text COLLATE "C" NOT NULL,
  token text COLLATE "C" NOT NULL DEFAULT '',
  status text COLLATE "C" NOT NULL CHECK (status IN (${JOB_STATUSES.map((status) => `'${status}'`).join(', ')})),
  owner text COLLATE "C",
  priority smallint NOT NULL DEFAULT 0 CHECK (priority BETWEEN -100 AND 100),
  favorite smallint NOT NULL DEFAULT 0 CHECK (favorite IN (0, 1)),
  deleted bigint,
  hidden boolean NOT NULL GENERATED ALWAYS AS (deleted IS NOT NULL) STORED,
  cancel_requested smallint NOT NULL DEFAULT 0 CHECK (cancel_requested IN (0, 1)),
  created bigint NOT NULL,
  updated bigint NOT NULL,
  started bigint,
  completed bigint,
  operation text NOT NULL,
  provider text COLLATE "C" NOT NULL,
  model text,
  outputs integer NOT NULL CHECK (outputs >= 0),
  size text NOT NULL DEFAULT 'auto',
  inputs integer NOT NULL DEFAULT 0 CHECK (inputs >= 0),
  error_code text,
  bytes bigint NOT NULL CHECK (bytes > 0),
  reserved bigint NOT NULL CHECK (reserved >= 0),
  artifacts text NOT NULL DEFAULT '[]',
  prompt text NOT NULL,
  UNIQUE (id, scope),
  CHECK ((completed IS NULL) = (status IN ('queued', 'running'))),
  CHECK ((completed IS NULL) = (reserved > 0)),
  CHECK ((started IS NULL) = (status = 'queued') OR status = 'cancelled'),
  CHECK ((error_code IS NULL) = (status IN ('queued', 'running', 'succeeded'))),
  CHECK (deleted IS NULL OR completed IS NOT NULL)
) WITH (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.02);

CREATE INDEX job_list ON ${schema}.job (scope, status, favorite, hidden, seq);
CREATE INDEX job_list_of_provider ON ${schema}.job (scope, provider, status, favorite, hidden, seq);
CREATE INDEX job_open ON ${schema}.job (seq) WHERE completed IS NULL;
CREATE INDEX job_running ON ${schema}.job (owner, seq) WHERE status = 'running';
CREATE INDEX job_claim_order ON ${schema}.job (scope, priority DESC, seq) WHERE status = 'queued';
CREATE INDEX job_active_token ON ${schema}.job (token, seq) WHERE completed IS NULL AND token <> '';
CREATE INDEX job_ordinary_history ON ${schema}.job (completed, seq)
  WHERE completed IS NOT NULL AND favorite = 0;
CREATE INDEX job_history_of_scope ON ${schema}.job (scope, completed, seq)
  WHERE completed IS NOT NULL AND favorite = 0;

CREATE FUNCTION ${schema}.refuse_job_transition() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'no job moves on like this' USING ERRCODE = 'check_violation';
END $$;

CREATE TRIGGER job_moves_on BEFORE UPDATE OF status ON ${schema}.job FOR EACH ROW
WHEN (NOT (
  (old.status = 'queued' AND new.status IN ('running', 'cancelled'))
  OR (old.status = 'running'
    AND new.status IN ('succeeded', 'failed', 'cancelled', 'interrupted'))
))
EXECUTE FUNCTION ${schema}.refuse_job_transition();

CREATE TABLE ${schema}.job_content (
  seq bigint NOT NULL PRIMARY KEY REFERENCES ${schema}.job (seq) ON DELETE CASCADE,
  request_id text NOT NULL,
  retry_of text,
  key_hash text COLLATE "C",
  fingerprint text COLLATE "C",
  day bigint,
  allowance bigint CHECK (allowance >= 0),
  request text NOT NULL,
  result text,
  partial_result text,
  error text,
  cancellation text,
  CHECK ((key_hash IS NULL) = (fingerprint IS NULL))
);

CREATE UNIQUE INDEX job_key ON ${schema}.job_content (key_hash) WHERE key_hash IS NOT NULL;

CREATE TABLE ${schema}.job_input (
  seq bigint NOT NULL REFERENCES ${schema}.job (seq) ON DELETE CASCADE,
  sha256 text COLLATE "C" NOT NULL CHECK (length(sha256) = 64),
  bytes bigint NOT NULL CHECK (bytes >= 0),
  PRIMARY KEY (seq, sha256)
);

CREATE INDEX job_input_users ON ${schema}.job_input (sha256, seq);

-- The folded prompts, which are searched. The extension belongs to the database, so that schemas can share it.
CREATE TABLE ${schema}.job_text (
  seq bigint NOT NULL PRIMARY KEY REFERENCES ${schema}.job (seq) ON DELETE CASCADE,
  scope text COLLATE "C" NOT NULL,
  folded text NOT NULL
);

DO $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('pg_trgm', 0));
  CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;
  EXECUTE format(
    'CREATE INDEX job_text_trigrams ON ${schema}.job_text USING gin (folded %I.gin_trgm_ops)',
    (SELECT nspname FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace
      WHERE extname = 'pg_trgm')
  );
END $$;

ALTER TABLE ${schema}.job_output
  ADD FOREIGN KEY (seq) REFERENCES ${schema}.job (seq) ON DELETE CASCADE;
ALTER TABLE ${schema}.webhook
  ADD FOREIGN KEY (seq) REFERENCES ${schema}.job (seq) ON DELETE CASCADE;

-- Counts and sizes of all jobs, which each change of a job updates because counting rows takes too long. "ordinary_*" counts the
-- history without favorites. In these columns, a stored image is counted once, with the newest job that uses the image.
-- "last_seq" is the number of the newest job.
CREATE TABLE ${schema}.job_total (
  only_row smallint NOT NULL PRIMARY KEY CHECK (only_row = 1),
${[
  ...JOB_STATUSES,
  'hidden',
  'favorite',
  'bytes',
  'reserved',
  'ordinary_jobs',
  'ordinary_bytes',
  'last_seq',
]
  .map((name) => `  ${name} bigint NOT NULL DEFAULT 0 CHECK (${name} >= 0)`)
  .join(',\n')}
) WITH (fillfactor = 10, autovacuum_vacuum_scale_factor = 0.02);

INSERT INTO ${schema}.job_total (only_row) VALUES (1);

-- The order in which the jobs of a scope last changed, for readers that resume where they stopped. A job has one row, for its
-- latest change. After the removal of the job, the row is kept for some time, with the id of the job.
CREATE TABLE ${schema}.job_change (
  seq bigint NOT NULL PRIMARY KEY,
  scope text COLLATE "C" NOT NULL,
  change bigint NOT NULL CHECK (change > 0),
  removed_id text COLLATE "C"
);

CREATE UNIQUE INDEX job_change_order ON ${schema}.job_change (scope, change);
CREATE INDEX job_removal_order ON ${schema}.job_change (scope, change) WHERE removed_id IS NOT NULL;

-- The queue: its pause state, the number of claims, and the number of active jobs of each provider. "job_scope" has the counts of
-- a scope: queued jobs, the bytes and reservations of all jobs, and the ordinary history as in "job_total". "turn" is the number
-- of the scope's last claim, or the lowest waiting turn at the time when its first job was queued. If turns are equal, the scope
-- whose first job was queued earlier ("joined") comes first. "changes" is the number of the latest change.
CREATE TABLE ${schema}.queue (
  only_row smallint NOT NULL PRIMARY KEY CHECK (only_row = 1),
  paused smallint NOT NULL CHECK (paused IN (0, 1)),
  claims bigint NOT NULL CHECK (claims >= 0)
) WITH (fillfactor = 10, autovacuum_vacuum_scale_factor = 0.02);

INSERT INTO ${schema}.queue VALUES (1, 0, 0);

CREATE TABLE ${schema}.job_scope (
  scope text COLLATE "C" NOT NULL PRIMARY KEY,
  queued bigint NOT NULL DEFAULT 0 CHECK (queued >= 0),
  turn bigint NOT NULL DEFAULT 0,
  joined bigint NOT NULL DEFAULT 0,
  held bigint NOT NULL DEFAULT 0 CHECK (held >= 0),
  ordinary_jobs bigint NOT NULL DEFAULT 0 CHECK (ordinary_jobs >= 0),
  ordinary_bytes bigint NOT NULL DEFAULT 0 CHECK (ordinary_bytes >= 0),
  changes bigint NOT NULL DEFAULT 0 CHECK (changes >= 0)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);

CREATE INDEX job_scope_turns ON ${schema}.job_scope (turn, joined) WHERE queued > 0;
CREATE INDEX job_scope_by_jobs ON ${schema}.job_scope (ordinary_jobs) WHERE ordinary_jobs > 0;
CREATE INDEX job_scope_by_bytes ON ${schema}.job_scope (ordinary_bytes) WHERE ordinary_jobs > 0;

CREATE TABLE ${schema}.job_active (
  provider text COLLATE "C" NOT NULL PRIMARY KEY,
  queued bigint NOT NULL DEFAULT 0 CHECK (queued >= 0),
  running bigint NOT NULL DEFAULT 0 CHECK (running >= 0)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);
`;
}
